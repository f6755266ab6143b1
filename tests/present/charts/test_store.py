from __future__ import annotations

from pathlib import Path

from sitegen.present.charts.store import FigureStore


def test_a_figure_is_kept_for_the_next_build(tmp_path: Path) -> None:
    store = FigureStore(tmp_path / "figures")
    assert store.get("a" * 64) is None
    store.put("a" * 64, "<svg/>")
    assert FigureStore(tmp_path / "figures").get("a" * 64) == "<svg/>"
    assert [path.suffix for path in (tmp_path / "figures").iterdir()] == [".svg"]


def test_without_a_folder_it_is_kept_in_memory() -> None:
    store = FigureStore(None)
    store.put("b" * 64, "<svg/>")
    assert store.get("b" * 64) == "<svg/>"
