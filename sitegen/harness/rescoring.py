"""Score a run's answers again under another version of its exam, where everything that the solver saw is identical.

A wrong oracle or metric, mended in a new version, does not force new runs. The new report keeps the run's start, says
``rescored_from``, and its end in the new version's ledger names that start.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from sitegen.digests import sha256
from sitegen.harness.closing import TOOL, Closed, close_run
from sitegen.harness.disk import write_file
from sitegen.harness.ledgering import ledger_of
from sitegen.harness.marking import Marker
from sitegen.harness.opening import RUN_ID_DIGITS, OpenRun, find_run, sound_exam
from sitegen.read.files import Tree
from sitegen.read.library import PROTOCOLS, REPORTS, SOLVER_FOLDER, read_run
from sitegen.read.manifest import MANIFEST_NAME
from sitegen.read.report import MadeBy, RescoredFrom
from sitegen.read.transcript import TRANSCRIPTS_NAME, read_transcripts
from sitegen.refusals import Misuse, Refusal, Refused
from sitegen.verify.chain import histories_of
from sitegen.verify.exposure import exposure_of, find_exposure_differences
from sitegen.verify.protocols import SoundProtocol
from sitegen.verify.rescored import Origin
from sitegen.verify.verifier import verify_origin


def rescore_run(root: Path, run_id: str, protocol_id: str) -> Closed:
    """Score the answers of a run again under the protocol ``protocol_id`` and record the end in its ledger.

    Done twice it gives the same run id, so an interruption leaves nothing that a second call does not complete.

    Raises:
        Refused: the run would itself not be published, the solver saw something else (``rescore-mismatch``), a protocol
            is not in order, or as :func:`close_run`; then nothing is left behind.
        Misuse: there is no such run or protocol, it is the run's own, or the run was scored again under it already.
        OSError: a file cannot be written.
    """
    source = find_run(root, run_id)
    if source == protocol_id:
        raise Misuse(f"{run_id} was run under {protocol_id} itself")
    exam = sound_exam(root, protocol_id)
    origin = _origin(root, source, run_id)
    _check_exposure(origin, exam)
    run = _opened(root, origin, exam)
    history = histories_of(ledger_of(root, protocol_id)).get(run.run_id)
    if history is not None:
        raise Misuse(f"{run_id} was scored under {protocol_id} already, as {run.run_id}")
    _copy_evidence(origin, run.run_folder)
    transcripts = origin.report.folder.files[TRANSCRIPTS_NAME]
    try:
        with Marker(run.protocol, run.pack, run.protocol_folder) as marker:
            return close_run(run, read_transcripts(transcripts), _made_by(origin), marker, transcripts.data)
    except Refused:
        shutil.rmtree(run.run_folder)  # no event accounts for it, so that it would be a fault of the site
        raise


def _origin(root: Path, protocol_id: str, run_id: str) -> Origin:
    with Tree(root) as tree:
        unit = read_run(tree, protocol_id, run_id)
    if unit is None:
        file = f"{REPORTS}/{protocol_id}/{run_id}"
        raise Refused([Refusal(slug="rescore-mismatch", file=file, expected="the run's files", found="no such folder")])
    return verify_origin(unit, run_id)


def _check_exposure(origin: Origin, exam: SoundProtocol) -> None:
    """Refuse, with every difference, where a solver would have seen something else."""
    old = origin.protocol
    before = exposure_of(old.protocol, old.pack, {file.path: file.sha256 for file in old.files})
    after = exposure_of(exam.document.protocol, exam.pack, {file.path: file.sha256 for file in exam.files})
    file = f"{PROTOCOLS}/{exam.document.protocol.protocol_id}"
    found = [
        Refusal(slug="rescore-mismatch", file=file, path=f"what the solver saw: {what}", expected=was, found=is_)
        for what, was, is_ in find_exposure_differences(before, after)
    ]
    if found:
        raise Refused(found)


def _opened(root: Path, origin: Origin, exam: SoundProtocol) -> OpenRun:
    """Return the run under the new protocol: its own start, a run id that follows from both."""
    document, report = exam.document, origin.report
    protocol_id = document.protocol.protocol_id
    digits = sha256(f"{report.run_id} {document.sha256}".encode())[:RUN_ID_DIGITS]
    run_id = f"{report.run_id[:-RUN_ID_DIGITS]}{digits}"
    return OpenRun(
        root=root,
        protocol=document.protocol,
        protocol_sha256=document.sha256,
        protocol_folder=root / PROTOCOLS / protocol_id,
        pack=exam.pack,
        manifest=report.manifest,
        manifest_sha256=report.report.digests.manifest,
        solver_sha256=report.report.digests.solver,
        channel=report.report.channel,
        run_id=run_id,
        run_folder=root / REPORTS / protocol_id / run_id,
        start_sha256=origin.start[0],
        started_at=report.started_at,
        opaque={},
        rescored_from=RescoredFrom(
            protocol_id=origin.protocol.protocol_id,
            protocol_sha256=origin.protocol.sha256,
            run_id=report.run_id,
            report_sha256=report.sha256,
        ),
    )


def _copy_evidence(origin: Origin, folder: Path) -> None:
    for path, file in origin.report.folder.files.items():
        if path == MANIFEST_NAME or path.startswith(f"{SOLVER_FOLDER}/"):
            write_file(folder / path, file.data)


def _made_by(origin: Origin) -> MadeBy:
    """Return how the answers were made, as the original report says it, and that they were scored again."""
    before = origin.report.report.made_by
    kept = {name: getattr(before, name) for name in MadeBy.__struct_fields__ if name not in ("tool", "how")}
    return MadeBy(tool=TOOL, how="rescore", **kept)
