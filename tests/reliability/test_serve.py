"""The preview by raw socket: nothing but the listed files, to loopback names, within bounds."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitegen.pipeline.build import build_site
from sitegen.pipeline.preview import Preview, make_server
from tests.reliability.scenes import make_site, note, second_generation

SECRET = b"not for anybody"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, drawn: Path) -> Iterator[tuple[int, Preview, Path]]:
    root = tmp_path_factory.mktemp("served")
    site = make_site(root / "site")
    output = root / "www" / "out"
    build_site(site, output, cache=drawn / "sitegen")
    (root / "www" / "secret.txt").write_bytes(SECRET)
    (output / "unlisted.txt").write_bytes(SECRET)
    (output / "link.html").symlink_to(root / "www" / "secret.txt")
    preview = Preview(output)
    preview.show()
    server = make_server(preview, 0)
    handler = server.RequestHandlerClass
    assert getattr(handler, "timeout") == 10  # noqa: B009 (a plain attribute of the base class is None)
    handler.timeout = 2  # type: ignore[attr-defined] (the tests shall not take so long)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield int(server.server_address[1]), preview, site
    server.shutdown()
    server.server_close()
    thread.join(timeout=10)


def ask(port: int, request: bytes, timeout: float = 20) -> bytes:
    """Send raw bytes and return the whole answer, or what arrived of it before the server hung up."""
    parts = []
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as connection:
        with contextlib.suppress(ConnectionError):  # hung up on while we were still talking
            connection.sendall(request)
        with contextlib.suppress(ConnectionError):
            while part := connection.recv(1 << 16):
                parts.append(part)
    return b"".join(parts)


def get(port: int, path: bytes, host: bytes = b"localhost", method: bytes = b"GET") -> bytes:
    return ask(port, method + b" " + path + b" HTTP/1.1\r\nHost: " + host + b"\r\n\r\n")


def status(answer: bytes) -> int:
    return int(answer.split(None, 2)[1])


OUTSIDE = [
    b"/../secret.txt",
    b"/%2e%2e/secret.txt",
    b"/%2E%2E%2Fsecret.txt",
    b"/..%2fsecret.txt",
    b"/%252e%252e/secret.txt",
    b"/./../secret.txt",
    b"/assets/../../secret.txt",
    b"//secret.txt",
    b"///etc/passwd",
    b"/..\\secret.txt",
    b"/..%5csecret.txt",
    b"/%00secret.txt",
    b"/index.html%00.txt",
    b"/..;/secret.txt",
    b"/%c0%ae%c0%ae/secret.txt",
    b"/unlisted.txt",
    b"/link.html",
    b"/.out.lock",
    b"http://localhost/../secret.txt",
    b"http://example.org/secret.txt",
    b"file:///etc/passwd",
    b"../secret.txt",
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_nothing_outside_the_list_is_served(path: bytes, served: tuple[int, Preview, Path]) -> None:
    answer = get(served[0], path)
    assert SECRET not in answer
    assert b"root:" not in answer
    assert status(answer) in (301, 400, 404)


def test_a_listed_file_that_became_a_link_is_not_followed(served: tuple[int, Preview, Path]) -> None:
    port, preview, _ = served
    page = preview.site / "refused" / "index.html"
    kept = page.read_bytes()
    page.unlink()
    page.symlink_to(preview.site.parent / "secret.txt")
    assert status(get(port, b"/refused/")) == 404
    page.unlink()
    page.write_bytes(kept)
    assert status(get(port, b"/refused/")) == 200


@pytest.mark.parametrize(
    "host", [b"example.org", b"127.0.0.1.example.org", b"localhost.example.org:8000", b"", b"evil\xff", b"[::2]"]
)
def test_a_foreign_name_gets_nothing(host: bytes, served: tuple[int, Preview, Path]) -> None:
    answer = get(served[0], b"/", host)
    assert status(answer) in (400, 421)
    assert b"<html" not in answer.lower().split(b"\r\n\r\n", 1)[1] or status(answer) == 400


@pytest.mark.parametrize("host", [b"localhost", b"127.0.0.1", b"localhost:8000", b"[::1]:8000"])
def test_a_loopback_name_gets_the_site(host: bytes, served: tuple[int, Preview, Path]) -> None:
    assert status(get(served[0], b"/", host)) == 200


@pytest.mark.parametrize("method", [b"POST", b"PUT", b"DELETE", b"OPTIONS", b"TRACE", b"CONNECT", b"PROPFIND"])
def test_nothing_is_taken(method: bytes, served: tuple[int, Preview, Path]) -> None:
    assert status(get(served[0], b"/", method=method)) == 501


REFUSED = (b"this preview answers", b"<!DOCTYPE HTML>")
"""To a request so old or so broken that the answer has no status line."""
HUGE = {
    "a line": b"GET /" + b"a" * (1 << 20) + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a header": b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * (1 << 20) + b"\r\n\r\n",
    "headers": b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: a\r\n" * 100_000 + b"\r\n",
    "no request": bytes(range(256)) * 64 + b"\r\n\r\n",
    "a version": b"GET / HTTP/99999999999999999999.9\r\nHost: localhost\r\n\r\n",
    "old": b"GET /\r\n\r\n",
}


@pytest.mark.parametrize("what", HUGE)
def test_a_huge_or_broken_request_is_turned_away(
    what: str, served: tuple[int, Preview, Path], capfd: pytest.CaptureFixture[str]
) -> None:
    began = time.monotonic()
    answer = ask(served[0], HUGE[what])
    assert time.monotonic() - began < 10
    assert "Traceback" not in capfd.readouterr().err
    assert answer == b"" or b" 4" in answer[:14] or b" 5" in answer[:14] or answer.startswith(REFUSED)
    assert status(get(served[0], b"/")) == 200


def test_slow_clients_hold_up_nobody(served: tuple[int, Preview, Path]) -> None:
    """Forty that say half a request and wait; each is hung up on after its deadline."""
    port = served[0]
    slow = [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in range(40)]
    for connection in slow:
        connection.sendall(b"GET / HTTP/1.1\r\nHost:")
    began = time.monotonic()
    assert status(get(port, b"/")) == 200
    assert time.monotonic() - began < 5
    note("serve", "short", outside=len(OUTSIDE), methods=7, huge=len(HUGE), slow=len(slow), wrong=0)
    for connection in slow:
        connection.close()


def test_a_client_that_hangs_up_is_no_trouble(
    served: tuple[int, Preview, Path], capfd: pytest.CaptureFixture[str]
) -> None:
    port = served[0]
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset, not an end
            connection.sendall(b"GET /data/reports.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert status(get(port, b"/")) == 200
    assert capfd.readouterr().err == ""


def test_a_client_that_does_not_go_on_is_hung_up_on(served: tuple[int, Preview, Path]) -> None:
    began = time.monotonic()
    assert ask(served[0], b"GET / HTTP/1.1\r\n", timeout=40) == b""
    assert time.monotonic() - began < 20


def test_a_request_during_a_switch_gets_a_whole_page(served: tuple[int, Preview, Path], drawn: Path) -> None:
    port, preview, site = served
    second_generation(site)
    for name in ("unlisted.txt", "link.html"):
        (preview.site / name).unlink(missing_ok=True)
    build_site(site, preview.site, cache=drawn / "sitegen")
    preview.show()
    answer = get(port, b"/")
    head, body = answer.split(b"\r\n\r\n", 1)
    assert int(head.lower().split(b"content-length: ")[1].split()[0]) == len(body)
