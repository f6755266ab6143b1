r"""SHA-256 digests: of bytes, of folders, and the canonical JSON that events and reports are digested in.

A digest is always 64 lower-case hexadecimal characters (FIPS 180-4). The digest of a folder is the digest of
its listing in the form that coreutils' ``sha256sum`` prints, so that a reader can reproduce it without sitegen::

    find . -type f -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum | sha256sum
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

Digest = str

EMPTY_FOLDER: Digest = hashlib.sha256(b"").hexdigest()
"""The digest of a folder without files: the solver of a run that another harness executed."""

_HEX64 = re.compile(r"[0-9a-f]{64}")


class Listed(NamedTuple):
    """One file of a list: its path below a root, its size in bytes, its digest.

    A tuple, since a large site has hundreds of thousands of them, and each is kept and sent.
    """

    path: str
    size: int
    sha256: Digest


def sha256(data: bytes) -> Digest:
    """Return the SHA-256 of ``data``."""
    return hashlib.sha256(data).hexdigest()


def is_digest(text: object) -> bool:
    """Tell whether ``text`` is exactly 64 lower-case hexadecimal characters."""
    return isinstance(text, str) and _HEX64.fullmatch(text) is not None


def sums_listing(digests: Mapping[str, Digest]) -> bytes:
    """Return ``sha256sum`` lines for ``digests`` (relative path → digest), sorted by the paths' UTF-8 bytes."""
    ordered = sorted((path.encode(), digest) for path, digest in digests.items())
    return b"".join(digest.encode() + b"  " + path + b"\n" for path, digest in ordered)


def folder_digest(digests: Mapping[str, Digest]) -> Digest:
    """Return the digest of a folder whose files (path relative to it, without ``./``) have these digests."""
    return sha256(sums_listing(digests))


def parse_sums(data: bytes) -> Iterable[tuple[str, Digest]]:
    """Yield (path, digest) of every ``sha256sum`` line.

    Raises:
        ValueError: a line that is not ``<64 hex>␠␠<path>``, a path that is no UTF-8 or is listed twice, or a last line
            without its line feed.
    """
    if data and not data.endswith(b"\n"):
        raise ValueError("the last line does not end in a line feed")
    seen: set[bytes] = set()
    for line in data.split(b"\n")[:-1]:
        digest, separator, path = line[:64].decode("ascii", "replace"), line[64:66], line[66:]
        if separator != b"  " or not path or not is_digest(digest):
            raise ValueError(f"not a sha256sum line: {line[:80]!r}")
        if path in seen:  # readers would differ in which of the two counts
            raise ValueError(f"{path.decode('utf-8')} is listed twice")
        seen.add(path)
        yield path.decode("utf-8"), digest


def canonical_json(value: Any) -> bytes:
    """Return ``value`` as RFC 8785 canonical JSON followed by one line feed (which belongs to the digested bytes).

    Raises:
        ValueError: a value that has no canonical form (NaN, Infinity, an integer beyond 2**53 - 1, another type).
    """
    import rfc8785

    return rfc8785.dumps(value) + b"\n"
