"""Templates compiled our way print the same bytes as Jinja2's own code, and refuse what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup, escape

from sitegen.pipeline.build import build_site
from sitegen.present import compiling
from sitegen.present.compiling import PlainEnvironment, once, printed
from sitegen.present.look import Look
from sitegen.present.visible import finalize


@dataclass(frozen=True)
class Row:
    """A record as templates meet it."""

    text: str
    class_: int = 3


@given(st.one_of(st.text(), st.integers(), st.floats(), st.none(), st.booleans(), st.text().map(Markup)))
def test_a_printed_value_is_what_jinja_makes_of_it(value: object) -> None:
    assert printed(value) == str(escape(finalize(value)))


def test_a_whole_site_is_the_same_as_with_jinjas_own_compiler(
    gallery: Path, built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "PlainEnvironment", jinja2.Environment)
    build_site(gallery, tmp_path / "site")
    ours, theirs = (
        {path.relative_to(site): path.read_bytes() for path in site.rglob("*") if path.is_file()}
        for site in (built, tmp_path / "site")
    )
    assert ours.keys() == theirs.keys()
    assert [path for path in ours if ours[path] != theirs[path]] == []


def environment(kind: type[jinja2.Environment]) -> jinja2.Environment:
    return kind(autoescape=True, undefined=jinja2.StrictUndefined, finalize=finalize)


@pytest.mark.parametrize(
    "source",
    [
        "{{ row.text }}{{ row.text | upper }}{{ 'a&b' }}{{ 1.5 }}{{ none }}",
        "{% macro m(a, b='<') %}{{ a }}{{ b }}{% endmacro %}{{ m(row.text) }}{{ m(row.text, b='>') }}{{ m('&', 1) }}",
        "{% macro m() %}[{{ caller() }}]{% endmacro %}{% call m() %}<b>{{ row.text }}</b>{% endcall %}",
        "{% macro m(x) %}{{ varargs | join(',') }}{{ kwargs['z'] }}{% endmacro %}{{ m(1, 2, 3, z='&') }}",
        "{% set x %}<i>{{ row.text }}</i>{% endset %}{{ x }}{{ x ~ row.text }}{{ 'a' ~ 1 ~ row.text }}{{ 'b' ~ x }}",
        "{% block b %}{{ row.text }}<p>{{ 'x&' if row.text else '<' }}{{ 'x' if row.text else 'y' }}{% endblock %}",
        "{% autoescape false %}{{ row.text }}{% endautoescape %}",
        "{% for c in row.text %}{{ loop.index }}{{ c }}{% endfor %}{{ '%s' | format(row.text) }}",
    ],
)
def test_every_construct_prints_the_same(source: str) -> None:
    row = Row("<a href='\u202e'>\x00&amp;</a>")
    ours, theirs = (
        environment(kind).from_string(source).render(row=row) for kind in (PlainEnvironment, jinja2.Environment)
    )
    assert ours == theirs


def test_a_filter_of_numbers_takes_no_text_and_gives_nothing_to_escape(look: Look) -> None:
    ours = look.pages.environment
    assert ours.filters_of_numbers
    for name in ours.filters_of_numbers:
        made = ours.filters[name]
        for number in (0, 1, 7, 12, 999, 1000, 10**9, 10**13):
            assert printed(made(number)) == made(number)
        for text in ("<b>", Markup("<b>"), "7"):
            with pytest.raises((TypeError, ValueError)):
                made(text)


@pytest.mark.parametrize("source", ["{{ missing }}", "{{ row.missing }}", "{{ missing.text }}", "{{ missing() }}"])
def test_a_name_that_is_not_there_is_an_error(source: str) -> None:
    template = environment(PlainEnvironment).from_string(source)
    with pytest.raises((jinja2.UndefinedError, AttributeError)):
        template.render(row=Row("a"))


def test_a_fragment_is_made_once_for_the_same_arguments() -> None:
    calls: list[str] = []
    note: Callable[[str], str] = lambda text: calls.append(text) or text  # noqa: E731
    module: Any = environment(PlainEnvironment)
    module.globals["note"] = note
    macro: Any = module.from_string("{% macro m(a) %}<b>{{ note(a) }}</b>{% endmacro %}").module.m
    assert [once(macro, "x&"), once(macro, "x&"), once(macro, "y")] == ["<b>x&amp;</b>", "<b>x&amp;</b>", "<b>y</b>"]
    assert calls == ["x&", "y"]
    assert isinstance(once(macro, "x&"), Markup)
