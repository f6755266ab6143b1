"""The salt of a transcript: random characters beside a hidden answer, so that its digest cannot be guessed."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from sitegen.digests import Digest, sha256
from sitegen.read.transcript import Transcript, write_transcript

SALT_FIELD = "salt"
"""Name of the salt in a transcript's ``extra``."""


def with_salt(transcript: Transcript, salt: str) -> Transcript:
    """Return ``transcript`` with ``salt`` in its ``extra``; one that it has already is kept."""
    extra = {SALT_FIELD: salt, **(transcript.extra or {})}
    return msgspec.structs.replace(transcript, extra=extra)


def unsalted_digest(transcripts: Iterable[Transcript]) -> Digest:
    """Return a digest of ``transcripts`` that neither their salts nor their order change: two runs have one each."""
    lines = sorted(sha256(write_transcript(_without_salt(row))) for row in transcripts)
    return sha256("".join(lines).encode())


def _without_salt(transcript: Transcript) -> Transcript:
    extra = {name: value for name, value in (transcript.extra or {}).items() if name != SALT_FIELD}
    return msgspec.structs.replace(transcript, extra=extra or None)


def answer_digest(transcript: Transcript) -> Digest | None:
    """Return the digest of the answer, salted where the transcript has a salt; ``None`` where there is no answer."""
    if not transcript.artifact:
        return None
    salt = transcript.extra.get(SALT_FIELD) if transcript.extra else None
    salted = f"{salt}{transcript.artifact}" if isinstance(salt, str) else transcript.artifact
    return sha256(salted.encode("utf-8", "surrogatepass"))
