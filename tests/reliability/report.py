"""Write the manual's page of reliability: ``python -m tests.reliability.report FOLDER`` with the figures of one run.

Every figure comes from the folder that :func:`tests.reliability.scenes.note` wrote. What was not measured is said.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.reliability.scenes import ROOT

PAGE = ROOT / "templates" / "docs" / "reliability.md"
Figures = Mapping[str, Any]

INTRODUCTION = """# What was tried to break it

What follows was measured by the tests that `make reliability` runs; they also give this page its figures. `make test`
runs a short form of each. Where only that was measured here, the row says so.

Measured on {machine}.

| what was tried | how often | what came of it |
|---|---|---|
"""

NOT_TESTED = """
## What was not tested

- **Loss of power.** That all is written, synced, switched and synced again, in this order, is read off a trace of
  system calls. No machine was switched off.
- **Disks that lie** about what they have written, and network file systems.
- **Somebody who writes into the user's own cache.** An entry there runs nothing, since only records of sitegen are
  read from it, but whoever may write there may alter what later builds draw. Where others can, publish with
  `--no-cache`.
- **Somebody who writes into the published folder** while a build runs. A reader's `sitegen audit` shows it afterwards.
- **Forgery of everything.** Who makes a whole site anew, ledger and all, makes another site. Only beside the last
  published one (`history` in `sitegen.toml`) does it show that something is gone.
- **Settings and notes.** `sitegen.toml` and `notes.md` are no evidence; changing them changes pages and is not
  refused.
- **Fuzzing led by coverage elsewhere.** It needs atheris, which has wheels for Linux on x86-64 alone; on other machines
  bytes and values are only drawn at random and from good files on.
- **Mutants of other stages.** They are made of the checks of `verify` and `read` and of what `measure`
  counts; nothing says how many a bug of the pages or of the exam would survive.
