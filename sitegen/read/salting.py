"""The salt of a transcript: random characters beside a hidden answer, so that its digest cannot be guessed."""

from __future__ import annotations

import msgspec

from sitegen.digests import Digest, sha256
from sitegen.read.transcript import Transcript

SALT_FIELD = "salt"
"""Name of the salt in a transcript's ``extra``."""


def with_salt(transcript: Transcript, salt: str) -> Transcript:
    """Return ``transcript`` with ``salt`` in its ``extra``; one that it has already is kept."""
    extra = {SALT_FIELD: salt, **(transcript.extra or {})}
    return msgspec.structs.replace(transcript, extra=extra)


def answer_digest(transcript: Transcript) -> Digest | None:
    """Return the digest of the answer, salted where the transcript has a salt; ``None`` where there is no answer."""
    if not transcript.artifact:
        return None
    salt = transcript.extra.get(SALT_FIELD) if transcript.extra else None
    salted = f"{salt}{transcript.artifact}" if isinstance(salt, str) else transcript.artifact
    return sha256(salted.encode("utf-8", "surrogatepass"))
