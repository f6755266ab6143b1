r"""Hidden test sets: what of a protocol and of a run is published at each evidence level, and commitments to the rest.

A bare sha256 of a short oracle can be guessed by trying answers. So a protocol that does not publish its evidence in
full is sealed with a file ``salt`` of random characters; its hidden files are published as commitments, which a reader
can check when the salt and the files are revealed::

    (cat salt; printf '%s\n' PATH; cat PATH) | sha256sum

An answer's digest in a report is salted by the ``salt`` in its transcript's ``extra``: ``sha256(salt + answer)``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import get_args

from sitegen.digests import Digest, parse_sums, sha256
from sitegen.read.files import SourceFile
from sitegen.read.library import RECEIPT_NAME, SOLVER_FOLDER, ProtocolFolder
from sitegen.read.manifest import MANIFEST_NAME
from sitegen.read.pack import Pack
from sitegen.read.protocol import (
    COMMITMENTS_NAME,
    NOT_SEALED,
    NOTES_NAME,
    REVEALED_NAME,
    SALT_NAME,
    SEALED_NAME,
    SUMS_NAME,
    DraftProtocol,
)
from sitegen.read.report import REPORT_NAME
from sitegen.read.tasks import Task
from sitegen.refusals import Refusal
from sitegen.verify.drift import role_of
from sitegen.verify.verified import Role, VerifiedProtocol, VerifiedReport

SALT_LENGTH = 32
"""Fewest characters of a salt; drawn from hexadecimal digits they carry 128 bits."""

_SHOWN_ROLES: Mapping[str, frozenset[Role]] = {
    "full": frozenset(("draft", "dataset", "metric", "null pack", "oracle", "other")),
    "outcomes": frozenset(("draft", "metric")),
    "digests": frozenset(("draft",)),
}
_SHOWN_RUN_FILES = frozenset((REPORT_NAME, MANIFEST_NAME, RECEIPT_NAME))
"""Files of a run that are published at every level: every number on a page follows from the report's rows."""


def commitment(salt: bytes, path: str, data: bytes) -> Digest:
    """Return the commitment to a hidden file; its path is part of it, so that equal files have different ones."""
    return sha256(salt + f"{path}\n".encode() + data)


def hidden_roles(protocol: DraftProtocol, files: Collection[str]) -> frozenset[Role]:
    """Return the roles whose files need not be here: those that the level hides, until the owner revealed them."""
    level = "full" if REVEALED_NAME in files else protocol.publish.evidence
    return frozenset(get_args(Role)) - _SHOWN_ROLES[level]


def commitments_to(protocol: DraftProtocol, files: Mapping[str, bytes], salt: bytes) -> dict[str, Digest]:
    """Return the commitment to every file that the level hides, by path; ``files`` are the folder's bytes."""
    hidden = hidden_roles(protocol, ())
    return {
        path: commitment(salt, path, data)
        for path, data in files.items()
        if path not in NOT_SEALED and path != SALT_NAME and role_of(path, protocol) in hidden
    }


def published_files(protocol: VerifiedProtocol) -> dict[str, SourceFile]:
    """Return the files of a protocol that its evidence level publishes, by path."""
    level = protocol.level
    names = [SEALED_NAME, *([SUMS_NAME] if level == "full" else [])]
    names += [name for name in (REVEALED_NAME, NOTES_NAME) if name in protocol.sources]
    names += [file.path for file in protocol.files if file.role in _SHOWN_ROLES[level]]
    return {name: protocol.sources[name] for name in names}


def published_run_files(protocol: VerifiedProtocol, report: VerifiedReport) -> dict[str, SourceFile]:
    """Return the files of a run that the evidence level and the manifest publish, by path."""
    shows_solver = report.manifest.publish_solver and protocol.level != "digests"

    def shown(name: str) -> bool:
        if name.startswith(f"{SOLVER_FOLDER}/"):
            return shows_solver
        return protocol.level == "full" or name in _SHOWN_RUN_FILES

    return {name: source for name, source in report.folder.files.items() if shown(name)}


