"""A protocol difference in words: for a person, for a program, and for a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sitegen.compare.changes import Change, RowsChange
from sitegen.compare.protocols import ProtocolDifference, RowDelta
from sitegen.refusals.message import escape

NEVER = (
    "Rates of two exams are not subtracted: their difference would mix a change of contestants with a change of exam."
)
_SHOWN_IDS = 8


def needed(difference: ProtocolDifference) -> str:
    """Return what it would take to have numbers under both versions, in one sentence."""
    old, new = difference.old[0], difference.new[0]
    return {
        "same": "Nothing that bears on a number changed; each run still belongs to the version it was started under.",
        "re-score": (
            "What the solver saw is identical, so old answers can be judged again:"
            f" `sitegen rescore RUN_ID --under {new}`."
        ),
        "re-run": f"The solver would see something else: run the contestants of {old} again under {new}.",
        "not comparable": (
            "The versions have no question in common, so numbers of the one say nothing about the other;"
            " run both contestants on one of them."
        ),
    }[difference.verdict]


def as_object(difference: ProtocolDifference) -> dict[str, Any]:
    """Return the difference as JSON-ready values; ids are listed in full."""
    return {
        "old": {"protocol_id": difference.old[0], "sha256": difference.old[1]},
        "new": {"protocol_id": difference.new[0], "sha256": difference.new[1]},
        "verdict": difference.verdict,
        "needed": needed(difference),
        "dataset": _delta_object(difference.dataset),
        "null_pack": _delta_object(difference.null_pack),
        "changes": [
            {
                "kind": change.kind,
                "field": change.where,
                "old": _plain(change.old),
                "new": _plain(change.new),
                "needs": change.needs,
                "why": change.why,
            }
            for change in difference.changes
        ],
    }


def as_text(difference: ProtocolDifference) -> str:
    """Return the difference as lines for a person."""
    lines = [
        f"old      {difference.old[0]}  sha256 {difference.old[1]}",
        f"new      {difference.new[0]}  sha256 {difference.new[1]}",
        f"verdict  {difference.verdict}",
        f"  {needed(difference)}",
        "",
        f"{'dataset':<28} {counts(difference.dataset)}",
        f"{'null pack':<28} {counts(difference.null_pack)}",
    ]
    for change in difference.weighty:
        lines.append(f"{place(change):<28} {change.needs}: {change.why}")
        lines += [f"  {word} {text}" for word, text in zip(("old", "new"), shown_values(change), strict=True) if text]
    return "\n".join([*lines, *_labels(difference), "", NEVER])


def as_markdown(difference: ProtocolDifference) -> str:
    """Return the difference as a Markdown section with one table."""
    lines = [
        f"## `{difference.old[0]}` → `{difference.new[0]}`: {difference.verdict}",
        "",
        needed(difference),
        "",
        f"- dataset: {counts(difference.dataset)}",
        f"- null pack: {counts(difference.null_pack)}",
        "",
        *_table(difference),
        *_labels(difference),
        "",
        NEVER,
    ]
    return "\n".join(lines)


def counts(delta: RowDelta) -> str:
    """Return how many rows were added, removed, changed and kept."""
    return (
        f"{len(delta.added)} added, {len(delta.removed)} removed, {len(delta.changed)} changed, {len(delta.same)} same"
    )


def place(change: Change) -> str:
    """Return where a change stands: the field's path, or the pack and what happened to its rows."""
    return escape(f"{change.where}: {change.kind}" if isinstance(change, RowsChange) else change.where)


def shown_values(change: Change) -> tuple[str, str]:
    """Return old and new value as short printable text; ids beyond the first few are counted."""
    if isinstance(change, RowsChange):
        return _ids(change.old), _ids(change.new)
    return shown_value(change.old), shown_value(change.new)


def _table(difference: ProtocolDifference) -> Iterator[str]:
    if not difference.weighty:
        return
    yield "| field | old | new | needs |"
    yield "|---|---|---|---|"
    for change in difference.weighty:
        cells = " | ".join(map(code_span, (place(change), *shown_values(change))))
        yield f"| {cells} | {change.needs}: {change.why} |"
    yield ""


def _labels(difference: ProtocolDifference) -> Iterator[str]:
    labels = [change.where for change in difference.changes if change.needs == "same"]
    if labels:
        yield f"also changed, with no bearing on a number by itself: {', '.join(labels)}"


def code_span(text: str) -> str:
    """Return printable foreign text as Markdown code, which can neither end a table's cell nor start markup."""
    return f"`{text.replace('`', chr(39)).replace('|', '/')}`" if text else ""


def _ids(ids: tuple[str, ...]) -> str:
    more = f" and {len(ids) - _SHOWN_IDS} more" if len(ids) > _SHOWN_IDS else ""
    return ", ".join(escape(row_id, 40) for row_id in ids[:_SHOWN_IDS]) + more


def shown_value(value: Any) -> str:
    """Return one value of a sealed field as short printable text."""
    if value is None:
        return "not set"
    if isinstance(value, tuple):
        return ", ".join(escape(str(part), 40) for part in value) or "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    return escape(f"{value:g}" if isinstance(value, float) else str(value))


def _delta_object(delta: RowDelta) -> dict[str, Any]:
    return {
        "added": list(delta.added),
        "removed": list(delta.removed),
        "changed": list(delta.changed),
        "same": list(delta.same),
    }


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
