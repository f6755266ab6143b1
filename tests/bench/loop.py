"""The yardstick: a plain loop over the same reports with Jinja2, that checks nothing.

    python -m tests.bench.loop CORPUS OUTPUT

It reads every ``report.json``, renders one page a report (a table of its tasks), one a protocol and an index, and
writes them. What a site with evidence, statistics and comparisons costs is told as a multiple of this.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from jinja2 import DictLoader, Environment

_BASE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{{ title }}</title></head>
<body><main><h1>{{ title }}</h1>
{% block main %}{% endblock %}
</main></body></html>
"""
_REPORT = """{% extends "base" %}{% block main %}
<p>{{ report.route }}: {{ report.mean }} [{{ report.ci95[0] }}, {{ report.ci95[1] }}], n = {{ report.n }}; abstention
{{ report.abstention_accuracy }}, n = {{ report.n_negative }}; sha256 {{ report.protocol_sha256 }}</p>
<table><thead><tr><th>Task</th><th>Kind</th><th>Outcome</th><th>Retries</th><th>Tool calls</th><th>Seconds</th>
<th>Artifact</th></tr></thead><tbody>
{% for task in report.tasks %}
<tr><td>{{ task["id"] }}</td><td>{{ task["kind"] }}</td><td>{{ task["outcome"] }}</td><td>{{ task["retries"] }}</td>
<td>{{ task["tool_calls"] }}</td><td>{{ task["wall_clock_sec"] }}</td><td>{{ task["artifact_sha256"] }}</td></tr>
{% endfor %}
</tbody></table>
{% endblock %}"""
_PROTOCOL = """{% extends "base" %}{% block main %}
<table><thead><tr><th>Run</th><th>Success</th><th>Abstention</th></tr></thead><tbody>
{% for report in reports %}
<tr><td><a href="{{ report["run_id"] }}/index.html">{{ report["route"] }}</a></td><td>{{ report["mean"] }}</td>
<td>{{ report["abstention_accuracy"] }}</td></tr>
{% endfor %}
</tbody></table>
{% endblock %}"""
_INDEX = """{% extends "base" %}{% block main %}
<ul>{% for name, runs in protocols %}<li><a href="{{ name }}/index.html">{{ name }}</a> {{ runs }}</li>{% endfor %}</ul>
{% endblock %}"""


def build(corpus: Path, output: Path) -> int:
    """Write the pages and return how many they are."""
    templates = {"base": _BASE, "report": _REPORT, "protocol": _PROTOCOL, "index": _INDEX}
    environment = Environment(loader=DictLoader(templates), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    pages = 1
    protocols: list[tuple[str, int]] = []
    for folder in sorted((corpus / "reports").iterdir()):
        reports = [json.loads(path.read_bytes()) for path in sorted(folder.glob("*/report.json"))]
        for report in reports:
            place = f"{folder.name}/{report['run_id']}"
            _write(output / place, environment.get_template("report").render(title=report["run_id"], report=report))
        page = environment.get_template("protocol").render(title=folder.name, reports=reports)
        _write(output / folder.name, page)
        protocols.append((folder.name, len(reports)))
        pages += 1 + len(reports)
    _write(output, environment.get_template("index").render(title="Protocols", protocols=protocols))
    return pages


def _write(folder: Path, text: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    print(build(Path(sys.argv[1]), Path(sys.argv[2])))
