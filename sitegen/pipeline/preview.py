"""Serve a built site on loopback while its owner works on it.

Only what the site's own list names is served, only to a loopback Host, only to GET and HEAD. While the inputs are
refused, every address answers with the refusals. A page reloads itself when a new build is in place.
"""

from __future__ import annotations

import html
import json
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sitegen.read.files import Tree
from sitegen.refusals import Refusal, Refused
from sitegen.refusals.message import as_text
from sitegen.write.listing import MARKER, SUMS

LOOPBACK = "127.0.0.1"
RELOAD_SCRIPT = "/-/reload.js"
GENERATION = "/-/generation"
_HOSTS = frozenset(("127.0.0.1", "localhost", "[::1]"))
_DEADLINE_SEC = 10
_SCRIPT = b"""const seen = document.currentScript.dataset.generation;
setInterval(async () => {
  try {
    const answer = await fetch("/-/generation");
    if (answer.ok && (await answer.text()) !== seen) location.reload();
  } catch { /* the server is away; it may come back */ }
}, 1000);
"""
_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "png": "image/png",
    "xml": "application/xml",
    "csv": "text/csv; charset=utf-8",
}


@dataclass(slots=True)
class Preview:
    """What is served just now. ``generation`` grows with every build, also with one that was refused."""

    site: Path
    trust_stat: bool = False
    generation: int = 0
    refusals: Sequence[Refusal] = ()
    paths: frozenset[str] = frozenset()
    lock: threading.Lock = field(default_factory=threading.Lock)

    def show(self, refusals: Sequence[Refusal] = ()) -> None:
        """Take the site as it is now, or these refusals in its place."""
        paths = frozenset() if refusals else _listed(self.site)
        with self.lock:
            self.generation += 1
            self.refusals, self.paths = tuple(refusals), paths


def make_server(preview: Preview, port: int) -> ThreadingHTTPServer:
    """Return a server of ``preview`` on loopback; ``port`` 0 takes any that is free.

    Raises:
        OSError: the port is taken.
    """

    class Handler(_Handler):
        shown = preview

    return _Server((LOOPBACK, port), Handler)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a reader who hung up before the answer was whole; anything else is a bug and shows."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    """Answers one request. ``shown`` is set by :func:`make_server`."""

    shown: Preview
    protocol_version = "HTTP/1.0"
    server_version = "sitegen"
    sys_version = ""
    timeout = _DEADLINE_SEC

    def do_GET(self) -> None:
        """Answer with a file of the site, the refusals, or the reload script."""
        host = self.headers.get("Host", "")
        if host.rsplit(":", 1)[0] not in _HOSTS and host not in _HOSTS:
            self._answer(HTTPStatus.MISDIRECTED_REQUEST, "text/plain", b"this preview answers to loopback names only\n")
            return
        with self.shown.lock:
            generation, refusals, paths = self.shown.generation, self.shown.refusals, self.shown.paths
        path = unquote(urlsplit(self.path).path, errors="replace")
        if path == GENERATION:
            self._answer(HTTPStatus.OK, "text/plain", str(generation).encode())
        elif path == RELOAD_SCRIPT:
            self._answer(HTTPStatus.OK, _TYPES["js"], _SCRIPT)
        elif refusals:
            self._answer(HTTPStatus.SERVICE_UNAVAILABLE, _TYPES["html"], _refusal_page(refusals, generation))
        else:
            self._file(path, paths, generation)

    do_HEAD = do_GET  # noqa: N815 (the name that the base class looks for)

    def _file(self, path: str, paths: frozenset[str], generation: int) -> None:
        name = path.removeprefix("/")
        if name == "" or name.endswith("/"):
            name += "index.html"
        status = HTTPStatus.OK if name in paths else HTTPStatus.NOT_FOUND
        if status is HTTPStatus.NOT_FOUND:
            if f"{name}/index.html" in paths:
                self._redirect(f"/{name}/")
                return
            name = "404.html"
        try:
            with Tree(self.shown.site) as tree:
                data = tree.read(name).data
        except Refused:
            self._answer(HTTPStatus.NOT_FOUND, "text/plain", b"not found\n")
            return
        kind = _TYPES.get(name.rpartition(".")[2], "text/plain; charset=utf-8")
        self._answer(status, kind, _reloading(data, generation) if name.endswith(".html") else data)

    def _redirect(self, place: str) -> None:
        self.send_response(HTTPStatus.MOVED_PERMANENTLY)
        self.send_header("Location", place)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _answer(self, status: HTTPStatus, kind: str, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name of the base class)
        """Say nothing: a request is not worth a line."""


def _listed(site: Path) -> frozenset[str]:
    with Tree(site) as tree:
        files = json.loads(tree.read(MARKER).data)["files"]
    return frozenset((MARKER, SUMS, *(file["path"] for file in files)))


def _reloading(page: bytes, generation: int) -> bytes:
    script = f'<script src="{RELOAD_SCRIPT}" data-generation="{generation}"></script>'.encode()
    return page.replace(b"</body>", script + b"</body>", 1)


def _refusal_page(refusals: Sequence[Refusal], generation: int) -> bytes:
    text = "\n\n".join(html.escape(as_text(refusal)) for refusal in refusals)
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Refused</title></head>'
        f"<body><h1>Nothing is published while this is refused</h1><pre>{text}</pre></body></html>\n"
    )
    return _reloading(page.encode(), generation)
