"""Whether a foreign row is an abstention: only by an explicit signal that the user named."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sitegen.harness.foreign.choices import Signal
from sitegen.harness.foreign.sample import Sample

_SPEAKS_OF_THE_ANSWER = frozenset(("no-call", "answer", "score"))


def decide(sample: Sample, signals: Iterable[Signal], score: Any) -> tuple[bool | None, str | None, str | None]:
    """Return (abstained, artifact, other text) of a row.

    An error, a timeout, a blocked or an unparseable row is never an abstention, nor is an empty answer: silence is no
    statement. Without a signal abstention is unknown (``None``). A signal that speaks of the answer itself (it *is* the
    abstention) takes the artifact away and keeps the text; any other signal leaves the artifact, so that a solver which
    said that it abstained and handed something in all the same is held to what it handed in.
    """
    answer = sample.answer or None
    if sample.status != "ok":
        return False, answer, sample.said
    fired = [signal for signal in signals if _fires(signal, sample, score)]
    if not fired:
        return (False if signals else None), answer, sample.said
    if any(signal.kind in _SPEAKS_OF_THE_ANSWER for signal in fired):
        return True, None, sample.said or answer
    return True, answer, sample.said


def _fires(signal: Signal, sample: Sample, score: Any) -> bool:
    text = (sample.said or sample.answer or "").strip()
    match signal.kind:
        case "no-call":
            return sample.tool_calls == 0 and not sample.answer and bool(text)
        case "answer":
            return text == signal.value.strip() != ""
        case "score":
            return bool(text) and score is not None and _as_text(score) == signal.value
        case "tool":
            return sample.tools is not None and signal.value in sample.tools
        case "metadata":
            value = sample.metadata.get(signal.key)
            return value is not None and _as_text(value) == signal.value
        case _:
            return False


def _as_text(value: Any) -> str:
    """Return a JSON value as a user would type it on a command line."""
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)
