"""What the machine has that sitegen uses."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

_REQUIRED = {
    "msgspec": "reads the formats",
    "numpy": "computes",
    "pyyaml": "reads protocols and manifests",
    "rfc8785": "writes the canonical form",
    "jinja2": "renders pages",
    "markdown": "renders notes",
    "nh3": "sanitises notes",
    "altair": "describes charts",
    "vl-convert-python": "draws charts",
    "rich": "shows the progress of a run",
}
_OPTIONAL = {
    "distributed": "runs on a Dask cluster (sitegen[dask])",
    "zstandard": "imports logs that are compressed with Zstandard (sitegen[import])",
    "watchfiles": "rebuilds on change in `sitegen serve` (sitegen[serve])",
}
_PROGRAMS = {
    "bash": "runs solve.sh, the default command of a manifest",
    "bwrap": "hides the disk and the network from a solver (bubblewrap)",
    "git": "keeps the history of protocols and reports",
    "openssl": "checks timestamps of seals (RFC 3161)",
    "ssh-keygen": "signs and checks seals",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One thing that the machine has or lacks."""

    name: str
    present: bool
    required: bool
    detail: str


def parts() -> list[Part]:
    """Return what is needed and what is useful, found or not."""
    libraries = [(name, use, True) for name, use in _REQUIRED.items()]
    libraries += [(name, use, False) for name, use in _OPTIONAL.items()]
    found = [_library(name, use, required) for name, use, required in libraries]
    return found + [_program(name, use) for name, use in _PROGRAMS.items()]


def _library(name: str, use: str, required: bool) -> Part:
    try:
        detail, present = f"{version(name)}: {use}", True
    except PackageNotFoundError:
        detail, present = use, False
    return Part(name=name, present=present, required=required, detail=detail)


def _program(name: str, use: str) -> Part:
    return Part(name=name, present=shutil.which(name) is not None, required=False, detail=use)
