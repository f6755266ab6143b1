"""The results as Markdown tables: for the terminal, and for the manual's page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Results = Mapping[str, Any]
MIB = 1 << 20


def table(results: Results) -> str:
    """Return every table."""
    parts = [f"{results['machine']['processors']} processors, Python {results['machine']['python']}"]
    for size in results["sizes"]:
        parts += [f"{size['protocols']} × {size['reports']}", costs(size), ratios(size)]
    return "\n\n".join([*parts, others(results), goals(results)])


def costs(size: Results) -> str:
    """Return what each build of one size cost: seconds are medians, with the least and the most in brackets."""
    rows = [_cost("sitegen, every figure drawn anew", "full", size["cold"])]
    rows += [_cost(name, kind, cost) for name, kinds in size["costs"].items() for kind, cost in kinds.items()]
    return markdown(("what", "build", "seconds", "processor s", "peak MiB"), rows)


def ratios(size: Results) -> str:
    """Return sitegen's costs divided by those of the others in the same rounds."""
    rows = [
        (f"sitegen ÷ {name}", kind, f"{found['wall']:.2f}", f"{found['cpu']:.2f}", f"{found['peak']:.2f}")
        for name, kinds in size["ratios"].items()
        for kind, found in kinds.items()
    ]
    return markdown(("ratio", "build", "time", "processor", "peak memory"), rows)


def shape(sizes: Sequence[Results]) -> str:
    """Return what each size is and what a page of it costs."""
    rows = [
        (
            f"{size['protocols']} × {size['reports']}",
            f"{size['pages']:,}",
            f"{size['input_bytes'] / MIB:.0f}",
            f"{size['site_bytes'] / MIB:.0f}",
            f"{size['page_ms']:.2f}",
            f"{size['pages_a_second']:,}",
            f"{size['figures']:,}",
            f"{size['figure_ms']:.1f}",
        )
        for size in sizes
    ]
    head = ("size", "pages", "input MiB", "site MiB", "ms a page", "pages/s", "figures", "ms a figure")
    return markdown(head, rows)


def others(results: Results) -> str:
    """Return the costs that do not depend on the size of a site."""
    start, score = results["start"], results["score"]
    rows = [
        ("sitegen --version", f"{1000 * start['version']['wall']:.0f} ms", f"{start['ratio']:.2f} × python -c pass"),
        (f"sitegen score, {score['tasks']:,} tasks", f"{score['wall']:.2f} s", f"{score['tasks_a_second']:,} tasks/s"),
    ]
    return markdown(("what", "time", "that is"), rows)


def goals(results: Results) -> str:
    """Return each goal beside what this run measured at its largest size; a goal needs its peer to be measured."""
    rows = [
        (what, f"≤ {most:g}", f"{found:.2f}", "yes" if found <= most else "no") for what, most, found in _goals(results)
    ]
    return markdown(("goal", "at most", "measured", "met"), rows)


def _goals(results: Results) -> Iterator[tuple[str, float, float]]:
    last = results["sizes"][-1]
    hugo = last["ratios"].get("Hugo")
    if hugo:
        yield "full build, figures drawn ÷ Hugo, time", 1.0, hugo["full"]["wall"]
        yield "nothing changed ÷ Hugo, time", 0.25, hugo["no-op"]["wall"]
        yield "one report more ÷ Hugo, time", 0.3, hugo["one"]["wall"]
        yield "peak memory of a process ÷ Hugo", 0.2, hugo["full"]["peak"]
    yield "processor ms a figure drawn anew", 25, last["figure_ms"]
    if len(results["sizes"]) > 1:
        before = results["sizes"][-2]
        peaks = [size["costs"]["sitegen"]["full"]["peak"] for size in (last, before)]
        names = f"{before['protocols']} → {last['protocols']} protocols"
        yield f"growth of time a page, {names}", 1.0, last["page_ms"] / before["page_ms"]
        yield f"growth of memory, {names}", 1.5, peaks[0] / peaks[1]
    yield "verify ÷ hashing the same bytes, time", round(1 / 0.35, 2), last["ratios"]["hashing"]["verify"]["wall"]
    yield "sitegen --version ÷ python -c pass, time", 4, results["start"]["ratio"]


def _cost(name: str, kind: str, cost: Mapping[str, Any]) -> tuple[str, ...]:
    seconds = f"{cost['wall']:.2f}"
    if cost["rounds"] > 1:
        seconds += f" ({cost['least']:.2f}–{cost['most']:.2f})"
    return name, kind, seconds, f"{cost['cpu']:.2f}", f"{cost['peak']:.0f}"


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
