"""Seal an exam: fill its digests by key, list every file, record the seal. A seal is never edited in place."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sitegen.digests import Digest, sha256, sums_listing
from sitegen.harness.disk import write_file
from sitegen.harness.ledgering import append_event, ledger_of
from sitegen.harness.outlook import outlook_value
from sitegen.harness.secrecy import find_published_secrets
from sitegen.harness.yaml_text import yaml_text
from sitegen.read.files import SourceFile, Tree
from sitegen.read.library import PROTOCOLS, ProtocolFolder, read_protocol_folder
from sitegen.read.names import confusable_ids
from sitegen.read.pack import Pack, part_digest, read_pack
from sitegen.read.protocol import (
    COMMITMENTS_NAME,
    DRAFT_NAME,
    NOT_SEALED,
    PENDING,
    SALT_NAME,
    SEALED_NAME,
    SUMS_NAME,
    DraftProtocol,
    SealedDocument,
    read_draft,
    read_sealed,
)
from sitegen.read.strict_yaml import parse_yaml
from sitegen.refusals import Misuse, Refusal, Refused
from sitegen.verify.commitments import commitments_to, hidden_roles
from sitegen.verify.drift import role_of
from sitegen.verify.sealing import find_sealing_faults, reserved_names


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealing:
    """A draft that may be sealed, and the files that sealing writes: two, and for a hidden test set two more.

    These are a salt, and the commitments that a copy of the folder without its hidden files must hold.
    """

    document: SealedDocument
    pack: Pack = field(repr=False)
    sealed: bytes = field(repr=False)
    sums: bytes = field(repr=False)
    salt: bytes | None = field(repr=False)
    commitments: bytes | None = field(repr=False)
    already: bool


def prepare_seal(root: Path, protocol_id: str) -> Sealing:
    """Return what sealing would write; nothing is written.

    Raises:
        Refused: every reason why this exam may not be sealed.
        Misuse: there is no such protocol.
    """
    with Tree(root) as tree:
        folder = read_protocol_folder(tree, protocol_id)
        siblings = tree.folders(PROTOCOLS)
    if DRAFT_NAME not in folder.files and not folder.faults:
        raise Misuse(f"{PROTOCOLS}/{protocol_id} holds no {DRAFT_NAME}")
    faults = [*folder.faults, *reserved_names(folder.path, folder.files)]
    faults += [fault for fault in confusable_ids(siblings) if protocol_id in (fault.file.split("/")[-1], fault.found)]
    if faults:
        raise Refused(faults)
    source = folder.files[DRAFT_NAME]
    draft = read_draft(source)
    pack = read_pack(draft, folder.path, folder.files, source.path)
    faults = [*_metric_missing(draft, folder), *_wrong_digests(draft, folder, source.path)]
    faults += [*find_sealing_faults(draft, pack, source.path), *_published_secrets(root, draft, folder)]
    if faults:
        raise Refused(faults)
    salt = _new_salt(draft, folder)
    digests = {path: file.sha256 for path, file in folder.files.items() if path not in NOT_SEALED}
    sums = sums_listing(digests if salt is None else {**digests, SALT_NAME: sha256(salt)})
    sealed = _sealed_text(source, draft, folder, pack, sums).encode()
    path = f"{folder.path}/{SEALED_NAME}"
    document = read_sealed(SourceFile(path=path, data=sealed, sha256=sha256(sealed)))
    already = _sealed_before(root, folder, document)
    commitments = _commitments(draft, folder, salt)
    return Sealing(
        document=document, pack=pack, sealed=sealed, sums=sums, salt=salt, commitments=commitments, already=already
    )


def write_seal(root: Path, sealing: Sealing) -> Digest:
    """Write the files and record the seal; return the seal event's digest. A seal that stands already is kept.

    Raises:
        OSError: they cannot be written.
    """
    protocol_id = sealing.document.protocol.protocol_id
    ledger = ledger_of(root, protocol_id)
    folder = root / PROTOCOLS / protocol_id
    if sealing.salt is not None:
        write_file(folder / SALT_NAME, sealing.salt)
    if sealing.commitments is not None:
        write_file(folder / COMMITMENTS_NAME, sealing.commitments)
    write_file(folder / SUMS_NAME, sealing.sums)
    write_file(folder / SEALED_NAME, sealing.sealed)
    for digest, event in ledger.of("seal"):
        if event.protocol_sha256 == sealing.document.sha256:
            return digest
    return append_event(root, protocol_id, event="seal", protocol_sha256=sealing.document.sha256)


def _new_salt(draft: DraftProtocol, folder: ProtocolFolder) -> bytes | None:
    """Return a salt for what the protocol will not publish; ``None`` where it needs none or has one."""
    if draft.publish.evidence == "full" or SALT_NAME in folder.files:
        return None
    return f"{secrets.token_hex(32)}\n".encode()


def _commitments(draft: DraftProtocol, folder: ProtocolFolder, salt: bytes | None) -> bytes | None:
    """Return the list of commitments to the hidden files; ``None`` where all is published."""
    if draft.publish.evidence == "full":
        return None
    files = {path: source.data for path, source in folder.files.items()}
    return sums_listing(commitments_to(draft, files, files[SALT_NAME] if salt is None else salt))


def _published_secrets(root: Path, draft: DraftProtocol, folder: ProtocolFolder) -> list[Refusal]:
    """Return what looks like a key in what would be published: once it is sealed, no build publishes the exam."""
    hidden = hidden_roles(draft, ())
    sealed = ((path, source) for path, source in folder.files.items() if path not in NOT_SEALED)
    shown = [source for path, source in sealed if role_of(path, draft) not in hidden]
    with Tree(root) as tree:
        return find_published_secrets(tree, shown)


def _metric_missing(draft: DraftProtocol, folder: ProtocolFolder) -> list[Refusal]:
    path = draft.metric.module.removeprefix("./")
    if path in folder.files and path not in NOT_SEALED:
        return []
    file, expected = f"{folder.path}/{DRAFT_NAME}", "a sealed file of the folder"
    return [Refusal(slug="file-missing", file=file, path="/metric/module", expected=expected, found=path)]


def _wrong_digests(draft: DraftProtocol, folder: ProtocolFolder, file: str) -> list[Refusal]:
    """Refusals of digests that the draft states already and that are not right."""
    stated = (
        ("dataset-drift", "/dataset/sha256", draft.dataset.sha256, draft.dataset.path),
        ("metric-drift", "/metric/sha256", draft.metric.sha256, draft.metric.module),
        ("null-pack-drift", "/null_pack/sha256", draft.null_pack.sha256, draft.null_pack.path),
    )
    return [
        Refusal(slug=slug, file=file, path=where, expected=digest, found=part_digest(folder.digests, path))
        for slug, where, digest, path in stated
        if digest not in (PENDING, part_digest(folder.digests, path))
    ]


def _sealed_text(source: SourceFile, draft: DraftProtocol, folder: ProtocolFolder, pack: Pack, sums: bytes) -> str:
    value: dict[str, Any] = parse_yaml(source.data, source.path)
    value["dataset"]["sha256"] = pack.dataset_sha256
    value["metric"]["sha256"] = part_digest(folder.digests, draft.metric.module)
    value["null_pack"]["sha256"] = pack.null_pack_sha256
    value["seal"] = {
        "sums_sha256": sha256(sums),
        "n": len(pack.ordinary),
        "n_negative": len(pack.negative),
        "n_null_pack": len(pack.null_pack),
        "outlook": outlook_value(draft, pack),
    }
    return yaml_text(value)


def _sealed_before(root: Path, folder: ProtocolFolder, document: SealedDocument) -> bool:
    """Tell whether this very seal stands already; refuse where the id was sealed with other bytes."""
    protocol_id = document.protocol.protocol_id
    seals = ledger_of(root, protocol_id).of("seal")
    earlier = [event.protocol_sha256 for _, event in seals if event.protocol_sha256 != document.sha256]
    standing = folder.files.get(SEALED_NAME)
    if standing is not None and standing.sha256 != document.sha256:
        earlier.append(standing.sha256)
    if earlier:
        raise Refused(
            [
                Refusal(
                    slug="protocol-id-resealed",
                    file=f"{folder.path}/{SEALED_NAME}",
                    expected=earlier[0],
                    found=document.sha256,
                )
            ]
        )
    return bool(seals)