def commitments_of(protocol: VerifiedProtocol) -> dict[str, Digest]:
    """Return the commitment to every hidden file by path; none where all is published, or nothing salts them."""
    if protocol.level == "full":
        return {}
    listed, salt = protocol.sources.get(COMMITMENTS_NAME), protocol.sources.get(SALT_NAME)
    if listed is not None:
        return dict(parse_sums(listed.data))
    files = {path: source.data for path, source in protocol.sources.items()}
    return {} if salt is None else commitments_to(protocol.protocol, files, salt.data)


def guessable_parts(protocol: DraftProtocol, pack: Pack) -> list[str]:
    """Return a sentence for each pack of a hidden protocol whose stated digest could give its answers away.

    The digest of a pack stands in the sealed document. Where the pack holds its oracles, somebody who knows the
    questions can try answers against it, unless a row holds a salt.
    """
    if protocol.publish.evidence == "full":
        return []
    parts: tuple[tuple[str, str, tuple[Task, ...]], ...] = (
        ("dataset", protocol.dataset_oracle, pack.dataset),
        ("null pack", protocol.null_pack_oracle, pack.null_pack),
    )
    return [
        f"the {name} holds its oracles and no row has a `salt` of {SALT_LENGTH} random characters:"
        " whoever knows the questions can try answers against its published digest"
        for name, form, tasks in parts
        if form == "inline" and not any(len(task.salt or "") >= SALT_LENGTH for task in tasks)
    ]


def find_unopened(published: bytes, files: Mapping[str, SourceFile], file: str) -> Iterator[Refusal]:
    """Yield ``evidence-commitment`` for each published commitment that the revealed files do not open.

    ``files`` are those of the protocol's folder, the salt among them; ``file`` names the published list.
    """
    salt = files.get(SALT_NAME)
    if salt is None:
        yield Refusal(slug="evidence-commitment", file=file, expected=f"the file {SALT_NAME}", found="nothing")
        return
    try:
        listed = list(parse_sums(published))
    except ValueError as error:
        yield Refusal(slug="evidence-commitment", file=file, expected="sha256sum lines", found=str(error))
        return
    for path, expected in listed:
        source = files.get(path)
        found = "nothing" if source is None else commitment(salt.data, path, source.data)
        if found != expected:
            yield Refusal(slug="evidence-commitment", file=file, path=path, expected=expected, found=found)


def find_commitment_faults(
    protocol: DraftProtocol, folder: ProtocolFolder, withheld: Collection[str]
) -> Iterator[Refusal]:
    """Yield where ``commitments.sums`` is not the list of the hidden files, or a file that is here does not open it.

    ``withheld`` are the sealed files that are not here; without commitments nothing would bind them.
    """
    source, file = folder.files.get(COMMITMENTS_NAME), f"{folder.path}/{COMMITMENTS_NAME}"
    if source is None:
        if withheld:
            expected = f"commitments to {len(withheld)} withheld files"
            yield Refusal(slug="evidence-commitment", file=file, expected=expected, found="nothing")
        return
    try:
        listed = dict(parse_sums(source.data))
    except ValueError as error:
        yield Refusal(slug="evidence-commitment", file=file, expected="sha256sum lines", found=str(error))
        return
    hidden, salt = hidden_roles(protocol, ()), folder.files.get(SALT_NAME)
    here = {path for path in folder.files if path not in NOT_SEALED and role_of(path, protocol) in hidden}
    for path in sorted(({*here, *withheld} - {SALT_NAME}) ^ listed.keys()):
        expected, found = ("a commitment", "none") if path not in listed else ("a hidden file", "no such sealed file")
        yield Refusal(slug="evidence-commitment", file=file, path=path, expected=expected, found=found)
    if salt is None:
        return
    for path in sorted(here & listed.keys()):
        opened = commitment(salt.data, path, folder.files[path].data)
        if opened != listed[path]:
            yield Refusal(slug="evidence-commitment", file=file, path=path, expected=listed[path], found=opened)
