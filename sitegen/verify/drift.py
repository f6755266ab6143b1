"""Whether a protocol's folder holds exactly the sealed bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sitegen.digests import Digest, parse_sums
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


def find_drift(protocol: SealedProtocol, folder: ProtocolFolder, hidden: frozenset[Role]) -> list[Refusal]:
    """Return every difference between the folder and its seal. Files of the ``hidden`` roles may be absent."""
    sums = folder.files.get(SUMS_NAME)
    if sums is None and hidden:
        return [*_without_list(protocol, folder, hidden), *_draft_differs(protocol, folder)]
    if sums is None:
        path = f"{folder.path}/{SUMS_NAME}"
        return [Refusal(slug="seal-incomplete", file=path, expected="the list of sealed files", found="nothing")]
    if sums.sha256 != protocol.seal.sums_sha256:
        return [_drift("file-drift", sums, protocol.seal.sums_sha256)]
    try:
        listed = dict(parse_sums(sums.data))
    except ValueError as error:
        return [Refusal(slug="seal-incomplete", file=sums.path, expected="sha256sum lines", found=str(error))]
    return [
        *_listed_files(protocol, folder, listed, hidden),
        *_unlisted_files(folder, listed),
        *_stated_digests(protocol, folder, listed),
        *_draft_differs(protocol, folder),
    ]


def _listed_files(
    protocol: SealedProtocol, folder: ProtocolFolder, listed: Mapping[str, Digest], hidden: frozenset[Role]
) -> Iterator[Refusal]:
    unreadable = {fault.file for fault in folder.faults}
    for path, digest in listed.items():
        source = folder.files.get(path)
        if path in NOT_SEALED:
            found = f"{path} in the list"
            yield Refusal(
                slug="seal-incomplete", file=f"{folder.path}/{SUMS_NAME}", expected="sealed files", found=found
            )
        elif source is None:
            if f"{folder.path}/{path}" not in unreadable and role_of(path, protocol) not in hidden:
                yield Refusal(slug="file-missing", file=f"{folder.path}/{path}", expected=digest, found="nothing")
        elif source.sha256 != digest:
            yield _drift(_SLUGS.get(role_of(path, protocol), "file-drift"), source, digest)


def _without_list(protocol: SealedProtocol, folder: ProtocolFolder, hidden: frozenset[Role]) -> Iterator[Refusal]:
    """Yield where the files of a hidden test set are not the sealed ones, by the sealed document alone.

    Its list of files is withheld, since bare digests can be guessed; it names the digests of three parts.
    """
    for role, slug, where, path, stated in _parts(protocol):
        here = [name for name in folder.files if role_of(name, protocol) == role]
        found = part_digest(folder.digests, path)
        if here and found != stated:
            file = f"{folder.path}/{path.removeprefix('./')}"
            yield Refusal(slug=slug, file=file, path=where, expected=stated, found=found)
        elif not here and role not in hidden:
            yield Refusal(slug="file-missing", file=f"{folder.path}/{path}", expected=stated, found="nothing")
    if DRAFT_NAME not in folder.files:
        yield Refusal(slug="file-missing", file=f"{folder.path}/{DRAFT_NAME}", expected="the draft", found="nothing")
    for path in folder.files:
        if path not in NOT_SEALED and role_of(path, protocol) in ("oracle", "other"):
            expected = f"{SUMS_NAME} beside it, which lists it"
            yield Refusal(slug="file-unlisted", file=f"{folder.path}/{path}", expected=expected, found=path)


def _unlisted_files(folder: ProtocolFolder, listed: Mapping[str, Digest]) -> Iterator[Refusal]:
    for path in folder.files:
        if path not in listed and path not in NOT_SEALED:
            expected = "a file that protocol.sums lists"
            yield Refusal(slug="file-unlisted", file=f"{folder.path}/{path}", expected=expected, found=path)


def _stated_digests(
    protocol: SealedProtocol, folder: ProtocolFolder, listed: Mapping[str, Digest]
) -> Iterator[Refusal]:
    """Yield where the document states another digest of a part than the sealed list of files gives."""
    for _, slug, where, path, stated in _parts(protocol):
        found = part_digest(listed, path)
        if found != stated:
            file = f"{folder.path}/{SEALED_NAME}"
            yield Refusal(slug=slug, file=file, path=where, expected=stated, found=found)


def _parts(protocol: SealedProtocol) -> tuple[tuple[Role, str, str, str, Digest], ...]:
    """Return (role, slug of its drift, place of its digest, path, digest) of the parts that the document names."""
    return (
        ("dataset", _SLUGS["dataset"], "/dataset/sha256", protocol.dataset.path, protocol.dataset.sha256),
        ("metric", _SLUGS["metric"], "/metric/sha256", protocol.metric.module, protocol.metric.sha256),
        ("null pack", _SLUGS["null pack"], "/null_pack/sha256", protocol.null_pack.path, protocol.null_pack.sha256),
    )


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
    if getattr(draft, "sha256", None) != PENDING:
        return sealed
    fields = {name: getattr(sealed, name) for name in getattr(sealed, "__struct_fields__", ())}
    return type(sealed)(**{**fields, "sha256": PENDING})


def _drift(slug: str, source: SourceFile, expected: Digest) -> Refusal:
    hint = likely_cause(source, expected)
    return Refusal(slug=slug, file=source.path, expected=expected, found=source.sha256, hint=hint)
