"""A protocol difference in words: the verdict, every change, foreign text made harmless."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.compare.wording import NEVER, as_markdown, as_object, as_text, needed, shown_value
from tests.compare.test_protocols import TASKS, difference
from tests.sites import negative_tasks, ordinary_tasks


def test_the_renderings_say_the_verdict_and_what_is_never_done(tmp_path: Path) -> None:
    found = difference(tmp_path, tasks=[*TASKS, {**TASKS[0], "id": "evil | `x`\x1b[31m", "prompt": "new"}])
    for text in (as_text(found), as_markdown(found)):
        assert "re-run" in text
        assert NEVER in text
        assert "\x1b" not in text
    row = "| `dataset: added` |  | `evil / 'x'\\x1b[31m` | re-run: nobody has answered them yet |"
    assert row in as_markdown(found)
    assert as_object(found)["verdict"] == "re-run"


def test_what_is_needed_names_the_command_or_the_versions(tmp_path: Path) -> None:
    mended = difference(tmp_path / "a", {"tasks": TASKS}, tasks=[{**TASKS[0], "oracle": "one"}, *TASKS[1:]])
    assert "sitegen rescore RUN_ID --under demo.v2" in needed(mended)
    apart = difference(tmp_path / "b", tasks=[*ordinary_tasks(20, first=50), *negative_tasks(10, first=50)])
    assert "no question in common" in needed(apart)


def test_many_ids_are_counted_in_text_and_listed_in_full_for_programs(tmp_path: Path) -> None:
    found = difference(tmp_path, ordinary=40)
    assert "T-028 and 12 more" in as_text(found)
    (added,) = [change for change in as_object(found)["changes"] if change["kind"] == "added"]
    assert len(added["new"]) == 20


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "not set"), (True, "true"), (60.0, "60"), ((), "none"), (("a", "b"), "a, b"), ("x\u202ey", "x\\u202ey")],
)
def test_values_are_short_printable_text(value: object, text: str) -> None:
    assert shown_value(value) == text
