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


def untold(address: str) -> str:
    with pytest.raises(ConnectionError) as caught:
        fetch(address, "site.json", 100)
    where, _, found = str(caught.value).partition(": ")
    assert where == address
    return found


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


def test_a_host_that_does_not_answer_tells_nothing_of_the_file() -> None:
    assert "refused" in untold("http://127.0.0.1:9/")


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\ncut off",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\ncut off",
        b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n",
    ],
)
def test_nor_does_an_answer_that_is_cut_off_or_put_off(said: bytes) -> None:
    with answering(said) as address:
        assert untold(address)


@pytest.mark.parametrize(
    "address", ["http://[bad", "http://[::1", "http://", "http://a b/", "http://\0/", "https://a:b/"]
)
def test_what_is_no_address_is_a_refusal(address: str) -> None:
    assert refused(address)[0] == "file-missing"


@pytest.mark.parametrize(
    "said",
    [
        b"garbage\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.7\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n",
        b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n",
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
        assert "and no end" in untold(address)


def test_an_answer_that_has_no_end_at_its_deadline_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = count(0, DEADLINE)
    monkeypatch.setattr(address_module, "monotonic", lambda: next(clock))
    with answering(b"", Event()) as address:
        assert untold(address) == f"0 bytes in {DEADLINE} s, and no end"


def test_an_answer_that_was_given_up_ends_with_its_next_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long its server goes on."""
    clock = count(0, DEADLINE + 1)
    monkeypatch.setattr(address_module, "monotonic", lambda: next(clock))
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        answer = address_module._Answer(f"http://127.0.0.1:{server.getsockname()[1]}/", 100)
        with pytest.raises(TimeoutError):
            answer.wait()
        connection, _ = server.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\nx")
            answer.join(10)
            assert not answer.is_alive()


def test_no_more_is_waited_for_than_tells_that_it_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server never hangs up by itself."""
    monkeypatch.setattr(address_module, "DEADLINE", 10)
    with answering(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 200, Event()) as address, pytest.raises(Refused) as caught:
        fetch(address, "site.json", 100)
    assert [refusal.slug for refusal in caught.value.refusals] == ["file-too-large"]


def test_an_error_without_words_is_named_by_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    def cut_off(self: object) -> None:
        raise ConnectionResetError

    monkeypatch.setattr(address_module._Answer, "_read", cut_off)
    assert untold("http://127.0.0.1:9/") == "ConnectionResetError"


def test_a_proxy_is_asked_for_all_but_this_machines_own_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    said = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
    with answering(said + b"proxy") as proxy, answering(said + b"local") as address:
        monkeypatch.setenv("http_proxy", proxy)
        assert fetch(address, "site.json", 100) == b"local"
        assert fetch("http://somewhere.invalid/", "site.json", 100) == b"proxy"


def test_what_has_come_gives_an_answer_more_time() -> None:
    answer = address_module._Answer("", 0)
    assert answer.time_left(passed=DEADLINE) == 0
    answer._received = 10 * SLOWEST
    assert answer.time_left(passed=DEADLINE) == 10
