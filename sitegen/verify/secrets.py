"""Keys and tokens in what would be published; mail addresses and private paths beside them.

Patterns are the published forms of well-known credentials, and one for a named value of high entropy. They are narrow
on purpose: a gate that cries wolf is switched off. The text that was found is never shown, nor a digest of one short
enough to be guessed.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sitegen.digests import Digest, sha256
from sitegen.refusals import Refusal

MOST_A_FILE = 5
"""Findings of one file that are told; more would not help."""
_LOOKED_AT = 1 << 20
"""Bytes of a large file that are looked at together."""


@dataclass(frozen=True, slots=True)
class _Form:
    """One form of credential.

    A search for the plain bytes of ``marks`` is far quicker than any pattern; ``pattern`` is tried where one of them
    begins, and its group is the text itself. ``named`` marks are words in any case, whose value is only taken for a
    secret where it looks drawn at random. A text that is ``guessable`` has no digest shown. ``whole`` finds where a
    named mark begins that is followed as ``pattern`` asks: such words are common, and few have a value.

    ``core`` is what all marks share and ``rare`` one byte of it: without them in a file no mark needs to be looked for.
    """

    name: str
    marks: tuple[bytes, ...]
    pattern: re.Pattern[bytes]
    named: bool = False
    guessable: bool = False
    core: bytes = b""
    rare: bytes = b""
    whole: re.Pattern[bytes] | None = None

    @property
    def begins_a_word(self) -> bool:
        """Whether it is one only at the start of a word. A name may stand inside another: ``my_token``."""
        return self.marks[0][:1].isalnum() and not self.named


_Found = tuple[_Form, int, bytes]
"""A form, the line on which the text begins, and the text."""


def _form(name: str, marks: str, pattern: bytes, **kinds: bool) -> _Form:
    words = tuple(mark.encode() for mark in marks.split())
    core = _shared(words)
    rare = min((bytes((byte,)) for byte in core), key=_commonness, default=b"")
    whole = re.compile(re.escape(core) + b"(?=" + pattern + b")") if kinds.get("named") and words == (core,) else None
    return _Form(name, words, re.compile(pattern), **kinds, core=core, rare=rare, whole=whole)


def _shared(words: tuple[bytes, ...]) -> bytes:
    """Return the longest text that every word holds."""
    first = words[0]
    parts = (first[start:end] for end in range(len(first) + 1) for start in range(end))
    return max((part for part in parts if all(part in word for word in words)), key=len, default=b"")


def _commonness(byte: bytes) -> int:
    """Order bytes by how often they stand in evidence: capitals and signs seldom, then letters by their frequency."""
    return b"ABCDEFGHIJKLMNOPQRSTUVWXYZ@\\/:qjzxkvbygwpfmucldrhsnioate_-".find(byte)


_END = rb"(?![A-Za-z0-9_-])"
# Bounded, since what lies between a name and its value may be as long as somebody likes, and is tried at every name.
_VALUE = rb"[\w-]{0,64}\\?[\"']?\s{0,8}(?:[:=]|\s)\s{0,8}\\?[\"']?([A-Za-z0-9+/_=.-]{20,})"

_SECRETS = (
    _form("a private key", "-----BEGIN", rb"(-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----)"),
    _form("an access key of AWS", "AKIA ASIA", rb"((?:AKIA|ASIA)[0-9A-Z]{16})" + _END),
    _form("a token of GitHub", "ghp_ gho_ ghu_ ghs_ ghr_", rb"(gh[pousr]_[A-Za-z0-9]{36,255})" + _END),
    _form("a token of GitHub", "github_pat_", rb"(github_pat_[A-Za-z0-9_]{60,255})" + _END),
    _form("a token of GitLab", "glpat-", rb"(glpat-[A-Za-z0-9_-]{20,})"),
    _form("a token of Slack", "xoxa- xoxb- xoxp- xoxr- xoxs-", rb"(xox[abprs]-[0-9A-Za-z-]{20,})"),
    _form("a key of a model's provider", "sk-", rb"(sk-(?:[a-z0-9]+-)*[A-Za-z0-9_]{32,})"),
    _form("a key of Google", "AIza", rb"(AIza[0-9A-Za-z_-]{35})" + _END),
    _form("a token of Hugging Face", "hf_", rb"(hf_[A-Za-z0-9]{30,})" + _END),
    _form("a token of a package index", "npm_ pypi-AgE", rb"(npm_[A-Za-z0-9]{36}|pypi-AgE[A-Za-z0-9_-]{50,})"),
    _form("a key of Stripe", "sk_live_ rk_live_", rb"([rs]k_live_[0-9A-Za-z]{24,})"),
    _form("a signed token", "eyJ", rb"(eyJ[\w-]{16,}\.eyJ[\w-]{16,}\.[\w-]{20,})"),
    _form("a password in an address", "://", rb"://[^\s/:@\"'\\<>]+:([^\s/:@\"'\\<>]{6,})@\w", guessable=True),
    _form("a named secret", "api_key apikey api-key access_key accesskey", _VALUE, named=True),
    _form("a named secret", "secret", _VALUE, named=True),
    _form("a named secret", "token", _VALUE, named=True),
    _form("a named secret", "password passwd", _VALUE, named=True),
    _form("a named secret", "bearer", _VALUE, named=True),
)
_PRIVATE = (
    _form("a mail address", "@", rb"@(?!example\.)([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[a-z]{2,12})\b", guessable=True),
    _form("the path of a home folder", "/home/ /Users/", rb"(/(?:home|Users)/[A-Za-z][\w.-]*)/", guessable=True),
    _form(
        "the path of a home folder", ":\\Users\\ :\\\\Users\\\\", rb"(:\\{1,2}Users\\{1,2}[\w.-]+)\\", guessable=True
    ),
)
_IN_A_WORD = re.compile(rb"[A-Za-z0-9_-]\Z")
_LOCAL_PART = re.compile(rb"[\w.+-]+\Z")
_PLACEHOLDERS = re.compile(rb"(?i)(?:password|passwd|secret|changeme|x+|\*+|\.+|\$?\{.*)\Z")
_LEAST_ENTROPY = 4.0  # bits a character: random base64 of 20 characters has about 4.1, prose and names about 3.3


def find_secrets(
    path: str,
    data: bytes,
    allowed: frozenset[Digest] = frozenset(),
    strict_privacy: bool = False,
) -> tuple[list[Refusal], list[str]]:
    """Look for credentials and private data in a file that would be published.

    Args:
        path: of the file, for messages.
        data: its bytes.
        allowed: sha256 of texts that were reviewed and are no secret.
        strict_privacy: make mail addresses and private paths faults as well.

    Returns:
        ``evidence-secret`` faults, and warnings in a sentence each. None of them shows the text.
    """
    return _told(path, [(0, data)], allowed, strict_privacy)


def find_secrets_in(
    path: str, parts: Iterable[bytes], allowed: frozenset[Digest] = frozenset(), strict_privacy: bool = False
) -> tuple[list[Refusal], list[str]]:
    """Do the same with a file that is given in parts: lines are looked at together, a mebibyte or more of them."""
    return _told(path, _whole_lines(parts), allowed, strict_privacy)


def _told(
    path: str, texts: Iterable[tuple[int, bytes]], allowed: frozenset[Digest], strict_privacy: bool
) -> tuple[list[Refusal], list[str]]:
    """Return what is said of a file whose ``texts`` are given with the number of the lines before each."""
    secret: dict[_Found, None] = {}
    private: dict[_Found, None] = {}
    for before, data in texts:
        for forms, found in ((_SECRETS, secret), (_PRIVATE, private)):
            for form, offset, text in _findings(forms, data, allowed):
                found[form, before + data.count(b"\n", 0, offset) + 1, text] = None
    secrets, others = [*secret][:MOST_A_FILE], [*private][:MOST_A_FILE]
    if strict_privacy:
        return [_refusal(path, *found) for found in [*secrets, *others]], []
    return [_refusal(path, *found) for found in secrets], [f"{path} line {n} holds {f.name}" for f, n, _ in others]


def _whole_lines(parts: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield (number of lines before, lines); the last one again with the next, as a name may stand above its value."""
    held = bytearray()
    before, new, end = 0, 0, 0
    for part in parts:
        if b"\n" in part:  # looked for in what is new: a line may be as long as the file
            end = len(held) + part.rfind(b"\n") + 1
        held += part
        new += len(part)
        if new >= _LOOKED_AT and end:
            yield before, bytes(held[:end])
            again = held.rfind(b"\n", 0, end - 1) + 1
            before += held.count(b"\n", 0, again)
            del held[:again]
            new, end = len(held) - (end - again), 0
    if held:
        yield before, bytes(held)


