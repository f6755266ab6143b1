"""What an exam can and cannot distinguish: as plain values for the seal, and in sentences for the person who seals."""

from __future__ import annotations

from typing import Any

from sitegen.measure.outlook import (
    CORRELATION_WORDS,
    DETECTABLE,
    sealing_outlook,
    size_for,
    sizes_of_clusters,
    stored_outlook,
)
from sitegen.read.pack import Pack
from sitegen.read.protocol import FOUNDING_FLOOR, DraftProtocol


def outlook_value(protocol: DraftProtocol, pack: Pack) -> dict[str, Any]:
    """Return the outlook of an exam as the seal keeps it."""
    outlook = sealing_outlook(
        len(pack.ordinary),
        len(pack.negative),
        ci_method=protocol.publish.ci_method,
        cluster_sizes=sizes_of_clusters(pack.ordinary, protocol.dataset.cluster),
    )
    return stored_outlook(outlook)


def outlook_lines(value: dict[str, Any]) -> list[str]:
    """Return an outlook in sentences."""
    if not value:
        return []
    n, m = value["success"][0][1], value["controls"][0][1]
    floor, detectable = value["floor_tasks"], value[DETECTABLE]
    lines = [
        (
            f"one task is {value['resolution']:.4g} of the success rate; with n = {n} a lead below {floor} tasks"
            f" ({floor / n:.3f}) cannot be distinguished, whatever the pattern"
        ),
        "intervals that would be printed: " + "; ".join(_shown(part) for part in value["success"]),
        f"of the {m} negative controls: " + "; ".join(_shown(part) for part in value["controls"]),
    ]
    found = [f"{difference} where failures are {word}" for word, difference in detectable.items() if difference]
    if found:
        lines.append("smallest difference from 0.80 found four times in five: " + ", ".join(found))
    else:
        lines.append("no difference from 0.80 would be found four times in five")
    for word, tasks in value.get("effective_tasks", {}).items():
        lines.append(f"with {word} inside clusters the {n} tasks are worth {tasks} independent ones")
    if n < FOUNDING_FLOOR[0] or m < FOUNDING_FLOOR[1]:
        lines.append("below the founding floor of 20 ordinary tasks and 10 negative controls: every scorecard says so")
    return lines


def want_lines(rates: tuple[float, float], n: int) -> list[str]:
    """Return how many tasks it takes to tell two rates apart, in sentences."""
    lines = []
    for size in size_for(*rates, n):
        exact, word = "more than 20000" if size.exact is None else str(size.exact), CORRELATION_WORDS[size.phi]
        lines.append(
            f"{rates[0]:g} against {rates[1]:g}, failures {word}: {exact} tasks (normal approximation"
            f" {size.connor}); these {n} find it with probability {size.power:.2f}"
        )
    return lines


def _shown(part: list[float]) -> str:
    return f"{part[0]}/{part[1]} {part[2]:.3f}-{part[3]:.3f}"
