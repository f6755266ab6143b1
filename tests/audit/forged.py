"""Inputs put into the layout of a published site without being verified, with all lists right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sitegen.digests import canonical_json, sha256, sums_listing
from tests.audit.published import Files


def forged(root: Path, beside: Files) -> Files:
    """Return the site that a publisher who verifies nothing would make of the inputs below ``root``.

    It is the evidence and the files ``beside`` it, without pages.
    """
    files: Files = dict(beside)
    site: dict[str, Any] = {"heads": {}, "protocols": {}, "reports": {}, "withdrawn": {}}
    for folder in sorted((root / "protocols").iterdir()):
        if (folder / "protocol.sealed.yaml").is_file():
            _add_protocol(root / "reports" / folder.name, folder, files, site)
    listed = sorted(files, key=str.encode)
    site["files"] = [{"path": p, "size": len(files[p]), "sha256": sha256(files[p])} for p in listed]
    files["site.json"] = canonical_json({"schema": "agent-bench-site/v1", "tool": "forged", **site})
    files["SHA256SUMS"] = sums_listing({path: sha256(files[path]) for path in (*listed, "site.json")})
    return files


def _add_protocol(reports: Path, folder: Path, files: Files, site: dict[str, Any]) -> None:
    pid, root = folder.name, f"evidence/{folder.name}"
    own = _below(folder)
    ledger = _below(reports / "ledger")
    own.update({f"ledger/{name}": data for name, data in ledger.items()})
    runs = {run.parent.name: _below(run.parent) for run in sorted(reports.glob("*/report.json"))}
    for name, part in {root: own, **{f"{root}/{run_id}": run for run_id, run in runs.items()}}.items():
        part["SHA256SUMS"] = sums_listing({path: sha256(data) for path, data in part.items()})
        files.update({f"{name}/{path}": data for path, data in part.items()})
    parents = {parent for data in ledger.values() for parent in _value(data).get("parents", [])}
    site["heads"][pid] = sorted({name.removesuffix(".json") for name in ledger} - parents)
    site["protocols"][pid] = sha256(own["protocol.sealed.yaml"])
    if runs:
        site["reports"][pid] = {run_id: sha256(run["report.json"]) for run_id, run in runs.items()}


def _below(folder: Path) -> Files:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _value(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