def _findings(forms: tuple[_Form, ...], data: bytes, allowed: frozenset[Digest]) -> Iterator[tuple[_Form, int, bytes]]:
    """Yield (form, offset, text) of what is found and not allowed, at most :data:`MOST_A_FILE`."""
    lower = data.lower() if any(form.named for form in forms) else data
    told = 0
    for form in forms:
        searched = lower if form.named else data
        if form.rare not in searched or form.core not in searched:
            continue
        for offset in _offsets(form, searched):
            text = _text_at(form, data, offset)
            if text is not None and sha256(text) not in allowed:
                yield form, offset, text
                told += 1
                if told == MOST_A_FILE:
                    return


def _offsets(form: _Form, data: bytes) -> Iterator[int]:
    if form.whole is not None:
        yield from (match.start() for match in form.whole.finditer(data))
        return
    for mark in form.marks:
        offset = data.find(mark)
        while offset >= 0:
            yield offset
            offset = data.find(mark, offset + 1)


def _text_at(form: _Form, data: bytes, offset: int) -> bytes | None:
    """Return the secret that begins with the mark at ``offset``, or ``None``."""
    before = data[max(0, offset - 64) : offset]
    if form.begins_a_word and _IN_A_WORD.search(before):
        return None  # before the pattern is tried: at every mark of a long word it might read to the word's end
    match = form.pattern.match(data, offset)
    if match is None:
        return None
    text = match.group(1)
    if form.name == "a mail address":
        local = _LOCAL_PART.search(before)
        return local.group() + b"@" + text if local else None
    if form.named:
        return text if _is_random(text) else None
    if form.name == "a password in an address":
        return None if _PLACEHOLDERS.match(text) else text
    return text


def _is_random(text: bytes) -> bool:
    """Tell whether a named value looks drawn at random: of all three kinds of characters, and with little repetition.

    Digests in hexadecimal have no capitals, and words and placeholders little entropy; neither is a secret.
    """
    kinds = (rb"[a-z]", rb"[A-Z]", rb"[0-9]")
    if not all(re.search(kind, text) for kind in kinds):
        return False
    counts = Counter(text).values()
    entropy = -sum(count / len(text) * math.log2(count / len(text)) for count in counts)
    return entropy >= min(_LEAST_ENTROPY, 0.92 * math.log2(len(text)))


def _refusal(path: str, form: _Form, line: int, text: bytes) -> Refusal:
    digest = "the sha256 of the exact text" if form.guessable else sha256(text)
    hint = f"after review, put {digest} into allow_secrets in sitegen.toml"
    place = f"line {line}"
    return Refusal(slug="evidence-secret", file=path, path=place, expected="nothing secret", found=form.name, hint=hint)
