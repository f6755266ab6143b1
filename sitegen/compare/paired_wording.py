"""A paired comparison of two runs in words: for a person, for a program, and for a pull request. A is the first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from sitegen.compare.common_tasks import CommonTasks
from sitegen.compare.pairs import PairedSlice
from sitegen.compare.reports import NotCompared, PairedReports
from sitegen.compare.wording import code_span
from sitegen.measure.rounding import round_out, show_p
from sitegen.refusals.message import escape

Comparison = PairedReports | CommonTasks | NotCompared

NAMES = {"success": "task success", "abstention": "abstention accuracy"}
"""What the compared rates are called."""

_HARMLESS = re.compile(r"[A-Za-z0-9_ .,:;]*")
_SAME_CONTESTANT = "Both are runs of one manifest and solver: what differs is re-run noise."


def as_object(found: Comparison) -> dict[str, Any]:
    """Return the comparison as JSON-ready values, every task included."""
    if isinstance(found, NotCompared):
        return {"compared": False, "reasons": list(found.reasons)}
    value: dict[str, Any] = {"compared": True, "rates": {part.name: _slice_object(part) for part in found.slices}}
    if isinstance(found, CommonTasks):
        return {
            **value,
            "heading": found.heading,
            "caveat": found.caveat,
            "protocols": list(found.versions),
            "a": {"run_ids": list(found.first), "route": found.route[0]},
            "b": {"run_ids": list(found.second), "route": found.route[1]},
        }
    return {
        **value,
        "protocol": {"protocol_id": found.protocol[0], "sha256": found.protocol[1]},
        "a": {"run_id": found.first[0], "route": found.first[1]},
        "b": {"run_id": found.second[0], "route": found.second[1]},
        "same_contestant": found.same_contestant,
        "identical": found.identical,
        "tasks": [{"id": task.task_id, "kind": task.kind, "a": task.first, "b": task.second} for task in found.tasks],
    }


def as_text(found: Comparison) -> str:
    """Return the comparison as lines for a person; of the tasks, those with different outcomes."""
    if isinstance(found, NotCompared):
        return "\n".join(["not compared", *(f"  {escape(reason, 400)}" for reason in found.reasons)])
    lines = [*_head(found, escape), ""]
    for part in found.slices:
        lines += [f"{NAMES[part.name]}: {part.verdict}", f"  {solved_text(part)}", f"  {decision_text(part)}"]
    if isinstance(found, PairedReports):
        differing = [task for task in found.tasks if task.first != task.second]
        lines += ["", f"{len(differing)} of {len(found.tasks)} tasks have different outcomes"]
        lines += [f"  {escape(task.task_id, 60):<24} A {task.first:<19} B {task.second}" for task in differing]
    return "\n".join(lines)


def as_markdown(found: Comparison) -> str:
    """Return the comparison as a Markdown section with one table."""
    if isinstance(found, NotCompared):
        return "\n".join(["## Not compared", "", *(f"- {_sentence(escape(reason, 400))}" for reason in found.reasons)])
    lines = [f"## {'Paired comparison' if isinstance(found, PairedReports) else found.heading}", ""]
    lines += [f"- {line}" for line in _head(found, lambda text: code_span(escape(text)))]
    lines += ["", "| rate | both | A better | B better | neither | n | A - B, 95% interval | exact p | verdict |"]
    lines.append("|---|---|---|---|---|---|---|---|---|")
    for part in found.slices:
        cells = (part.n11, part.b, part.c, part.n00, part.n, difference_text(part), show_p(part.p), part.verdict)
        lines.append(f"| {NAMES[part.name]} | {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def _sentence(text: str) -> str:
    """Return a sentence for Markdown: as it is where nothing in it could be markup or a name to call, else as code."""
    return text if _HARMLESS.fullmatch(text) else code_span(text)


def solved_text(part: PairedSlice) -> str:
    """Return the table of agreement in a sentence: b, c, both, neither and n."""
    if part.runs == 1:
        both = f"both passed {part.n11}, neither {part.n00}"
        return f"A did better on {part.b} tasks, B on {part.c}; {both}; n = {part.n}"
    return f"over {part.runs} runs each, A did better on {part.b} tasks, B on {part.c}; n = {part.n}"


def decision_text(part: PairedSlice) -> str:
    """Return difference, interval and exact p, each with the name of its method."""
    return f"A - B = {difference_text(part)} ({part.interval.method}), exact p {show_p(part.p)} ({part.test})"


def difference_text(part: PairedSlice) -> str:
    """Return the difference with its interval, rounded outward to 3 decimals."""
    low, high = round_out(part.interval.low, part.interval.high, 3)
    return f"{part.difference:+.3f}, 95% {low:+.3f} to {high:+.3f}"


def _head(found: PairedReports | CommonTasks, quoted: Callable[[str], str]) -> Iterator[str]:
    """Yield what is compared; ``quoted`` makes a route, which is foreign text, harmless."""
    if isinstance(found, PairedReports):
        yield f"A: {found.first[0]}, route {quoted(found.first[1])}"
        yield f"B: {found.second[0]}, route {quoted(found.second[1])}"
        yield f"under {found.protocol[0]}, sha256 {found.protocol[1]}"
        if found.same_contestant:
            yield _SAME_CONTESTANT
        return
    yield f"A: {', '.join(found.first)}, route {quoted(found.route[0])}, under {found.versions[0]}"
    yield f"B: {', '.join(found.second)}, route {quoted(found.route[1])}, under {found.versions[1]}"
    yield f"{found.heading}. {found.caveat}"


def _slice_object(part: PairedSlice) -> dict[str, Any]:
    return {
        "n": part.n,
        "runs": part.runs,
        "both": part.n11,
        "b": part.b,
        "c": part.c,
        "neither": part.n00,
        "only_a": list(part.only_first),
        "only_b": list(part.only_second),
        "difference": round(part.difference, 4),
        "ci95": list(round_out(part.interval.low, part.interval.high, 4)),
        "ci95_method": part.interval.method,
        "p": part.p,
        "test": part.test,
        "distinguishable": part.ahead is not None,
        "verdict": part.verdict,
    }
