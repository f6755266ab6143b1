"""The secrets gate: credentials stop a build, private data warn, digests and tasks do neither."""

from __future__ import annotations

import hashlib
import random
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitegen.refusals.message import as_text
from sitegen.verify import secrets
from sitegen.verify.secrets import MOST_A_FILE, find_secrets, find_secrets_in
from tests.pace import least_seconds

LONG = 300_000
SHARED = Path(__file__).resolve().parents[3] / "shared"


def drawn(count: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """Characters drawn at random, so that nothing that looks like a key stands in this file."""
    return "".join(random.Random(count).choices(alphabet, k=count))


SECRETS = {
    "a private key": "-----BEGIN " + "RSA PRIVATE KEY-----",
    "an access key of AWS": "AK" + "IA" + drawn(16, string.ascii_uppercase + string.digits),
    "a token of GitHub": "gh" + "p_" + drawn(36),
    "a token of GitHub ": "github" + "_pat_" + drawn(82),
    "a token of GitLab": "gl" + "pat-" + drawn(20),
    "a token of Slack": "xox" + "b-" + drawn(12, string.digits) + "-" + drawn(24),
    "a key of a model's provider": "sk" + "-proj-" + drawn(48),
    "a key of Google": "AI" + "za" + drawn(35),
    "a token of Hugging Face": "hf" + "_" + drawn(34),
    "a token of a package index": "npm" + "_" + drawn(36),
    "a key of Stripe": "sk" + "_live_" + drawn(24),
    "a signed token": "ey" + "J" + drawn(30) + ".ey" + "J" + drawn(60) + "." + drawn(43),
}


@pytest.mark.parametrize("kind", SECRETS)
@pytest.mark.parametrize("around", ["{}", 'key = "{}"\n', '{{"a": "\\"{}\\""}}\n', "see {}, please"])
def test_a_credential_is_a_fault_and_is_never_shown(kind: str, around: str) -> None:
    text = SECRETS[kind]
    faults, warnings = find_secrets("x/transcripts.jsonl", b"first\n" + around.format(text).encode())
    assert [fault.found for fault in faults][:1] == [kind.strip()]
    assert faults[0].path == "line 2"
    assert warnings == []
    assert all(text[-12:] not in as_text(fault) for fault in faults)


def test_a_named_value_that_looks_random_is_a_fault() -> None:
    value = drawn(40)
    for name in ("api_key", "API-KEY", "client_secret", "access_token", "Password"):
        assert [fault.found for fault in find_secrets("x", f'{{"{name}": "{value}"}}'.encode())[0]] == [
            "a named secret"
        ]
    assert find_secrets("x", f"Authorization: Bearer {value}".encode())[0] != []


@pytest.mark.parametrize(("kinds", "is_secret"), [("0123ABCDEFabcdef", True), ("012ABCDEFabcdef", False)])
def test_a_value_of_four_bits_a_character_looks_random(kinds: str, is_secret: bool) -> None:
    """Sixteen characters in equal shares have exactly four, and fifteen have fewer."""
    assert bool(find_secrets("x", f"token: {kinds * 3}".encode())[0]) is is_secret


@pytest.mark.parametrize(
    "harmless",
    [
        hashlib.sha256(b"").hexdigest(),
        f'"token": "{hashlib.sha256(b"x").hexdigest()}"',
        'api_key: "YOUR_API_KEY_GOES_IN_HERE"',
        '"password": "correct-horse-battery-staple"',
        "token: abcdefghijklm0123456789nopqrstuvwxyz",
        "token: ABCDEFGHIJKLM0123456789NOPQRSTUVWXYZ",
        "token: ABCDEFGHIJKLMabcdefghijklmnopqrstuvwxyz",
        "secret = os.environ['THE_SECRET_OF_THIS_PROGRAM']",
        "tokens_in: 12345678901234567890",
        "a risk-averse-and-careful-person-of-the-trade-x",
        "task-01234567890123456789012345678901234567",
        "https://example.org:8080/a@b",
        "https://user:password@host/",
        "write to someone@example.org",
        "/home/",
    ],
)
def test_what_is_no_secret_passes(harmless: str) -> None:
    assert find_secrets("x", harmless.encode(), strict_privacy=True) == ([], [])


def test_mail_addresses_and_home_folders_warn_and_stop_only_when_asked() -> None:
    data = b"Jane <jane.doe@uni-somewhere.de>\n/home/jane/run.sh\nC:\\Users\\jane\\run.bat\n"
    faults, warnings = find_secrets("notes", data)
    assert faults == []
    assert len(warnings) == 3
    assert not any("jane" in warning for warning in warnings)
    strict, none = find_secrets("notes", data, strict_privacy=True)
    assert (len(strict), none) == (3, [])
    assert "jane" not in "".join(map(as_text, strict))


def test_a_secret_stands_before_private_data_that_are_asked_for() -> None:
    data = f"jane.doe@uni-somewhere.de\ntoken: {drawn(40)}\n".encode()
    faults, warnings = find_secrets("notes", data, strict_privacy=True)
    found = [(fault.path, fault.found) for fault in faults]
    assert (found, warnings) == ([("line 2", "a named secret"), ("line 1", "a mail address")], [])


def test_a_guessable_text_has_no_digest_shown() -> None:
    faults, _ = find_secrets("x", b"postgres://admin:hunter2!@db.internal/x")
    digest = hashlib.sha256(b"hunter2!").hexdigest()
    assert [fault.found for fault in faults] == ["a password in an address"]
    assert digest not in as_text(faults[0])
    assert find_secrets("x", b"postgres://admin:hunter2!@db.internal/x", frozenset((digest,))) == ([], [])


def test_a_reviewed_text_passes_by_its_digest() -> None:
    text = SECRETS["a key of a model's provider"].encode()
    (fault,), _ = find_secrets("x", text)
    digest = hashlib.sha256(text).hexdigest()
    assert digest in (fault.hint or "")
    assert find_secrets("x", text, frozenset((digest,))) == ([], [])


def test_a_file_full_of_keys_is_told_briefly() -> None:
    data = "\n".join("gh" + "p_" + drawn(36) for _ in range(50)).encode()
    assert len(find_secrets("x", data)[0]) == MOST_A_FILE


def test_the_real_pack_and_its_transcripts_hold_no_secret() -> None:
    folder = SHARED / "data" / "bfcl-pack"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not here: real transcripts are not in this repository")
    for path in folder.rglob("*"):
        if path.is_file():
            assert find_secrets(path.name, path.read_bytes())[0] == []


def test_no_mark_is_missed_by_what_is_looked_for_first() -> None:
    for form in (*secrets._SECRETS, *secrets._PRIVATE):
        for mark in form.marks:
            assert form.core in mark
            assert form.rare in form.core


def test_what_marks_share_is_the_longest_text_in_all_of_them() -> None:
    assert secrets._shared((b"password", b"passwd")) == b"passw"
    assert secrets._shared((b"api_key", b"api-key", b"access_key")) == b"key"
    assert secrets._shared((b"token",)) == b"token"


@pytest.mark.parametrize(
    ("named", "marks", "text", "found"),
    [
        (False, "mark-", "mark-VALUE", True),
        (False, "mark- sign-", "sign-VALUE", True),
        (True, "token", "my_TOKEN: VALUE", True),
        (True, "password passwd", "passwd: VALUE", True),
        (True, "password passwd", "passwort: VALUE", False),
        (True, "api_key apikey", "monkey: VALUE", False),
    ],
)
def test_a_form_finds_what_has_one_of_its_marks_whole(named: bool, marks: str, text: str, found: bool) -> None:
    value = drawn(40)
    form = secrets._form("a key", marks, secrets._VALUE if named else rb"((?:mark|sign)-\w{20,})", named=named)
    texts = [text for _, _, text in secrets._findings((form,), text.replace("VALUE", value).encode(), frozenset())]
    assert [text[-40:] for text in texts] == ([value.encode()] if found else [])


def test_a_common_word_is_looked_at_only_where_a_value_follows() -> None:
    """It stands on every line of some transcripts."""
    form = secrets._form("a key", "token", secrets._VALUE, named=True)
    assert list(secrets._offsets(form, b"a token, a token: " + drawn(40).encode())) == [11]


@pytest.mark.parametrize("piece", [1, 7, 100, 10_000])
@pytest.mark.parametrize("strict", [False, True])
def test_a_file_in_parts_is_searched_as_it_is_whole(piece: int, strict: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is looked at together, and where a name stands above its value."""
    secret = drawn(24)
    lines = [b"a line\n" * 5, f"token:\n  {secret}\n".encode(), b"ann@mail.test\n", b"\n", b"x" * 50 + b"\n"]
    data = b"".join(lines * 2) + f"/home/ann/x\npassword: {drawn(25)}".encode()
    parts = [data[at : at + piece] for at in range(0, len(data), piece)]
    for together in (1, 20, 60, 200, 1 << 20):
        monkeypatch.setattr(secrets, "_LOOKED_AT", together)
        assert find_secrets_in("x", parts, strict_privacy=strict) == find_secrets("x", data, strict_privacy=strict)


def test_of_a_file_in_parts_no_more_is_told_than_of_a_whole_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "_LOOKED_AT", 1)
    parts = [f"token: {drawn(24 + number)}\n".encode() for number in range(3 * MOST_A_FILE)]
    assert len(find_secrets_in("x", parts)[0]) == MOST_A_FILE
    assert find_secrets_in("x", []) == ([], [])


@pytest.mark.parametrize(
    ("parts", "texts"),
    [
        ([b"a\n", b"b\n", b"c"], [(0, b"a\nb\n"), (1, b"b\nc")]),
        ([b"a\n", b"b\n", b"c\n"], [(0, b"a\nb\n"), (1, b"b\nc\n")]),
        ([b"a\n", b"b", b"c\n"], [(0, b"a\nbc\n"), (1, b"bc\n")]),
        ([b"a\n", b"b\nc", b"d"], [(0, b"a\nb\n"), (1, b"b\ncd")]),
        ([b"a", b"bcd", b"ef\n"], [(0, b"abcdef\n"), (0, b"abcdef\n")]),
    ],
)
def test_whole_lines_are_looked_at_together_once_there_are_enough(
    parts: list[bytes], texts: list[tuple[int, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never a piece of a line, in which half of a value might be taken for another one."""
    monkeypatch.setattr(secrets, "_LOOKED_AT", 4)
    assert list(secrets._whole_lines(parts)) == texts


def long_texts() -> Iterator[bytes]:
    """Yield texts that a careless pattern reads again from each of many places."""
    for form in (*secrets._SECRETS, *secrets._PRIVATE):
        for mark in form.marks:
            for more in (mark, b"a", b" ", b"a.", b"a-", b"a ", b"a" * 16 + b"." + mark, b"\\", b"A1b" + mark):
                yield mark + more * (LONG // len(more))


def test_no_text_takes_long() -> None:
    for text in long_texts():
        assert least_seconds(1, find_secrets, "evidence/x", text) < 1, text[:80]
