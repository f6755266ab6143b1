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
    for change in difference.changes:
        before, after = shown_values(change)
        lines.append(f"{escape(change.where):<28} {change.needs:<9} {change.why}")
        lines += [f"  {'old':<4} {before}", f"  {'new':<4} {after}"] if before or after else []
    return "\n".join([*lines, "", NEVER])


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
        NEVER,
    ]
    return "\n".join(lines)


def counts(delta: RowDelta) -> str:
    """Return how many rows were added, removed, changed and kept."""
    return (
        f"{len(delta.added)} added, {len(delta.removed)} removed, {len(delta.changed)} changed, {len(delta.same)} same"
    )


def shown_values(change: Change) -> tuple[str, str]:
    """Return old and new value as short printable text; ids beyond the first few are counted."""
    if isinstance(change, RowsChange):
        return _ids(change.old), _ids(change.new)
    return shown_value(change.old), shown_value(change.new)


def _table(difference: ProtocolDifference) -> Iterator[str]:
    if not difference.changes:
        return
    yield "| field | old | new | needs |"
    yield "|---|---|---|---|"
    for change in difference.changes:
        before, after = shown_values(change)
        yield f"| {_cell(escape(change.where))} | {_cell(before)} | {_cell(after)} | {change.needs}: {change.why} |"
    yield ""


def _cell(text: str) -> str:
    """Foreign text inside a Markdown cell, as code: it can neither end the cell nor start markup."""
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