- **Systems other than Linux.** There the tests that need a trace of system calls are skipped, and say so.
"""


def counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in sorted(counts.items(), key=lambda item: -item[1]))


def mutation(f: Figures) -> tuple[str, str, str]:
    most = dict(sorted(f["refused"].items(), key=lambda item: -item[1])[:4])
    what = f"each bit flipped, each byte deleted, a byte inserted, in {f['files']} files of {f['bytes']} bytes"
    result = f"{f['wrong']} accepted, {f['neutral']} neutral; refused as {counted(most)}, …"
    return what, f"{f['tried']} changes", result


def semantic(f: Figures) -> tuple[str, str, str]:
    what = "edits by somebody who knows the formats: swapped reports, dropped tasks, better scores, forgotten runs"
    return what, f"{f['tried']} edits", f"{f['wrong']} accepted"


def bite(f: Figures) -> tuple[str, str, str]:
    what = "one check of `verify`, `read` or `measure` removed or weakened, corpus and tests run"
    noticed, alive = sum(f["outcomes"].values()), len(f["survivors"])
    result = f"{noticed} noticed ({counted(f['outcomes'])}), {f['explained']} cannot matter, {alive} not noticed"
    return what, f"{f['mutants']} mutants", result


def stood(what: str) -> Any:
    def row(f: Figures) -> tuple[str, str, str]:
        met = sum(f["stood"].values())
        return what, f"{met} builds", f"afterwards {counted(f['stood'])}; {f['wrong']} wrong"

    return row


def fuzz(f: Figures) -> tuple[str, str, str]:
    what = f"bytes and values at random into {f['readers']} readers"
    return what, f"{f['tried']} files", f"{f['refused']} refused, {f['tracebacks']} tracebacks"


def guided(f: Figures) -> tuple[str, str, str]:
    what = f"bytes led by the branches that they reach (atheris), into {f['readers']} readers for {f['seconds']} s"
    return what, f"{f['tried']} files", f"{f['tracebacks']} tracebacks"


def flipping(f: Figures) -> tuple[str, str, str]:
    what = "builds while the inputs flip between two generations and a reader reads"
    counts = f"{f['builds']} builds, {f['flips']} flips, {f['read']} readings"
    return what, counts, f"{counted(f['outcomes'])}; {f['wrong']} sites that were not one generation"


def swapped(f: Figures) -> tuple[str, str, str]:
    what = "builds while a folder of the inputs is swapped with a link to somebody else's"
    return what, f"{f['builds']} builds, {f['swaps']} swaps", f"{counted(f['outcomes'])}; followed {f['wrong']} times"


def random_kills(f: Figures) -> tuple[str, str, str]:
    counts = f"{f['kills']} builds, {f['killed']} killed in time"
    return "a kill at a random moment", counts, f"afterwards {counted(f['stood'])} site; {f['wrong']} wrong"


def disk(f: Figures) -> tuple[str, str, str]:
    counts = f"{f['refused'] + f['published']} builds"
    result = f"{f['refused']} refused, then published; {f['wrong']} wrong"
    return "a full disk, a little larger each time", counts, result


def outside(f: Figures) -> tuple[str, str, str]:
    what = "a site that names its neighbour's files wherever a path may stand, every open traced"
    return what, f"{f['opens']} opens, {f['inputs']} of inputs", f"{f['outside']} outside the tree"


def serve(f: Figures) -> tuple[str, str, str]:
    what = "requests to the preview by raw socket: paths that climb, foreign names, other methods, huge, slow"
    return what, f"{f['outside'] + f['methods'] + f['huge'] + f['slow']} requests", f"{f['wrong']} served"


ROWS = {
    "mutation": mutation,
    "semantic": semantic,
    "bite": bite,
    "kills": stood("a kill at a system call that writes"),
    "kills-link": stood("the same where folders cannot be exchanged and a link is switched"),
    "errors": stood("an error (no space, I/O, too many files, no access) at a system call that writes or opens"),
    "random-kills": random_kills,
    "disk-full": disk,
    "flipping": flipping,
    "fuzz": fuzz,
    "guided": guided,
    "swapped-links": swapped,
    "outside-opens": outside,
    "serve": serve,
}
UNMEASURED = {
    "bite": "one check of `verify`, `read` or `measure` removed or weakened, corpus and tests run",
    "disk-full": "a full or read-only file system of its own",
    "guided": "bytes led by the branches that they reach",
}
FAMILIES = {
    "signal-": ("SIGINT, SIGTERM or SIGHUP to a build of one process or two", "exit 3, one line, old site, no orphan"),
    "builds-": ("two and five builds into one output", "one generation, the others told that it is busy"),
    "bomb-": ("a bomb (aliases, nesting, long numbers, many keys and rows) in any file", "refused"),
    "place-": ("a pipe, socket, device, link or strange name where a file should be", "refused"),
    "notes-": ("the largest notes of the kinds that a Markdown converter finds hardest", "shown or refused in time"),
    "same-": ("another clock, zone, locale, umask, hash seed, user, folder, file order, cache, processors", ""),
}


def load(folder: Path) -> dict[str, Figures]:
    """Return the figures by topic; the long form where both were run."""
    found: dict[str, Figures] = {}
    for path in sorted(folder.glob("*.json"), key=lambda path: "long" in path.suffixes[0]):
        value = json.loads(path.read_bytes())
        found[value["topic"]] = value
    return found


def rows(figures: Mapping[str, Figures]) -> list[str]:
    lines = []
    for topic, describe in ROWS.items():
        if topic in figures:
            what, count, result = describe(figures[topic])
            form = "" if figures[topic]["form"] == "long" or topic in ("semantic", "disk-full") else " (short form)"
            lines.append(f"| {what} | {count}{form} | {result} |")
        else:
            lines.append(f"| {UNMEASURED.get(topic, topic)} | not measured here | |")
    for prefix, (what, result) in FAMILIES.items():
        family = [value for topic, value in figures.items() if topic.startswith(prefix)]
        seconds = [value["seconds"] for value in family if "seconds" in value]
        slowest = f", at most {max(seconds)} s of processor time" if seconds else ""
        differing = f"{sum(value['differing'] for value in family)} differing bytes" if prefix == "same-" else result
        count = f"{len(family)} kinds" if family else "not run"
        lines.append(f"| {what} | {count} | {f'{differing}{slowest}' if family else ''} |")
    return lines


def page(figures: Mapping[str, Figures]) -> str:
    """Return the page's Markdown."""
    machine = f"{platform.system()} {platform.machine()} with Python {platform.python_version()}"
    survivors = figures.get("bite", {}).get("survivors", [])
    alive = "".join(f"- `{place.split(': ', 1)[0]}`: {place.split(': ', 1)[1]}\n" for place in survivors)
    noticed = f"\n## Checks whose removal nothing notices\n\n{alive}" if survivors else ""
    return INTRODUCTION.format(machine=machine) + "\n".join(rows(figures)) + "\n" + noticed + NOT_TESTED


def main(folder: Path) -> None:
    """Write the page."""
    PAGE.write_text(page(load(folder)), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
