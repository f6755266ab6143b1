"""Whether a protocol's folder holds exactly the sealed bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sitegen.digests import Digest, is_digest, parse_sums
from sitegen.read.files import SourceFile, likely_cause
from sitegen.read.library import ProtocolFolder
from sitegen.read.pack import part_digest
from sitegen.read.protocol import (
    DRAFT_NAME,
    NOT_SEALED,
    PENDING,
    SEALED_NAME,
    SUMS_NAME,
    DraftProtocol,
    SealedProtocol,
    read_draft,
)
from sitegen.refusals import Refusal, Refused
from sitegen.verify.verified import Role

_SLUGS: Mapping[Role, str] = {"dataset": "dataset-drift", "metric": "metric-drift", "null pack": "null-pack-drift"}


def role_of(path: str, protocol: DraftProtocol) -> Role:
    """Return what the file at ``path`` is to the exam."""
    if path == DRAFT_NAME:
        return "draft"
    parts: tuple[tuple[Role, str], ...] = (
        ("dataset", protocol.dataset.path),
        ("metric", protocol.metric.module),
        ("null pack", protocol.null_pack.path),
    )
    for role, stated in parts:
        plain = stated.removeprefix("./")
        if path == plain or path.startswith(f"{plain}/"):
            return role
    return "oracle" if path.startswith("oracles/") else "other"


def find_drift(protocol: SealedProtocol, folder: ProtocolFolder) -> list[Refusal]:
    """Return every difference between the folder and its seal."""
    sums = folder.files.get(SUMS_NAME)
    if sums is None:
        path = f"{folder.path}/{SUMS_NAME}"
        return [Refusal(slug="seal-incomplete", file=path, expected="the list of sealed files", found="nothing")]
    if sums.sha256 != protocol.seal.sums_sha256:
        return [_drift("file-drift", sums, protocol.seal.sums_sha256, "")]
    try:
        listed = dict(parse_sums(sums.data))
    except (ValueError, UnicodeDecodeError) as error:
        return [Refusal(slug="seal-incomplete", file=sums.path, expected="sha256sum lines", found=str(error))]
    return [
        *_listed_files(protocol, folder, listed),
        *_unlisted_files(folder, listed),
        *_stated_digests(protocol, folder, listed),
        *_draft_differs(protocol, folder),
    ]


def _listed_files(protocol: SealedProtocol, folder: ProtocolFolder, listed: Mapping[str, Digest]) -> Iterator[Refusal]:
    unreadable = {fault.file for fault in folder.faults}
    for path, digest in listed.items():
        source = folder.files.get(path)
        if path in NOT_SEALED:
            found = f"{path} in the list"
            yield Refusal(
                slug="seal-incomplete", file=f"{folder.path}/{SUMS_NAME}", expected="sealed files", found=found
            )
        elif source is None and f"{folder.path}/{path}" not in unreadable:
            yield Refusal(slug="file-missing", file=f"{folder.path}/{path}", expected=digest, found="nothing")
        elif source is not None and source.sha256 != digest:
            yield _drift(_SLUGS.get(role_of(path, protocol), "file-drift"), source, digest, "")


def _unlisted_files(folder: ProtocolFolder, listed: Mapping[str, Digest]) -> Iterator[Refusal]:
    for path in folder.files:
        if path not in listed and path not in NOT_SEALED:
            expected = "a file that protocol.sums lists"
            yield Refusal(slug="file-unlisted", file=f"{folder.path}/{path}", expected=expected, found=path)


def _stated_digests(
    protocol: SealedProtocol, folder: ProtocolFolder, listed: Mapping[str, Digest]
) -> Iterator[Refusal]:
    """Yield where the document states another digest of a part than the sealed list of files gives."""
    parts = (
        ("dataset-drift", "/dataset/sha256", protocol.dataset.path, protocol.dataset.sha256),
        ("metric-drift", "/metric/sha256", protocol.metric.module, protocol.metric.sha256),
        ("null-pack-drift", "/null_pack/sha256", protocol.null_pack.path, protocol.null_pack.sha256),
    )
    for slug, where, path, stated in parts:
        found = part_digest(listed, path)
        if found != stated:
            file = f"{folder.path}/{SEALED_NAME}"
            yield Refusal(slug=slug, file=file, path=where, expected=stated, found=found)


def _draft_differs(protocol: SealedProtocol, folder: ProtocolFolder) -> Iterator[Refusal]:
    """Yield ``protocol-drift`` for each field in which the sealed document is not the draft with its digests filled."""
    source = folder.files.get(DRAFT_NAME)
    if source is None:
        return
    try:
        draft = read_draft(source)
    except Refused as refused:
        yield from refused.refusals
        return
    for name in DraftProtocol.__struct_fields__:
        sealed_part, draft_part = getattr(protocol, name), getattr(draft, name)
        if _without_digest(sealed_part, draft_part) != draft_part:
            file = f"{folder.path}/{SEALED_NAME}"
            expected = "what the draft says, with its digests filled"
            yield Refusal(slug="protocol-drift", file=file, path=f"/{name}", expected=expected, found="something else")


def _without_digest(sealed: object, draft: object) -> object:
    """Return the sealed part with the draft's pending digest, so that only the rest is compared."""
    if getattr(draft, "sha256", None) != PENDING or not is_digest(getattr(sealed, "sha256", None)):
        return sealed
    fields = {name: getattr(sealed, name) for name in getattr(sealed, "__struct_fields__", ())}
    return type(sealed)(**{**fields, "sha256": PENDING})


def _drift(slug: str, source: SourceFile, expected: Digest, path: str) -> Refusal:
    return Refusal(
        slug=slug,
        file=source.path,
        path=path,
        expected=expected,
        found=source.sha256,
        hint=likely_cause(source.data, expected),
    )
