from __future__ import annotations

import json

import pytest

from sitegen.present.charts.specs import TONES, specification

KINDS = ("forest", "scatter", "ecdf", "strip")


@pytest.mark.parametrize("kind", KINDS)
def test_a_specification_is_valid_and_holds_no_data_and_no_address(kind: str) -> None:
    spec = specification(kind)
    assert "datasets" not in spec
    text = json.dumps({key: value for key, value in spec.items() if key != "$schema"})
    assert "http" not in text
    assert "tooltip" not in text
    assert '"zero": true' not in text


@pytest.mark.parametrize("kind", ["forest", "scatter"])
def test_rates_are_drawn_on_the_whole_axis(kind: str) -> None:
    text = json.dumps(specification(kind))
    assert text.count('"domain": [0, 1]') == text.count('"scale": {"domain"')


def test_every_tone_has_a_colour_of_its_own() -> None:
    assert len(set(TONES.values())) == len(TONES)


def test_an_unknown_kind_is_an_error() -> None:
    with pytest.raises(KeyError):
        specification("pie")
