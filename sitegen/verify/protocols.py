"""A protocol's folder → the parts of a verified protocol, or every reason against it."""

from __future__ import annotations

from dataclasses import dataclass, field

from sitegen.digests import Digest, parse_sums
from sitegen.read.ledger import Event
from sitegen.read.library import ProtocolFolder, Unit
from sitegen.read.pack import Pack, read_pack
from sitegen.read.protocol import (
    COMMITMENTS_NAME,
    DRAFT_NAME,
    NOT_SEALED,
    REVEALED_NAME,
    SALT_NAME,
    SEALED_NAME,
    SUMS_NAME,
    SealedDocument,
    SealedProtocol,
    read_draft,
    read_sealed,
)
from sitegen.read.revealed import read_revealed
from sitegen.refusals import Refusal, Refused, faults
from sitegen.verify.commitments import find_commitment_faults, hidden_roles
from sitegen.verify.drift import find_drift, role_of
from sitegen.verify.sealing import find_sealing_faults, reserved_names
from sitegen.verify.verified import SealedFile, needed


@dataclass(frozen=True, slots=True, kw_only=True)
class SoundProtocol:
    """A sealed document without a fault, with the folder it stands in, its pack and its seal event.

    There is no pack where sealed files of a hidden test set are ``withheld``: not here.
    """

    document: SealedDocument
    folder: ProtocolFolder = field(repr=False)
    whole_pack: Pack | None = field(repr=False)
    files: tuple[SealedFile, ...]
    withheld: tuple[str, ...]
    seal: tuple[Digest, Event]

    @property
    def pack(self) -> Pack:
        """The tasks, rows and oracles; refused where sealed files are withheld."""
        return needed(self.whole_pack, f"protocols/{self.document.protocol.protocol_id}", self.withheld)


def examine_protocol(unit: Unit) -> tuple[SoundProtocol | None, list[Refusal]]:
    """Return the sound protocol, or ``None`` and every reason; a withdrawal is a reason beside a sound protocol."""
    folder = unit.protocol
    if folder is None:
        file = f"protocols/{unit.protocol_id}"
        return None, [Refusal(slug="seal-missing", file=file, expected="a sealed protocol", found="no such folder")]
    if not folder.is_sealed and not unit.ledger.of("seal"):
        return None, _draft(unit, folder)
    if SEALED_NAME not in folder.files:
        file = f"{folder.path}/{SEALED_NAME}"
        expected = next((event.protocol_sha256 for _, event in unit.ledger.of("seal")), "a sealed protocol")
        return None, [*folder.faults, Refusal(slug="seal-missing", file=file, expected=expected, found="nothing")]
    identity = _identity_faults(unit, folder)
    try:
        document = read_sealed(folder.files[SEALED_NAME])
    except Refused as refused:
        return None, [*identity, *(refused.refusals if not identity else ())]
    hidden = hidden_roles(document.protocol, folder.files)
    found = [
        *folder.faults,
        *identity,
        *find_drift(document.protocol, folder, hidden),
        *_reveal_faults(document, folder),
        *reserved_names(folder.path, folder.files),
    ]
    if faults(found):
        return None, found
    withheld = _withheld(folder)
    pack = None
    try:
        found = list(find_commitment_faults(document.protocol, folder, withheld))
        if not withheld and not found:
            pack, found = _whole_pack(document, folder)
    except Refused as refused:
        return None, list(refused.refusals)
    if found:
        return None, found
    sound = SoundProtocol(
        document=document,
        folder=folder,
        whole_pack=pack,
        files=_sealed_files(document, folder),
        withheld=withheld,
        seal=unit.ledger.of("seal")[0],
    )
    return sound, _withdrawal(unit)


def _whole_pack(document: SealedDocument, folder: ProtocolFolder) -> tuple[Pack, list[Refusal]]:
    """Return the pack, and why it may not have been sealed."""
    pack = read_pack(document.protocol, folder.path, folder.files, f"{folder.path}/{SEALED_NAME}")
    found = find_sealing_faults(document.protocol, pack, f"{folder.path}/{SEALED_NAME}")
    return pack, [*found, *_seal_block_faults(document.protocol, pack, folder)]


