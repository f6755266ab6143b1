"""One site of the corpus and the ways in which a case may change it.

A change alone shows that the seal or the ledger notices it. To get past them, :meth:`Site.rebind` makes every digest
right again, from the sealed files up to the end event; what a hook changes on the way is bound like the rest.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sitegen.digests import canonical_json, folder_digest, sha256, sums_listing
from sitegen.harness.yaml_text import yaml_text
from sitegen.measure.outlook import DETECTABLE, sealing_outlook, stored_outlook
from sitegen.read.pack import part_digest
from sitegen.read.protocol import NOT_SEALED
from sitegen.read.strict_yaml import parse_yaml
from tests.corpus_builder.base import PROTOCOL_ID

Object = dict[str, Any]
Hook = Callable[[Object], Any]
EVENTS = ("seal", "start", "end")


def unchanged(value: Object) -> None:
    """The hook that changes nothing."""


class Site:
    """The input of one case."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.protocol = root / "protocols" / PROTOCOL_ID
        self.reports = root / "reports" / PROTOCOL_ID
        self.ledger = self.reports / "ledger"
        (self.run,) = [path for path in self.reports.iterdir() if path.name != "ledger"]
        self.events = {event["event"]: event for event in map(_object, self.ledger.iterdir())}

    def event_file(self, kind: str) -> Path:
        """The file of the base's seal, start or end."""
        return next(path for path in self.ledger.iterdir() if _object(path)["event"] == kind)

    def replace(self, path: Path, old: str, new: str) -> None:
        """Replace text that stands in a file once."""
        data = path.read_bytes()
        assert data.count(old.encode()) == 1, f"{old!r} stands {data.count(old.encode())} times in {path.name}"
        path.write_bytes(data.replace(old.encode(), new.encode()))

    def rows(self, path: Path, change: Callable[[list[Object]], Any]) -> None:
        """Change the rows of a JSON Lines file."""
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        change(rows)
        path.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows))

    def draft(self, change: Hook) -> None:
        """Change the draft protocol."""
        path = self.protocol / "protocol.yaml"
        value = parse_yaml(path.read_bytes(), str(path))
        change(value)
        path.write_bytes(yaml_text(value).encode())

    def transcripts(self, change: Callable[[list[Object]], Any]) -> None:
        """Change the rows of the transcripts."""
        self.rows(self.run / "transcripts.jsonl", change)

    def report(self, change: Hook) -> None:
        """Change the report and bind it again: the end event names what it says now."""
        self.rebind(report=change)

    def raw_report(self, change: Callable[[bytes], bytes]) -> None:
        """Change the report's bytes, and let the end event name them."""
        path = self.run / "report.json"
        path.write_bytes(change(path.read_bytes()))
        self.rebind_end()

    def rebind(
        self,
        *,
        sealed: Hook = unchanged,
        seal: Hook = unchanged,
        start: Hook = unchanged,
        report: Hook = unchanged,
        end: Hook = unchanged,
        sums: Callable[[dict[str, str]], Any] = unchanged,
    ) -> None:
        """Make every digest right again; each hook changes one part just before it is digested."""
        identity = self._seal_again(sealed, sums)
        for path in self.ledger.iterdir():
            path.unlink()
        seal_event = self.append({**self.events["seal"], "protocol_sha256": identity}, seal)
        began = {**self.events["start"], "parents": [seal_event], "protocol_sha256": identity}
        began["manifest_sha256"] = sha256((self.run / "manifest.yaml").read_bytes())
        began["solver_sha256"] = folder_digest(_digests(self.run / "solver"))
        start_event = self.append(began, start)
        ended = {**self.events["end"], "parents": [start_event], "protocol_sha256": identity}
        value = _object(self.run / "report.json")
        value.update(protocol_sha256=identity, start_sha256=start_event)
        value["digests"].update(
            {
                "manifest": began["manifest_sha256"],
                "solver": began["solver_sha256"],
                "transcripts": sha256((self.run / "transcripts.jsonl").read_bytes()),
            },
            **{name: self._part(name) for name in ("dataset", "metric", "null_pack")},
        )
        report(value)
        (self.run / "report.json").write_bytes(canonical_json(value))
        self.events["end"] = ended
        self.rebind_end(end)

    def rebind_end(self, change: Hook = unchanged) -> None:
        """Let the end event name the report and the transcripts as they are."""
        for path in self.ledger.iterdir():
            if _object(path)["event"] == "end":
                path.unlink()
        self.events["end"].update(
            report_sha256=sha256((self.run / "report.json").read_bytes()),
            transcripts_sha256=sha256((self.run / "transcripts.jsonl").read_bytes()),
        )
        self.append(self.events["end"], change)

    def append(self, event: Object, change: Hook = unchanged) -> str:
        """Write one event under its digest and return it."""
        change(event)
        data = canonical_json(event)
        (self.ledger / f"{sha256(data)}.json").write_bytes(data)
        return sha256(data)

    def _seal_again(self, change: Hook, change_sums: Callable[[dict[str, str]], Any]) -> str:
        listed = {path: digest for path, digest in _digests(self.protocol).items() if path not in NOT_SEALED}
        change_sums(listed)
        sums = sums_listing(listed)
        path = self.protocol / "protocol.sealed.yaml"
        before = parse_yaml(path.read_bytes(), str(path))
        value = parse_yaml((self.protocol / "protocol.yaml").read_bytes(), "protocol.yaml")
        for name, part in (("dataset", "path"), ("metric", "module"), ("null_pack", "path")):
            value[name]["sha256"] = part_digest(listed, value[name][part])
        rows = _lines(self.protocol / "tasks.jsonl")
        ordinary = [row for row in rows if row.get("kind") != "negative"]
        value["seal"] = {
            **before["seal"],
            "sums_sha256": sha256(sums),
            "n": len(ordinary),
            "n_negative": len(rows) - len(ordinary),
            "n_null_pack": len(_lines(self.protocol / "null_pack.jsonl")),
            "outlook": _outlook(before["seal"]["outlook"], value, ordinary, len(rows) - len(ordinary)),
        }
        change(value)
        (self.protocol / "protocol.sums").write_bytes(sums)
        path.write_bytes(yaml_text(value).encode())
        return sha256(path.read_bytes())

    def _part(self, name: str) -> str:
        value = parse_yaml((self.protocol / "protocol.sealed.yaml").read_bytes(), "protocol.sealed.yaml")
        return str(value[name]["sha256"])


def _object(path: Path) -> Object:
    value: Object = json.loads(path.read_bytes())
    return value


def _outlook(before: Object, document: Object, ordinary: list[Object], negative: int) -> Object:
    """The outlook that sealing would state; the one before where a slice is empty, which no exam may be."""
    if not ordinary or not negative:
        return before
    field = document["dataset"].get("cluster")
    outlook = sealing_outlook(
        len(ordinary),
        negative,
        ci_method=document["publish"].get("ci_method", "wilson"),
        cluster_sizes=sorted(Counter(str(row.get(field)) for row in ordinary).values()) if field else (),
        supposed=tuple(before[DETECTABLE].values()),
    )
    return stored_outlook(outlook)


def _lines(path: Path) -> list[Object]:
    """The objects of a JSON Lines file that may be malformed on purpose."""
    found = []
    for line in path.read_bytes().split(b"\n"):
        try:
            found.append(json.loads(line.removeprefix(b"\xef\xbb\xbf")))
        except ValueError:
            continue
    return found


def _digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): sha256(path.read_bytes()) for path in folder.rglob("*") if path.is_file()
    }
