"""Salted answers: the digest depends on the salt, and a salt that is there is kept."""

from __future__ import annotations

import hashlib

import msgspec

from sitegen.read.salting import answer_digest, unsalted_digest, with_salt
from sitegen.read.transcript import Transcript


def transcript(artifact: str | None) -> Transcript:
    return Transcript(
        task_id="T",
        pack="dataset",
        status="ok",
        abstained=artifact is None,
        artifact=artifact,
        route="r",
        retries=0,
        tool_calls=0,
        wall_clock_sec=0.1,
    )


def test_the_digest_is_of_the_salt_followed_by_the_answer() -> None:
    plain = transcript("yes")
    assert answer_digest(plain) == hashlib.sha256(b"yes").hexdigest()
    assert answer_digest(with_salt(plain, "abc")) == hashlib.sha256(b"abcyes").hexdigest()


def test_no_answer_has_no_digest_salted_or_not() -> None:
    assert answer_digest(with_salt(transcript(None), "abc")) is None
    assert answer_digest(with_salt(transcript(""), "abc")) is None


def test_a_salt_is_kept_and_so_is_the_rest_of_extra() -> None:
    once = with_salt(transcript("yes"), "abc")
    assert with_salt(once, "def") == once


def test_without_salts_the_same_transcripts_are_the_same_in_any_order() -> None:
    first, second = transcript("yes"), transcript("no")
    plain = unsalted_digest([first, second])
    assert unsalted_digest([with_salt(second, "abc"), with_salt(first, "def")]) == plain
    assert unsalted_digest([with_salt(first, "abc"), with_salt(first, "def")]) != plain
    said = msgspec.structs.replace(first, extra={"said": "x"})
    assert unsalted_digest([with_salt(said, "abc")]) == unsalted_digest([said]) != unsalted_digest([first])