def _withheld(folder: ProtocolFolder) -> tuple[str, ...]:
    """Return the sealed files that are not here, by the list of files or, where that is withheld, by what is committed.

    Which may be absent was judged before.
    """
    sums, commitments = folder.files.get(SUMS_NAME), folder.files.get(COMMITMENTS_NAME)
    source = sums or commitments
    try:
        named = set() if source is None else {path for path, _ in parse_sums(source.data)}
    except ValueError:
        named = set()  # find_commitment_faults says why
    named |= {SALT_NAME} if sums is None else set()
    return tuple(sorted(named - folder.files.keys()))


def _reveal_faults(document: SealedDocument, folder: ProtocolFolder) -> list[Refusal]:
    """Return what is wrong with the record that a hidden test set was revealed, where there is one."""
    source = folder.files.get(REVEALED_NAME)
    if source is None:
        return []
    try:
        record = read_revealed(source)
    except Refused as refused:
        return list(refused.refusals)
    pairs = (
        ("/protocol_id", document.protocol.protocol_id, record.protocol_id),
        ("/protocol_sha256", document.sha256, record.protocol_sha256),
    )
    return [
        Refusal(slug="protocol-drift", file=source.path, path=path, expected=expected, found=found)
        for path, expected, found in pairs
        if expected != found
    ]


def _draft(unit: Unit, folder: ProtocolFolder) -> list[Refusal]:
    """Refusals of a folder without a seal: an honest draft, or reports that have no exam."""
    if unit.runs or unit.ledger.events:
        expected = "a seal made before the first run"
        return [*folder.faults, Refusal(slug="seal-missing", file=folder.path, expected=expected, found="a draft")]
    if folder.faults:
        return list(folder.faults)
    file = f"{folder.path}/{DRAFT_NAME}"
    try:
        if DRAFT_NAME in folder.files:
            read_draft(folder.files[DRAFT_NAME])
        else:
            return [Refusal(slug="file-missing", file=file, expected="the draft", found="nothing")]
    except Refused as refused:
        return [Refusal(slug="protocol-draft", file=file, hint=f"not ready to be sealed: {refused}")]
    return [Refusal(slug="protocol-draft", file=file)]


def _identity_faults(unit: Unit, folder: ProtocolFolder) -> list[Refusal]:
    """Compare the sealed document with the seal event; two different seals are the chain's matter."""
    source = folder.files[SEALED_NAME]
    identities = {event.protocol_sha256 for _, event in unit.ledger.of("seal")}
    if not identities:
        found = "no seal event in the ledger"
        return [Refusal(slug="seal-missing", file=source.path, expected=source.sha256, found=found)]
    if source.sha256 in identities:
        return []
    return [Refusal(slug="protocol-drift", file=source.path, expected=min(identities), found=source.sha256)]


def _seal_block_faults(protocol: SealedProtocol, pack: Pack, folder: ProtocolFolder) -> list[Refusal]:
    sizes = (
        ("n", protocol.seal.n, len(pack.ordinary)),
        ("n_negative", protocol.seal.n_negative, len(pack.negative)),
        ("n_null_pack", protocol.seal.n_null_pack, len(pack.null_pack)),
    )
    file = f"{folder.path}/{SEALED_NAME}"
    return [
        Refusal(slug="seal-incomplete", file=file, path=f"/seal/{name}", expected=str(size), found=str(stated))
        for name, stated, size in sizes
        if stated != size
    ]


def _sealed_files(document: SealedDocument, folder: ProtocolFolder) -> tuple[SealedFile, ...]:
    return tuple(
        SealedFile(path=path, role=role_of(path, document.protocol), size=source.size, sha256=source.sha256)
        for path, source in folder.files.items()
        if path not in NOT_SEALED
    )


def _withdrawal(unit: Unit) -> list[Refusal]:
    return [
        Refusal(slug="protocol-withdrawn", file=f"protocols/{unit.protocol_id}", found=f"{event.time}: {event.reason}")
        for _, event in unit.ledger.of("withdraw")
        if event.run_id is None
    ][:1]
