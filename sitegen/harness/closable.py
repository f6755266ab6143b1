"""Whether a run may be closed: the verifier is asked of it as it would stand, before its end is recorded for ever.

An end is never taken back, and one report that is refused keeps a whole site from being published. What is refused
here leaves the run open.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from sitegen.digests import Digest, sha256
from sitegen.harness.opening import OpenRun
from sitegen.harness.secrecy import find_published_secrets
from sitegen.read.files import SourceFile, Tree
from sitegen.read.ledger import Event, Ledger, event_bytes
from sitegen.read.library import REPORTS, RunFolder, read_exam, read_run, read_run_folder
from sitegen.read.report import REPORT_NAME
from sitegen.read.salting import unsalted_digest
from sitegen.read.transcript import TRANSCRIPTS_NAME, Transcript, read_transcripts
from sitegen.refusals import Refusal, Refused, faults
from sitegen.verify.chain import RunHistory, histories_of
from sitegen.verify.commitments import published_run_files
from sitegen.verify.verified import VerifiedUnit
from sitegen.verify.verifier import verify_unit


def end_fields(run: OpenRun, **fields: Any) -> dict[str, Any]:
    """Return the fields of the run's end but its parents and its time; ``fields`` say how it ended."""
    return {
        "event": "end",
        "run_id": run.run_id,
        "protocol_sha256": run.protocol_sha256,
        "start_sha256": None if run.rescored_from is None else run.start_sha256,
        **fields,
    }


def find_closing_faults(run: OpenRun, transcripts: Sequence[Transcript], files: Mapping[str, bytes]) -> list[Refusal]:
    """Return every fault that a build would find in ``run`` once it is closed; none where it is only a rehearsal.

    That its metric was not yet run again, where the protocol asks for that, is none: it comes after the end.

    Args:
        run: an open run.
        transcripts: of the run, under the true ids.
        files: what its closing will write into the run's folder, by name: transcripts and report, a judge's verdicts.

    Raises:
        Refused: the site's settings cannot be used, or another run's file cannot be read.
    """
    with Tree(run.root) as tree:
        unit = read_exam(tree, run.protocol.protocol_id)
        folder = read_run_folder(tree, run.protocol.protocol_id, run.run_id)
        closed = dataclasses.replace(
            unit, ledger=_with_end(unit.ledger, run, files), runs=(_with_files(folder, files),)
        )
        verified = verify_unit(closed, any_level=True, origins=partial(read_run, tree))
        found = faults(refusal for one in verified.refused if one.run_id == run.run_id for refusal in one.refusals)
        found += find_published_secrets(tree, _published(verified))
        if run.channel == "scored":
            found += _same_transcripts(tree, run, transcripts, files[TRANSCRIPTS_NAME], unit.ledger)
        return list(dict.fromkeys(found))


def _with_files(folder: RunFolder, files: Mapping[str, bytes]) -> RunFolder:
    made = {
        name: SourceFile(path=f"{folder.path}/{name}", data=data, sha256=sha256(data)) for name, data in files.items()
    }
    written = {source.path for source in made.values()}  # whatever a solver planted there is replaced
    left = tuple(fault for fault in folder.faults if fault.file not in written)
    return dataclasses.replace(folder, files={**folder.files, **made}, faults=left)


def _with_end(ledger: Ledger, run: OpenRun, files: Mapping[str, bytes]) -> Ledger:
    """Return the ledger with the run's end, but for its time; a rehearsal has none."""
    if run.start_sha256 is None:
        return ledger
    named = {"report_sha256": sha256(files[REPORT_NAME]), "transcripts_sha256": sha256(files[TRANSCRIPTS_NAME])}
    latest = max(event.time for event in ledger.events.values())
    end = Event(parents=ledger.heads, time=latest, **end_fields(run, **named))
    return Ledger(events={**ledger.events, sha256(event_bytes(end)): end})


def _published(verified: VerifiedUnit) -> list[SourceFile]:
    """Return the files of the run that a build would publish; none where it would not."""
    if verified.protocol is None:
        return []
    return [file for report in verified.reports for file in published_run_files(verified.protocol, report).values()]


def _same_transcripts(
    tree: Tree, run: OpenRun, transcripts: Sequence[Transcript], data: bytes, ledger: Ledger
) -> list[Refusal]:
    """Return ``report-duplicate`` where another scored run of the exam was closed with the same transcripts.

    Those of a hidden test set have salts of their own each time they are scored, and are compared without.
    """
    histories = {run_id: of for run_id, of in histories_of(ledger).items() if run_id != run.run_id and _counts(of)}
    folder = f"{REPORTS}/{run.protocol.protocol_id}"
    if run.protocol.publish.evidence == "full":
        same = [run_id for run_id, of in histories.items() if of.end and of.end[1].transcripts_sha256 == sha256(data)]
    else:
        ours = unsalted_digest(transcripts)
        same = [run_id for run_id in histories if _unsalted_at(tree, f"{folder}/{run_id}/{TRANSCRIPTS_NAME}") == ours]
    file, expected = f"{folder}/{run.run_id}/{TRANSCRIPTS_NAME}", "transcripts of its own"
    return [
        Refusal(slug="report-duplicate", file=file, expected=expected, found=f"those of {run_id}")
        for run_id in same[:1]
    ]


def _counts(history: RunHistory) -> bool:
    """Tell whether a report of this run is published, as far as the ledger tells."""
    scored = history.rescored or (history.start is not None and history.start[1].channel == "scored")
    closed = history.end is not None and history.end[1].report_sha256 is not None
    return scored and closed and history.withdrawal is None


def _unsalted_at(tree: Tree, path: str) -> Digest | None:
    """Return the digest of another run's transcripts without their salts; ``None`` where they cannot be read."""
    try:
        return unsalted_digest(read_transcripts(tree.read(path)))
    except Refused:
        return None  # whatever is wrong there, this run is not to blame
