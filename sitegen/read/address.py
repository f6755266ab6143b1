"""The only reader of the network: one file of a published site by its address, with a size cap and a deadline."""

from __future__ import annotations

import io
from collections.abc import Callable
from threading import Thread
from time import monotonic

from sitegen.digests import sha256
from sitegen.read.files import EVIDENCE_LIMIT, SourceFile, check_path
from sitegen.read.source import MEBIBYTE
from sitegen.refusals import Refusal, Refused

DEADLINE = 60
"""Seconds for the whole of an answer, from the look-up of its host to its last byte, unless it is a large one."""
SLOWEST = 16 << 10
"""Bytes that give an answer one more second: however large it is, it must come at this pace."""

_LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))


def is_address(where: str) -> bool:
    """Tell whether ``where`` is an address of the web, not a folder."""
    return where.startswith(("http://", "https://"))


def reader_of(base: str) -> Callable[[str, int], SourceFile]:
    """Return a function that fetches the file at a path below ``base`` of at most so many bytes.

    It raises :class:`Refused` with ``path-unsafe``, ``file-missing`` or ``file-too-large``, or ``ConnectionError``, as
    :func:`fetch` does.
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
        Refused: ``file-missing`` where the answer is that there is none, or no answer of the web, or ``address`` is no
            address; ``file-too-large`` where it has more than ``limit`` bytes.
        ConnectionError: there is no whole answer in time, or not now: that says nothing of what would be read.
    """
    from http.client import HTTPException

    try:
        data = _Answer(address, limit).wait()
    except (OSError, ValueError, HTTPException) as error:
        found = str(error) or type(error).__name__
        if _of_the_network(error):
            raise ConnectionError(f"{address}: {found}") from None
        raise Refused([Refusal(slug="file-missing", file=file, expected=address, found=found)]) from None
    if len(data) > limit:
        expected = f"at most {limit} bytes"
        raise Refused([Refusal(slug="file-too-large", file=file, expected=expected, found="more")])
    return data


def _of_the_network(error: Exception) -> bool:
    """Tell whether nobody answered, or not to the end, or only that there is no answer now."""
    from http.client import TOO_MANY_REQUESTS, IncompleteRead
    from urllib.error import HTTPError, URLError

    if isinstance(error, HTTPError):
        return error.code == TOO_MANY_REQUESTS or error.code >= 500
    return isinstance(error, (OSError, IncompleteRead)) and not isinstance(error, URLError)


class _Answer(Thread):
    """The answer of one server. It is read beside the one who waits, since a socket's timeout bounds each wait alone.

    One that is given up ends by itself, with its next byte or when the server has been silent for :data:`DEADLINE`.
    """

    def __init__(self, address: str, limit: int) -> None:
        super().__init__(daemon=True)  # the process need not wait for one that was given up
        self._address = address
        self._limit = limit
        self._body = io.BytesIO()
        self._received = 0
        self._given_up = False
        self._error: Exception | None = None

    def wait(self) -> bytes:
        """Return the bytes, one more than the limit at least where there are more.

        Raises:
            TimeoutError: they do not come in time.
            OSError, ValueError, HTTPException: whatever else the network, the address or the server makes of it.
        """
        begun = monotonic()
        self.start()
        try:
            while self.is_alive():
                passed = monotonic() - begun
                left = self.time_left(passed)
                if left <= 0:
                    raise TimeoutError(f"{self._received} bytes in {passed:.0f} s, and no end")
                self.join(left)
        finally:
            self._given_up = True
        if self._error is not None:
            raise self._error
        return self._body.getvalue()

    def time_left(self, passed: float) -> float:
        """Return how many seconds more it may take, when this many have ``passed`` since it was asked for."""
        return DEADLINE + self._received / SLOWEST - passed

    def run(self) -> None:
        """Read the answer, up to one piece beyond the limit."""
        try:
            self._read()
        except Exception as error:  # noqa: BLE001 (it is raised where it is waited for)
            self._error = error

    def _read(self) -> None:
        import urllib.parse
        import urllib.request
        from http.client import IncompleteRead
        from urllib.error import HTTPError, URLError

        # A proxy for the outside world cannot reach this machine's own addresses.
        local = urllib.parse.urlsplit(self._address).hostname in _LOOPBACK
        opener = urllib.request.build_opener(*([urllib.request.ProxyHandler({})] if local else []))
        try:
            answer = opener.open(self._address, timeout=DEADLINE)
        except HTTPError as error:
            error.close()  # it holds the answer
            raise
        except URLError as error:
            raise error.reason if isinstance(error.reason, OSError) else error from None
        with answer:
            while self._received <= self._limit and not self._given_up:
                piece: bytes = answer.read1(min(MEBIBYTE, self._limit + 1))
                if not piece:
                    if missing := getattr(answer, "length", None):  # less than its head has announced
                        raise IncompleteRead(b"", missing)
                    return
                self._received += self._body.write(piece)
