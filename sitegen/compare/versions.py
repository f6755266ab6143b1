"""One version of an exam, reduced to what comparing needs: its sealed fields, and digests of questions and answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sitegen.digests import Digest, sha256
from sitegen.read.protocol import OracleForm, SealedProtocol
from sitegen.read.tasks import Task
from sitegen.verify.exposure import Exposure, exposure_of, task_files
from sitegen.verify.verified import VerifiedProtocol

_COMPARED_BY_FIELD = frozenset(("draft", "dataset", "metric", "null pack"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolVersion:
    """A sealed exam without its text: small, and free of anything that could not be sent to another process.

    Attributes:
        protocol: the sealed fields.
        sha256: its identity.
        sealed_at: when, as its seal claims.
        exposure: what the solver sees, by digest.
        answers: per task, the digest of its kind and its oracle's bytes.
        null_answers: per null-pack row, the digest of its class and its oracle's bytes.
        clusters: each task's cluster, where the protocol seals a cluster field.
        others: digests of the sealed files that are none of the above, which the metric may import.
        ordinary: ids of the ordinary tasks.
    """

    protocol: SealedProtocol
    sha256: Digest
    sealed_at: str
    exposure: Exposure = field(repr=False)
    answers: Mapping[str, Digest] = field(repr=False)
    null_answers: Mapping[str, Digest] = field(repr=False)
    clusters: Mapping[str, str] | None = field(repr=False)
    others: Mapping[str, Digest] = field(repr=False)
    ordinary: frozenset[str] = field(repr=False)

    @property
    def protocol_id(self) -> str:
        """The label of this identity."""
        return self.protocol.protocol_id


def version_of(verified: VerifiedProtocol) -> ProtocolVersion:
    """Return the version that a verified protocol is.

    Raises:
        Refused: its tasks are withheld.
    """
    protocol, pack = verified.protocol, verified.pack
    files = {file.path: file.sha256 for file in verified.files}
    return ProtocolVersion(
        protocol=protocol,
        sha256=verified.sha256,
        sealed_at=verified.sealed_at,
        exposure=exposure_of(protocol, pack, files),
        answers={task.id: _answer(task, pack.oracles) for task in pack.dataset},
        null_answers={row.id: _answer(row, pack.null_oracles) for row in pack.null_pack},
        clusters=verified.clusters,
        others=_others(verified),
        ordinary=frozenset(task.id for task in pack.ordinary),
    )


def _answer(task: Task, oracles: Mapping[str, bytes]) -> Digest:
    return sha256(f"{task.kind} {task.expected_class} ".encode() + oracles.get(task.id, b""))


def _others(verified: VerifiedProtocol) -> dict[str, Digest]:
    """Return the sealed files that no field, question or answer accounts for."""
    protocol, pack = verified.protocol, verified.pack
    accounted = {path for task in (*pack.dataset, *pack.null_pack) for path in task_files(task)}
    forms: tuple[tuple[tuple[Task, ...], OracleForm], ...] = (
        (pack.dataset, protocol.dataset_oracle),
        (pack.null_pack, protocol.null_pack_oracle),
    )
    for tasks, form in forms:
        if form == "path":
            accounted.update((task.oracle or "").removeprefix("./") for task in tasks)
    return {
        file.path: file.sha256
        for file in verified.files
        if file.role not in _COMPARED_BY_FIELD
        and not any(file.path == path or file.path.startswith(f"{path}/") for path in accounted if path)
    }
