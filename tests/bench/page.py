"""The manual's page on speed, made from the results of one run of the bench, so that every figure on it was measured.

python -m tests.bench --sizes 10,100,400 --peers DIR --json tests/bench/results.json
python -m tests.bench.page tests/bench/results.json -o templates/docs/speed.md
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tests.bench.table import MIB, costs, goals, markdown, others, ratios, shape

_MANY = 10_000_000

_TEXT = Path(__file__).with_name("speed.md.in")


def page(results: dict[str, Any]) -> str:
    """Return the page as Markdown."""
    sizes = results["sizes"]
    machine = results["machine"]
    about = f"{machine['processors']} processors, {machine['system']} {machine['machine']}, Python {machine['python']}"
    return _TEXT.read_text(encoding="utf-8").format(
        machine=about,
        shape=shape(sizes),
        sizes="\n\n".join(_size(size) for size in sizes),
        others=others(results),
        largest=sizes[-1]["protocols"],
        goals=goals(results),
        reports=_reports(sizes[-1]),
        many=_MANY,
        growth=_growth(sizes),
        many_table=_many(sizes),
    )


def _size(size: dict[str, Any]) -> str:
    heading = f"## {size['protocols']:,} protocols of {size['reports']} runs of {size['tasks']} tasks"
    return "\n\n".join((heading, costs(size), ratios(size)))


def _reports(size: dict[str, Any]) -> int:
    return int(size["protocols"] * size["reports"])


def _growth(sizes: list[dict[str, Any]]) -> float:
    """Return by how much the peak of a full build grew between the two largest sizes, in KiB a report."""
    before, last = sizes[-2], sizes[-1]
    peaks = [size["costs"]["sitegen"]["full"]["peak"] for size in (before, last)]
    return max(0.0, float(peaks[1] - peaks[0])) * 1024 / (_reports(last) - _reports(before))


def _many(sizes: list[dict[str, Any]]) -> str:
    last = sizes[-1]
    ours, times = last["costs"]["sitegen"], _MANY / _reports(last)
    rows = [
        ("reading and verifying, one processor", f"{ours['verify']['cpu'] * times / 3600:,.0f} hours"),
        ("a full build, one processor", f"{ours['full']['cpu'] * times / 3600:,.0f} hours"),
        ("inputs", f"{last['input_bytes'] * times / MIB / 1024:,.0f} GiB"),
        ("site", f"{last['site_bytes'] * times / MIB / 1024:,.0f} GiB"),
        ("memory for summaries and lists", f"{_growth(sizes) * _MANY / MIB:,.0f} GiB"),
    ]
    return markdown(("what", "of it"), rows)


def main() -> int:
    """Write the page from a file of results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    given.output.write_text(page(json.loads(given.results.read_text(encoding="utf-8"))), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
