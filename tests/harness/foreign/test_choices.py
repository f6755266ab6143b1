from __future__ import annotations

import pytest

from sitegen.harness.foreign.choices import SIGNALS, parse_signal
from sitegen.refusals import Misuse


@pytest.mark.parametrize(
    ("text", "kind", "key", "value"),
    [
        ("never", "never", "", ""),
        ("no-call", "no-call", "", ""),
        ("answer=I cannot = say", "answer", "", "I cannot = say"),
        ("score=N", "score", "", "N"),
        ("tool=transfer_to_human_agents", "tool", "", "transfer_to_human_agents"),
        ("metadata.verdict=abstained", "metadata", "verdict", "abstained"),
    ],
)
def test_signals_are_named(text: str, kind: str, key: str, value: str) -> None:
    signal = parse_signal(text)
    assert (signal.kind, signal.key, signal.value, signal.text) == (kind, key, value, text)


@pytest.mark.parametrize("text", ["", "empty", "answer=", "answer", "metadata.=x", "metadata=x", "blocked", "score"])
def test_nothing_else_is_a_signal_and_the_message_names_all(text: str) -> None:
    """In particular there is none for an empty, a blocked or a malformed answer."""
    with pytest.raises(Misuse) as caught:
        parse_signal(text)
    assert all(name in str(caught.value) for name in SIGNALS)
