"""Files that travel with sitegen: templates, starter files, and the metrics that are trusted by digest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import cast

from sitegen.digests import Digest, sha256

Matches = Callable[[str, bytes], bool]
"""``matches(artifact, oracle bytes) -> bool`` of a shipped metric."""

_METRICS = ("metric_exact_bytes.py", "metric_exact_diff.py")


@cache
def templates_dir() -> Path:
    """Return the folder of templates: inside the installed package, or beside it in a checkout.

    Raises:
        FileNotFoundError: neither is there; the installation is broken.
    """
    package = Path(__file__).resolve().parent.parent
    for candidate in (package / "templates", package.parent / "templates"):
        if (candidate / "protocol").is_dir():
            return candidate
    raise FileNotFoundError("the templates folder is missing from this installation")


@cache
def shipped_metrics() -> Mapping[Digest, str]:
    """Return file name by digest of the metrics that sitegen ships."""
    folder = templates_dir() / "protocol"
    return {sha256((folder / name).read_bytes()): name for name in _METRICS}


@cache
def shipped_metric(digest: Digest) -> Matches | None:
    """Return the comparison of the shipped metric with this digest, or ``None`` where it is not one of ours.

    The file is part of sitegen itself, so running it is running sitegen; a protocol's copy is never run.
    """
    name = shipped_metrics().get(digest)
    if name is None:
        return None
    path = templates_dir() / "protocol" / name
    module = ModuleType(f"sitegen_{path.stem}")
    SourceFileLoader(module.__name__, str(path)).exec_module(module)
    return cast(Matches, module.matches)
