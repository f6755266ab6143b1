"""The exam: ``protocol.yaml`` (draft) and ``protocol.sealed.yaml`` (sealed), as two types."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from sitegen.digests import Digest, is_digest
from sitegen.read.files import SourceFile, check_path
from sitegen.read.schema import Count, DigestText, Format, Identifier, TaskId, pointer, typed
from sitegen.refusals import Refusal, Refused

DRAFT_NAME = "protocol.yaml"
SEALED_NAME = "protocol.sealed.yaml"
SUMS_NAME = "protocol.sums"
NOTES_NAME = "notes.md"
REVEALED_NAME = "revealed.yaml"
SALT_NAME = "salt"
"""Random characters, sealed and hidden with a hidden test set, so that no digest of it can be guessed."""
COMMITMENTS_NAME = "commitments.sums"
"""Salted commitments to the hidden files of a hidden test set, in the form of ``sha256sum``."""
NOT_SEALED = frozenset((SEALED_NAME, SUMS_NAME, COMMITMENTS_NAME, NOTES_NAME, REVEALED_NAME))
"""Files of a protocol's folder that the seal does not cover: those it writes, the owner's prose, and the later record
that a hidden test set was revealed."""

PENDING = "PENDING_SEAL"
SCHEMA = "agent-bench-protocol/v1"

FOUNDING_FLOOR = (20, 10)
"""Ordinary tasks and negative controls below which a scorecard says "below the founding floor"."""

CiMethod = Literal["wilson", "clopper-pearson", "bootstrap"]
Comparable = Literal["retry_limit", "tool_whitelist", "temperature", "model", "decoder", "command", "env"]
Schema = Annotated[Literal["agent-bench-protocol/v1"], Meta(extra={"slug": "schema-unknown"})]
OracleForm = Literal["path", "inline"]


class Dataset(Format, frozen=True, kw_only=True):
    """The pack of tasks: a JSONL file, or a folder of ``.json`` files.

    ``cluster`` names a task field; tasks that share its value may succeed or fail together.
    """

    path: str
    sha256: str
    oracle: OracleForm | None = None
    artifact: Literal["stdout", "workspace-diff"] = "stdout"
    cluster: str | None = None


class Metric(Format, frozen=True, kw_only=True):
    """The module whose ``score(result, oracle_path)`` says pass or fail; ``deterministic`` is false for a judge."""

    module: str
    sha256: str
    deterministic: bool = True


class Budget(Format, frozen=True, kw_only=True):
    """What one task may take: seconds of wall-clock, and files touched (no limit where absent)."""

    timeout_sec: Annotated[float, Meta(gt=0)]
    max_files_touched: Count | None = None


class Rules(Format, frozen=True, kw_only=True):
    """The ids of the null-pack rows by class."""

    must_pass: tuple[TaskId, ...]
    must_fail: tuple[TaskId, ...]
    must_refuse: tuple[TaskId, ...]


class NullPack(Format, frozen=True, kw_only=True):
    """The instrument check that runs first and gates the run; it is not counted."""

    path: str
    sha256: str
    rules: Rules
    oracle: OracleForm | None = None


class Publish(Format, frozen=True, kw_only=True):
    """The publishing rules: floors per slice, interval method, what must be the same, and how much is shown."""

    min_n: Annotated[int, Meta(ge=1)]
    min_n_negative: Annotated[int, Meta(ge=1)] = 10
    require_ci: bool = True
    forbidden_fields: tuple[str, ...] = ("single_percentage_only",)
    ci_method: CiMethod = "wilson"
    same_conditions: tuple[Comparable, ...] = ("retry_limit", "tool_whitelist")
    require_level: Literal["numbers", "re-scored"] = "numbers"
    evidence: Literal["full", "outcomes", "digests"] = "full"


class Seal(Format, frozen=True, kw_only=True):
    """What sealing adds: the digest of ``protocol.sums``, the slices' sizes, and what the exam can distinguish."""

    sums_sha256: DigestText
    n: Count
    n_negative: Count
    n_null_pack: Count
    outlook: dict[str, Any] = {}


