"""What a build may remember: units by the digests of everything they came from, and the state of the last output.

The cache lies in the user's own folder and never in the site's: a checkout from somebody else cannot bring one. Inputs
are hashed at every build, so an entry is found only for the very bytes that made it, by the very code that made it.
What a published file holds is known without reading it only while its inode, size and times are those that were noted
when it was published; otherwise it is read and hashed.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import os
import pickle
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import sitegen
from sitegen.digests import Digest, Listed, folder_digest, sha256
from sitegen.read.shipped import templates_dir
from sitegen.write.publish import files_below

_LIBRARIES = ("altair", "jinja2", "markdown", "msgspec", "nh3", "pyyaml", "vl-convert-python")
Signature = tuple[int, int, int, int]


def cache_folder() -> Path | None:
    """Return the user's folder for what sitegen remembers; ``None`` for a user without a home."""
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "sitegen"
    except RuntimeError:
        return None


@cache
def tool_digest() -> Digest:
    """Return the digest of everything that turns inputs into pages: sitegen's code and templates, and its libraries."""
    package = Path(sitegen.__file__).parent
    files = {str(path): path.read_bytes() for path in package.rglob("*.py")}
    files |= {str(path): path.read_bytes() for path in templates_dir().rglob("*") if path.is_file()}
    code = folder_digest({path: sha256(data) for path, data in files.items()})
    libraries = " ".join(f"{name} {version(name)}" for name in _LIBRARIES)
    return sha256(f"{code} {libraries} python {sys.version}".encode())


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
            data = (self.folder / kind / key[:2] / key).read_bytes()
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

_PLAIN = frozenset((("builtins", "frozenset"), ("builtins", "set"), ("msgspec._utils", "rebuild")))


class _Records(pickle.Unpickler):
    """Reads an entry of sitegen's records and plain values. Any other name in it is refused, so that nothing is run."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a record's class."""
        found = super().find_class(module, name) if (module, name) in _PLAIN or module.startswith("sitegen.") else None
        if (module, name) not in _PLAIN and not (_is_record(found) and found.__module__ == module):
            raise pickle.UnpicklingError(f"{module}.{name} is no record")
        return found


def _is_record(found: object) -> bool:
    record = dataclasses.is_dataclass(found) or hasattr(found, "__struct_fields__")
    return isinstance(found, type) and (record or issubclass(found, tuple))


@dataclass(frozen=True, slots=True, kw_only=True)
class OldSite:
    """The published site as it stands: the digest of each file, as far as it is known without reading it.

    ``paths`` are all files that are there, ``known`` those whose digest was noted and whose signature is unchanged.
    """

    output: Path
    paths: frozenset[str]
    known: dict[str, Digest] = field(repr=False)

    def has(self, file: Listed) -> bool:
        """Tell whether the published site holds exactly this file."""
        if file.path not in self.paths:
            return False
        digest = self.known.get(file.path)
        if digest is None:
            try:
                digest = sha256((self.output / file.path).read_bytes())
            except OSError:
                return False
        return digest == file.sha256

    def has_all(self, files: Iterable[Listed]) -> bool:
        """Tell whether the published site holds exactly all these files."""
        known = self.known
        return all(known.get(file.path) == file.sha256 or self.has(file) for file in files)


def old_site(output: Path, memory: Memory) -> OldSite:
    """Return the published site in ``output``; empty where there is none."""
    found = _signatures(output)
    noted: dict[str, tuple[Signature, Digest]] = memory.get("outputs", _output_key(output)) or {}
    known = {path: noted[path][1] for path, signature in found.items() if path in noted and noted[path][0] == signature}
    return OldSite(output=output, paths=frozenset(found), known=known)


def note_output(output: Path, files: Iterable[Listed], memory: Memory) -> None:
    """Note the state of the files of a site that was just published."""
    found = _signatures(output)
    noted = {file.path: (found[file.path], file.sha256) for file in files if file.path in found}
    memory.put("outputs", _output_key(output), noted)


def _output_key(output: Path) -> Digest:
    return sha256(os.fsencode(output.absolute()))


def _signatures(output: Path) -> dict[str, Signature]:
    """Return the signature of every file of a site; what the system says beside it is large and not kept."""
    return {path: _signature(status) for path, status in files_below(output)}


def _signature(status: os.stat_result) -> Signature:
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
