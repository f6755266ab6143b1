"""``report.json``: the claims and digests of one run. Every number in it is only compared, never believed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from sitegen.read.decoding import decoded
from sitegen.read.files import SourceFile
from sitegen.read.manifest import Channel
from sitegen.read.protocol import CiMethod, DraftProtocol
from sitegen.read.schema import Count, DigestText, Format, Identifier, Rate, Seconds, TaskId, pointer, remove, typed
from sitegen.read.strict import parse_json
from sitegen.read.tasks import ExpectedClass, Kind
from sitegen.refusals import Refusal, Refused

REPORT_NAME = "report.json"
SCHEMA: Literal["agent-bench-report/v1"] = "agent-bench-report/v1"

Observed = Literal["passed", "failed", "refused", "answered", "error", "timeout"]
_alone: dict[str, Any] = {"missing": "headline-alone"}
_slice: dict[str, Any] = {"missing": "slice-missing"}
_covariate: dict[str, Any] = {"missing": "covariate-missing"}

LoneRate = Annotated[Rate, Meta(extra=_alone)]
Interval95 = Annotated[tuple[Rate, Rate], Meta(extra=_alone)]
Size = Annotated[int, Meta(ge=0, extra=_alone)]
Bucket = Annotated[int, Meta(ge=0, extra=_slice)]


class Digests(Format, frozen=True, kw_only=True, omit_defaults=True):
    """The sealed files and the evidence that the report rests on."""

    dataset: DigestText
    metric: DigestText
    null_pack: DigestText
    manifest: DigestText
    solver: DigestText
    transcripts: DigestText
    verdicts: DigestText | None = None


class OrdinaryCounts(Format, frozen=True, kw_only=True):
    """Buckets of the ordinary tasks; they sum to ``n``."""

    success: Bucket
    miss: Bucket
    false_abstain: Bucket
    over_budget: Bucket
    error: Bucket
    timeout: Bucket


class NegativeCounts(Format, frozen=True, kw_only=True):
    """Buckets of the negative controls; they sum to ``n_negative``."""

    abstain_ok: Bucket
    invalid_completion: Bucket
    no_answer: Bucket
    error: Bucket
    timeout: Bucket


class Counts(Format, frozen=True, kw_only=True):
    """Both slices."""

    ordinary: Annotated[OrdinaryCounts, Meta(extra=_slice)]
    negative: Annotated[NegativeCounts, Meta(extra=_slice)]


class RetriesStated(Format, frozen=True, kw_only=True):
    """Retries: tasks that recorded them, their total, and how many tasks had each number."""

    recorded: Count
    total: Count | None
    table: dict[str, Count]


class ToolCallsStated(Format, frozen=True, kw_only=True):
    """Tool calls: tasks that recorded them, quantiles (averaged inverted cdf) and total."""

    recorded: Count
    median: float | None
    q1: float | None
    q3: float | None
    max: float | None
    total: float | None


class WallClockStated(Format, frozen=True, kw_only=True):
    """Seconds: quantiles, total, and the tasks that ran into the deadline."""

    recorded: Count
    median: Seconds | None
    q1: Seconds | None
    q3: Seconds | None
    p95: Seconds | None
    max: Seconds | None
    total: Seconds | None
    timeouts: Count


class Covariates(Format, frozen=True, kw_only=True):
    """The covariates that every report states, recorded or not."""

    retries: Annotated[RetriesStated, Meta(extra=_covariate)]
    tool_calls: Annotated[ToolCallsStated, Meta(extra=_covariate)]
    wall_clock_sec: Annotated[WallClockStated, Meta(extra=_covariate)]


class MadeBy(Format, frozen=True, kw_only=True, omit_defaults=True):
    """How the run was made. What does not apply is left out."""

    tool: str
    how: Literal["run", "score", "rescore"]
    isolation: str | None = None
    jobs: Count | None = None
    interruptions: Count | None = None
    ids: Literal["opaque", "visible"] | None = None
    executor: str | None = None
    worker_deaths: Count | None = None
    source: str | None = None
    source_sha256: tuple[DigestText, ...] | None = None
    limits: tuple[str, ...] | None = None


class NullRowStated(Format, frozen=True, kw_only=True):
    """What was observed of one null-pack row."""

    id: TaskId
    expected_class: Annotated[ExpectedClass, Meta(extra={"slug": "null-pack-class"})]
    observed: Observed


class TaskStated(Format, frozen=True, kw_only=True):
    """What the scorer made of one task."""

    id: TaskId
    kind: Annotated[Kind, Meta(extra={"slug": "task-kind-unknown"})]
    outcome: str
    retries: Count | None
    tool_calls: Count | None
    wall_clock_sec: Seconds | None
    artifact_sha256: DigestText | None = None


class RescoredFrom(Format, frozen=True, kw_only=True):
    """The run whose artifacts were scored again, and the protocol it was run under."""

    protocol_id: Identifier
    protocol_sha256: DigestText
    run_id: Identifier
    report_sha256: DigestText


class Report(Format, frozen=True, kw_only=True, omit_defaults=True):
    """The claims of one run. Rates have 4 decimals (half-even), intervals are rounded outward to 4.

    Where the protocol seals a cluster field, each rate states the method ``wilson-eff``, its number of clusters and the
    effective number of tasks, ``n_eff``, to 1 decimal.
    """

    schema: Annotated[Literal["agent-bench-report/v1"], Meta(extra={"slug": "schema-unknown"})]
    protocol_id: Identifier
    protocol_sha256: DigestText
    run_id: Identifier
    start_sha256: DigestText | None = None
    channel: Channel
    route: str
    digests: Digests
    ci_method: CiMethod
    n: Size
    mean: LoneRate
    ci95: Interval95
    false_abstention_rate: LoneRate
    false_abstention_ci95: Interval95
    n_negative: Size
    abstention_accuracy: LoneRate
    abstention_ci95: Interval95
    invalid_completion_rate: LoneRate
    invalid_completion_ci95: Interval95
    ci95_method: str | None = None
    bootstrap_ci95: tuple[Rate, Rate] | None = None
    clusters: Count | None = None
    n_eff: Annotated[float, Meta(gt=0)] | None = None
    false_abstention_ci95_method: str | None = None
    false_abstention_bootstrap_ci95: tuple[Rate, Rate] | None = None
    false_abstention_clusters: Count | None = None
    false_abstention_n_eff: Annotated[float, Meta(gt=0)] | None = None
    abstention_ci95_method: str | None = None
    abstention_bootstrap_ci95: tuple[Rate, Rate] | None = None
    abstention_clusters: Count | None = None
    abstention_n_eff: Annotated[float, Meta(gt=0)] | None = None
    invalid_completion_ci95_method: str | None = None
    invalid_completion_bootstrap_ci95: tuple[Rate, Rate] | None = None
    invalid_completion_clusters: Count | None = None
    invalid_completion_n_eff: Annotated[float, Meta(gt=0)] | None = None
    counts: Annotated[Counts, Meta(extra=_slice)]
    null_pack: Literal["pass", "fail"]
    null_pack_rows: tuple[NullRowStated, ...]
    covariates: Annotated[Covariates, Meta(extra=_covariate)]
    made_by: MadeBy
    tasks: tuple[TaskStated, ...]
    rescored_from: RescoredFrom | None = None


_PARTS: tuple[type[Format], ...] = (
    *(Report, Digests, Counts, OrdinaryCounts, NegativeCounts, MadeBy, NullRowStated, TaskStated),
    *(Covariates, RetriesStated, ToolCallsStated, WallClockStated),
)
_OF_CLUSTERS = frozenset(
    f"{prefix}{name}"
    for prefix in ("", "false_abstention_", "abstention_", "invalid_completion_")
    for name in ("ci95_method", "clusters", "n_eff")
)


def fields_always_stated(protocol: DraftProtocol) -> frozenset[str]:
    """Return the names of all fields, at whatever depth, that every scored report under ``protocol`` has."""
    clustered = _OF_CLUSTERS if protocol.dataset.cluster is not None else frozenset[str]()
    judged = frozenset(("verdicts",)) if not protocol.metric.deterministic else frozenset[str]()
    return _fields_of_all() | clustered | judged


@cache
def _fields_of_all() -> frozenset[str]:
    written = {
        field.encode_name
        for part in _PARTS
        for field in msgspec.structs.fields(part)
        if field.required or not part.__struct_config__.omit_defaults
    }
    return frozenset((*written, "start_sha256"))  # a report without a start is a rehearsal's


def read_report(source: SourceFile, forbidden: tuple[str, ...] = ()) -> Report:
    """Return the report in ``source``.

    Args:
        source: the file as read.
        forbidden: field names that the protocol forbids at any depth.

    Raises:
        Refused: every fault of form, and ``forbidden-field``.
    """
    names = _possible(source.data, forbidden)
    if not names:
        return decoded(source.data, Report, source.path)
    value = parse_json(source.data, source.path)
    banned = [
        Refusal(
            slug="forbidden-field", file=source.path, path=path, expected="no such field", found=path.rsplit("/", 1)[-1]
        )
        for path in _paths_of(value, names, "")
    ]
    try:
        report = typed(value, Report, source.path)
    except Refused as refused:
        places = {refusal.path for refusal in banned}
        raise Refused([*banned, *(fault for fault in refused.refusals if fault.path not in places)]) from None
    if banned:
        raise Refused(banned)
    return report


def read_within(source: SourceFile, faults: Sequence[Refusal]) -> Report | None:
    """Return what a report says within its format where :func:`read_report` gave ``faults``.

    A field too much does not hide what the others say; of a report with any other fault nothing can be read: ``None``.
    """
    if any(fault.slug not in ("field-unknown", "forbidden-field") for fault in faults):
        return None
    value = parse_json(source.data, source.path)
    for fault in faults:
        if fault.path.removeprefix("/") not in Report.__struct_fields__:  # an owner may forbid a field of the format
            remove(value, fault.path)
    try:
        return typed(value, Report, source.path)
    except Refused:
        return None


def report_value(report: Report) -> dict[str, Any]:
    """Return ``report`` as plain values for writing."""
    value: dict[str, Any] = msgspec.to_builtins(report)
    return value


def _possible(data: bytes, names: tuple[str, ...]) -> frozenset[str]:
    """Return those of ``names`` that can be a key in ``data`` at all, so that few reports are searched."""
    escaped = b"\\" in data
    return frozenset(name for name in names if escaped or _quoted(name) in data)


@lru_cache
def _quoted(name: str) -> bytes:
    return json.dumps(name, ensure_ascii=False).encode()


def _paths_of(value: Any, names: frozenset[str], path: str) -> list[str]:
    found: list[str] = []
    if isinstance(value, dict):
        found += [pointer(path, key) for key in value if key in names]
        for key, part in value.items():
            found += _paths_of(part, names, pointer(path, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            if isinstance(part, (dict, list)):
                found += _paths_of(part, names, f"{path}/{index}")
    return found
