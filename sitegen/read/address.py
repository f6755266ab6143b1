"""The only reader of the network: one file of a published site by its address, with a size cap and a deadline."""

from __future__ import annotations

from collections.abc import Callable

from sitegen.digests import sha256
from sitegen.read.files import EVIDENCE_LIMIT, SourceFile, check_path
from sitegen.refusals import Refusal, Refused

DEADLINE = 60
"""Seconds that an answer may be silent."""

_LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))


def is_address(where: str) -> bool:
    """Tell whether ``where`` is an address of the web, not a folder."""
    return where.startswith(("http://", "https://"))


def reader_of(base: str) -> Callable[[str, int], SourceFile]:
    """Return a function that fetches the file at a path below ``base`` of at most so many bytes.

    It raises :class:`Refused` with ``path-unsafe``, ``file-missing`` or ``file-too-large``.
    """
    import urllib.parse

    folder = f"{base.rstrip('/')}/"

    def read(path: str, limit: int = EVIDENCE_LIMIT) -> SourceFile:
        data = fetch(folder + urllib.parse.quote(check_path(path, path)), path, limit)
        return SourceFile(path=path, data=data, sha256=sha256(data))

    return read


def fetch(address: str, file: str, limit: int) -> bytes:
    """Return the bytes at ``address``; ``file`` is what a refusal names.

    Raises:
        Refused: ``file-missing`` where there is no answer, ``file-too-large`` where it has more than ``limit`` bytes.
    """
    import urllib.parse
    import urllib.request

    # A proxy for the outside world cannot reach this machine's own addresses.
    local = urllib.parse.urlsplit(address).hostname in _LOOPBACK
    opener = urllib.request.build_opener(*([urllib.request.ProxyHandler({})] if local else []))
    try:
        with opener.open(address, timeout=DEADLINE) as answer:
            data: bytes = answer.read(limit + 1)
    except (OSError, ValueError) as error:
        raise Refused([Refusal(slug="file-missing", file=file, expected=address, found=str(error))]) from None
    if len(data) > limit:
        expected = f"at most {limit} bytes"
        raise Refused([Refusal(slug="file-too-large", file=file, expected=expected, found="more")])
    return data
