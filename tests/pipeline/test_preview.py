"""The preview answers to loopback names only, with listed files only, and with refusals while there are any."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator

import pytest

from sitegen.pipeline.build import build_site
from sitegen.pipeline.preview import Preview, make_server
from sitegen.refusals import Refusal


@pytest.fixture(scope="module")
def preview(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Preview, int]]:
    root = tmp_path_factory.mktemp("root")
    build_site(root, root / "_site")
    (root / "secret.txt").write_text("outside the site")
    (root / "_site" / "unlisted.html").write_text("not in site.json")
    shown = Preview(root / "_site")
    shown.show()
    server = make_server(shown, 0)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield shown, server.server_address[1]
    server.shutdown()
    server.server_close()


def ask(port: int, path: str, host: str | None = None, method: str = "GET") -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.request(method, path, headers={"Host": host or f"127.0.0.1:{port}"})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


@pytest.mark.parametrize("path", ["/", "/index.html", "/refused/", "/site.json", "/SHA256SUMS"])
def test_a_listed_file_is_served(preview: tuple[Preview, int], path: str) -> None:
    status, body = ask(preview[1], path)
    assert status == 200
    assert body


def test_a_page_carries_the_reload_script_and_a_folder_redirects(preview: tuple[Preview, int]) -> None:
    assert b"/-/reload.js" in ask(preview[1], "/")[1]
    assert ask(preview[1], "/refused")[0] == 301


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/./../secret.txt",
        "//secret.txt",
        "/unlisted.html",
        "/index.html%00.txt",
        "/%ff",
        "/protocols/../../secret.txt",
    ],
)
def test_nothing_else_is_served(preview: tuple[Preview, int], path: str) -> None:
    status, body = ask(preview[1], path)
    assert status == 404
    assert b"outside the site" not in body
    assert b"not in site.json" not in body


@pytest.mark.parametrize("host", ["example.org", "127.0.0.1.example.org", "localhost.example.org:80", ""])
def test_a_foreign_host_is_turned_away(preview: tuple[Preview, int], host: str) -> None:
    with socket.create_connection(("127.0.0.1", preview[1]), timeout=5) as raw:
        raw.sendall(f"GET / HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
        assert raw.recv(65536).startswith(b"HTTP/1.0 421")


@pytest.mark.parametrize("host", ["localhost", "[::1]", "127.0.0.1"])
def test_loopback_names_are_answered(preview: tuple[Preview, int], host: str) -> None:
    assert ask(preview[1], "/", host)[0] == 200
    assert ask(preview[1], "/", f"{host}:8000")[0] == 200


def test_another_method_is_not_understood(preview: tuple[Preview, int]) -> None:
    assert ask(preview[1], "/", method="POST")[0] == 501
    assert ask(preview[1], "/", method="HEAD") == (200, b"")


def test_while_something_is_refused_every_address_says_what(preview: tuple[Preview, int]) -> None:
    shown, port = preview
    before = int(ask(port, "/-/generation")[1])
    try:
        shown.show([Refusal(slug="dataset-drift", file="<script>alert(1)</script>")])
        status, body = ask(port, "/protocols/x/")
        assert status == 503
        assert b"dataset-drift" in body
        assert b"<script>alert" not in body
        assert int(ask(port, "/-/generation")[1]) == before + 1
    finally:
        shown.show()
