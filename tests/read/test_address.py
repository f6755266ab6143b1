"""Reading over the network: one file at a time, of a known size, in a known time, and never outside the site."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Event, Thread

import pytest

from sitegen.read import address as address_module
from sitegen.read.address import DEADLINE, SLOWEST, fetch, is_address, reader_of
from sitegen.refusals import Refused
from tests.audit.serving import served


@contextmanager
def answering(said: bytes, until: Event | None = None) -> Iterator[str]:
    """Answer one request with these bytes, and hang up when ``until`` is set."""

    def answer() -> None:
        connection, _ = server.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(said)
            if until is not None:
                until.wait(60)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = Thread(target=answer, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        if until is not None:
            until.set()
        thread.join()


def refused(address: str) -> tuple[str, str]:
    with pytest.raises(Refused) as caught:
        fetch(address, "site.json", 100)
    (refusal,) = caught.value.refusals
    assert (refusal.file, refusal.expected) == ("site.json", address)
    return refusal.slug, refusal.found or ""


def test_only_the_web_is_an_address() -> None:
    assert is_address("https://example.org/")
    assert is_address("http://127.0.0.1:1/")
    assert not is_address("_site")
    assert not is_address("file:///etc/passwd")


def test_a_file_is_read_with_its_digest_and_its_cap(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b@c+d.json").write_bytes(b"{}\n")
    with served(tmp_path) as address:
        read = reader_of(address.rstrip("/"))
        assert read("a/b@c+d.json", 3).data == b"{}\n"
        for path, limit, slug in (
            ("a/b@c+d.json", 2, "file-too-large"),
            ("a/b@c+d.json", 0, "file-too-large"),
            ("a/none.json", 100, "file-missing"),
            ("../secret", 100, "path-unsafe"),
        ):
            with pytest.raises(Refused) as refused:
                read(path, limit)
            assert [refusal.slug for refusal in refused.value.refusals] == [slug]


def test_a_file_of_many_pieces_is_whole(tmp_path: Path) -> None:
    data = bytes(range(256)) * 20_000
    (tmp_path / "large").write_bytes(data)
    (tmp_path / "empty").write_bytes(b"")
    with served(tmp_path) as address:
        assert reader_of(address)("large", len(data)).data == data
        assert reader_of(address)("empty", 0).data == b""


def test_a_host_that_does_not_answer_is_a_refusal() -> None:
    assert refused("http://127.0.0.1:9/")[0] == "file-missing"


@pytest.mark.parametrize(
    "address", ["http://[bad", "http://[::1", "http://", "http://a b/", "http://\0/", "https://a:b/"]
)
def test_what_is_no_address_is_a_refusal(address: str) -> None:
    assert refused(address)[0] == "file-missing"


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"garbage\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.7\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\ncut off",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\ncut off",
        b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n",
    ],
)
def test_a_server_that_answers_something_else_is_a_refusal(said: bytes) -> None:
    with answering(said) as address:
        slug, found = refused(address)
    assert slug == "file-missing"
    assert found


@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\n\r\nslowly"])
def test_an_answer_without_end_is_given_up(said: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """At each look at the clock a second more than the deadline has passed; the server never hangs up by itself."""
    clock = count(0, DEADLINE + 1)
    monkeypatch.setattr(address_module, "monotonic", lambda: next(clock))
    with answering(said, Event()) as address:
        slug, found = refused(address)
    assert slug == "file-missing"
    assert "and no end" in found


def test_what_has_come_gives_an_answer_more_time() -> None:
    answer = address_module._Answer("", 0)
    assert answer.time_left(passed=DEADLINE) == 0
    answer._received = 10 * SLOWEST
    assert answer.time_left(passed=DEADLINE) == 10