class DraftProtocol(Format, frozen=True, kw_only=True):
    """A protocol before sealing. Its digests are :data:`PENDING`, or digests that must turn out right."""

    schema: Schema
    protocol_id: Identifier
    dataset: Dataset
    metric: Metric
    budget: Budget
    null_pack: NullPack
    publish: Publish
    title: str | None = None
    family: Identifier | None = None
    follows: Identifier | None = None
    licence: str | None = None
    authors: tuple[str, ...] | None = None

    @property
    def family_name(self) -> str:
        """The family; by default the id up to its first dot."""
        return self.family or self.protocol_id.split(".", 1)[0]

    @property
    def heading(self) -> str:
        """The title, or the id where there is none."""
        return self.title or self.protocol_id

    @property
    def dataset_oracle(self) -> OracleForm:
        """How the dataset's oracles are given: by default ``path`` for a JSONL file, ``inline`` for a folder."""
        return self.dataset.oracle or ("path" if self.dataset.path.endswith(".jsonl") else "inline")

    @property
    def null_pack_oracle(self) -> OracleForm:
        """How the null pack's oracles are given: as in the dataset unless it says otherwise."""
        return self.null_pack.oracle or self.dataset_oracle


class SealedProtocol(DraftProtocol, frozen=True, kw_only=True):
    """A protocol whose digests are filled; with the sha256 of its file, its identity, in :class:`SealedDocument`."""

    seal: Seal


class SealedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A sealed protocol and the sha256 of the bytes it was read from, which is the protocol's identity."""

    protocol: SealedProtocol
    sha256: Digest


def read_draft(source: SourceFile) -> DraftProtocol:
    """Return the draft in ``source``.

    Raises:
        Refused: every fault of form.
    """
    value = _parsed(source)
    protocol = typed(value, DraftProtocol, source.path)
    faults = list(_faults(protocol, source.path))
    for path, digest in _digests(protocol):
        if digest != PENDING and not is_digest(digest):
            faults.append(_digest_form(source.path, path, digest))
    if faults:
        raise Refused(faults)
    return protocol


def read_sealed(source: SourceFile) -> SealedDocument:
    """Return the sealed protocol in ``source``.

    Raises:
        Refused: every fault of form; ``seal-pending`` where a digest is not filled, ``seal-incomplete`` without a seal.
    """
    value = _parsed(source)
    if isinstance(value, dict) and "seal" not in value:
        raise Refused(
            [Refusal(slug="seal-incomplete", file=source.path, path="/seal", expected="a seal", found="nothing")]
        )
    protocol = typed(value, SealedProtocol, source.path)
    faults = list(_faults(protocol, source.path))
    for path, digest in _digests(protocol):
        if digest == PENDING:
            faults.append(Refusal(slug="seal-pending", file=source.path, path=path, expected="a digest", found=digest))
        elif not is_digest(digest):
            faults.append(_digest_form(source.path, path, digest))
    if faults:
        raise Refused(faults)
    return SealedDocument(protocol=protocol, sha256=source.sha256)


def _parsed(source: SourceFile) -> Any:
    from sitegen.read.strict_yaml import parse_yaml  # a build that makes no page reads no YAML

    return parse_yaml(source.data, source.path)


def _digests(protocol: DraftProtocol) -> list[tuple[str, str]]:
    return [
        ("/dataset/sha256", protocol.dataset.sha256),
        ("/metric/sha256", protocol.metric.sha256),
        ("/null_pack/sha256", protocol.null_pack.sha256),
    ]


def _digest_form(file: str, path: str, digest: str) -> Refusal:
    expected = "64 lower-case hexadecimal characters"
    return Refusal(slug="digest-form", file=file, path=path, expected=expected, found=digest)


def _faults(protocol: DraftProtocol, file: str) -> list[Refusal]:
    """Faults that no type can say: folder, paths, and the one accepted value of ``require_ci``."""
    faults: list[Refusal] = []
    folder = file.rsplit("/", 2)[-2] if file.count("/") else protocol.protocol_id
    if protocol.protocol_id != folder:
        faults.append(
            Refusal(
                slug="protocol-id-form", file=file, path="/protocol_id", expected=folder, found=protocol.protocol_id
            )
        )
    if not protocol.publish.require_ci:
        faults.append(
            Refusal(slug="field-range", file=file, path="/publish/require_ci", expected="true", found="false")
        )
    if protocol.follows == protocol.protocol_id:
        faults.append(
            Refusal(
                slug="rules-contradict", file=file, path="/follows", expected="another id", found=protocol.protocol_id
            )
        )
    named = (("/dataset", "path", protocol.dataset.path), ("/metric", "module", protocol.metric.module))
    for parent, key, path in (*named, ("/null_pack", "path", protocol.null_pack.path)):
        try:
            check_path(path, file, pointer(parent, key))
        except Refused as refused:
            faults.extend(refused.refusals)
    return faults
