from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from sitegen.present.charts.specs import LABEL, TICK, TONES, face, specification

KINDS = ("forest", "scatter", "wall_clock", "strip")


@pytest.mark.parametrize("kind", KINDS)
def test_a_specification_is_valid_and_holds_no_data_and_no_address(kind: str) -> None:
    spec = specification(kind)
    assert "datasets" not in spec
    text = json.dumps({key: value for key, value in spec.items() if key != "$schema"})
    assert "http" not in text
    assert "tooltip" not in text
    assert '"zero": true' not in text


@pytest.mark.parametrize("kind", KINDS)
def test_no_text_is_measured_and_every_font_is_a_size_and_a_baseline(kind: str) -> None:
    """A text of size 0 is not measured, so that a chart is the same whatever fonts are installed."""
    found = list(members(specification(kind)))
    sizes = [value for name, value in found if name.lower().endswith("fontsize")]
    fonts = [value for name, value in found if name.lower().endswith("font")]
    assert set(sizes) == {0}
    assert set(fonts) <= {face(size, baseline) for size in (TICK, LABEL) for baseline in ("top", "middle", "bottom")}
    assert sum(name == "fontSize" for name, _ in found) == sum(name == "font" for name, _ in found)


def members(value: object) -> Iterator[tuple[str, object]]:
    """Yield every member of every object in a value."""
    if isinstance(value, dict):
        yield from value.items()
        for inner in value.values():
            yield from members(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from members(inner)


@pytest.mark.parametrize("kind", ["forest", "scatter"])
def test_rates_are_drawn_on_the_whole_axis(kind: str) -> None:
    text = json.dumps(specification(kind))
    assert text.count('"domain": [0, 1]') == text.count('"scale": {"domain"')


def test_every_tone_has_a_colour_of_its_own() -> None:
    assert len(set(TONES.values())) == len(TONES)


def test_an_unknown_kind_is_an_error() -> None:
    with pytest.raises(KeyError):
        specification("pie")
