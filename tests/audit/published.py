"""A small published site in memory, and both audits of it: one byte may be changed without touching a disk."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

from sitegen.pipeline.build import build_site
from tests.sites import make_protocol, make_run

Files = dict[str, bytes]


def small_root(root: Path) -> Path:
    """Write inputs with one protocol and one run, as few tasks as there may be, and return their folder."""
    make_protocol(root, "demo.v1", ordinary=2, negative=1)
    make_run(root, "demo.v1", "alpha", wrong=("T-001",))
    return root


def published(root: Path, output: Path) -> Path:
    """Build the site of ``root`` and return its folder."""
    build_site(root, output)
    return output


def files_of(site: Path) -> Files:
    """Return every file of a site by path."""
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()}


def write(files: Mapping[str, bytes], folder: Path) -> Path:
    """Write a site and return its folder."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def script(files: Files) -> ModuleType:
    """Return the audit.py that a site publishes, as a module of its own."""
    spec = importlib.util.spec_from_loader("published_audit", loader=None)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    exec(compile(files["audit.py"], "audit.py", "exec"), module.__dict__)
    sys.modules.pop("published_audit", None)
    return module


def script_says(module: ModuleType, files: Mapping[str, bytes]) -> list[str]:
    """Return the failed steps that audit.py prints for a site that is given in memory."""
    module.FAILED.clear()

    def read(path: str, limit: int) -> bytes:
        if path not in files:
            raise OSError(f"{path}: no such file")
        return files[path][:limit]

    with contextlib.redirect_stdout(io.StringIO()):
        try:
            module.check_site(set(files), read)
        except Exception as error:  # noqa: BLE001 (as the script itself does)
            module.step("site", [str(error)])
    return list(module.FAILED)


def resealed_lists(files: Files, change: Callable[[Files], None]) -> Files:
    """Return the site after ``change``, with all its lists made right again: what a dishonest publisher would do."""
    import json

    from sitegen.digests import canonical_json, sha256, sums_listing

    made = dict(files)
    change(made)
    for folder in {path.rpartition("/")[0] for path in made if path.endswith("/SHA256SUMS")}:
        inner = {path.rpartition("/")[0] for path in made if path.endswith("/SHA256SUMS")} - {folder}
        beside = {
            path.removeprefix(f"{folder}/"): sha256(data)
            for path, data in made.items()
            if path.startswith(f"{folder}/")
            and not path.endswith("/SHA256SUMS")
            and not any(path.startswith(f"{other}/") for other in inner if other.startswith(f"{folder}/"))
        }
        made[f"{folder}/SHA256SUMS"] = sums_listing(beside)
    site = json.loads(made["site.json"])
    listed = sorted((path for path in made if path not in ("site.json", "SHA256SUMS")), key=str.encode)
    site["files"] = [{"path": p, "size": len(made[p]), "sha256": sha256(made[p])} for p in listed]
    made["site.json"] = canonical_json(site)
    made["SHA256SUMS"] = sums_listing({path: sha256(made[path]) for path in (*listed, "site.json")})
    return made
