"""What a build may remember: units by the digests of everything they came from, and the state of the last output.

The cache lies in the user's own folder and never in the site's: a checkout from somebody else cannot bring one. Inputs
are hashed at every build, so an entry is found only for the very bytes that made it, by the very code that made it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import os
import pickle
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import sitegen
from sitegen.digests import Digest, folder_digest, sha256
from sitegen.read.shipped import templates_dir

FIGURES = "figures"
"""Folder of drawn charts below the folder of a cache."""
_LIBRARIES = ("altair", "jinja2", "markdown", "msgspec", "nh3", "pyyaml", "vl-convert-python")


def cache_folder() -> Path | None:
    """Return the user's folder for what sitegen remembers; ``None`` for a user without a home."""
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "sitegen"
    except RuntimeError:
        return None


@cache
def engine_digest() -> Digest:
    """Return the digest of the code that makes pages of inputs and templates: sitegen's own, and its libraries.

    The templates, which lie inside of an installed package and beside a checkout's, are none of it.
    """
    libraries = " ".join(f"{name} {version(name)}" for name in _LIBRARIES)
    code = _folder(Path(sitegen.__file__).resolve().parent, ".py", without=templates_dir())
    return sha256(f"{code} {libraries}".encode())


@cache
def tool_digest() -> Digest:
    """Return the digest of everything that turns inputs into pages: code, libraries, templates, and this Python."""
    return sha256(f"{engine_digest()} {_folder(templates_dir(), '')} python {sys.version}".encode())


def _folder(folder: Path, ending: str, without: Path | None = None) -> Digest:
    named: dict[str, Digest] = {}
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if without is None or without != Path(place, name)]
        for name in files:
            if name.endswith(ending) and not name.endswith(".pyc"):
                path = f"{place}/{name}"
                with open(path, "rb", buffering=0) as file:
                    named[path.removeprefix(f"{folder}/")] = sha256(file.readall())
    return folder_digest(named)


def pack(value: object) -> bytes:
    """Return a record of sitegen's as bytes, to be kept or sent."""
    return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)


def unpack(data: bytes) -> Any:
    """Return the record that :func:`pack` made ``data`` of; for other data it raises what ``pickle`` may raise."""
    return _Records(io.BytesIO(data)).load()


class Memory:
    """Entries by key; without a folder, or one that cannot be used, it forgets everything."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def get(self, kind: str, key: Digest) -> Any:
        """Return the entry of ``key``, or ``None``."""
        if self.folder is None:
            return None
        try:
            with open(f"{self.folder}/{kind}/{key[:2]}/{key}", "rb", buffering=0) as file:
                data = file.readall()
            if sha256(data[64:]).encode() != data[:64]:
                return None  # cut off, or altered
            return unpack(data[64:])
        except (OSError, MemoryError, *_NOT_OURS):
            return None

    def put(self, kind: str, key: Digest, entry: Any) -> None:
        """Keep ``entry`` under ``key`` as far as that is possible."""
        if self.folder is None:
            return
        data = pack(entry)
        path = self.folder / kind / key[:2] / key
        partial = path.with_name(f"{key}.{os.getpid()}~")
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            partial.write_bytes(sha256(data).encode() + data)
            partial.replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                partial.unlink()  # of a full disk, every byte counts


_NOT_OURS = (
    pickle.UnpicklingError,
    ArithmeticError,
    AttributeError,
    EOFError,
    ImportError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What reading an entry raises that this version of sitegen did not write."""

_records: dict[tuple[str, str], Any] = {}  # looked up for every entry of thousands
_PLAIN = frozenset((("builtins", "frozenset"), ("builtins", "set"), ("msgspec._utils", "rebuild")))


class _Records(pickle.Unpickler):
    """Reads an entry of sitegen's records and plain values. Any other name in it is refused, so that nothing is run."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a record's class."""
        known = _records.get((module, name))
        if known is not None:
            return known
        found = super().find_class(module, name) if (module, name) in _PLAIN or module.startswith("sitegen.") else None
        if (module, name) not in _PLAIN and not (_is_record(found) and found.__module__ == module):
            raise pickle.UnpicklingError(f"{module}.{name} is no record")
        _records[module, name] = found
        return found


def _is_record(found: object) -> bool:
    record = dataclasses.is_dataclass(found) or hasattr(found, "__struct_fields__")
    return isinstance(found, type) and (record or issubclass(found, tuple))
