from __future__ import annotations

from sitegen.harness.foreign.sample import Sample


def test_calls_are_counted_from_the_tools_unless_said_otherwise() -> None:
    assert Sample(id="a", place="").tool_calls is None
    assert Sample(id="a", place="", tools=()).tool_calls == 0
    assert Sample(id="a", place="", tools=("x", "x")).tool_calls == 2
    assert Sample(id="a", place="", calls=1).tool_calls == 1
