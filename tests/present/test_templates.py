"""What the owner's templates do wrong is refused by template and line; a fault of the shipped ones stays a fault."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest

from sitegen.present.templates import Pages, read_files
from sitegen.refusals import Refusal, Refused

SHIPPED = {
    "base.html": b"<title>{% block title %}{{ site }}{% endblock %}</title>\n{% block main %}\n{% endblock %}\n",
    "page.html": b'{% extends "base.html" %}\n{% import "parts.html" as parts %}\n\n'
    b"{% block main %}\n{{ parts.name(row) }}\n{% endblock %}\n",
    "parts.html": b"{% macro name(row) %}\n{{ row.name }}\n{% endmacro %}\n",
    "style.css": b"\xff is no template",
}
GOOD = {"site": "S", "row": Path("a/b")}


def fault(own: dict[str, bytes], **context: object) -> Refusal:
    """The one refusal of a page that the owner's templates give."""
    pages = Pages(SHIPPED, own)
    with pytest.raises(Refused) as caught:
        pages.render("page.html", {**GOOD, **context})
    (refusal,) = caught.value.refusals
    assert (refusal.slug, refusal.expected) == ("page-shape", "a template that can be rendered")
    return refusal


def test_the_owners_templates_stand_in_for_the_shipped_ones() -> None:
    pages = Pages(SHIPPED, {"base.html": b"<b>{% block main %}{% endblock %}</b>"})
    assert pages.render("page.html", GOOD) == "<b>b\n\n</b>"
    assert Pages(SHIPPED, {}).render("page.html", GOOD) == "<title>S</title>\nb\n\n"
    assert pages.texts.keys() == {"base.html", "page.html", "parts.html"}


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("missing", "UndefinedError"),
        ("row.missing", "AttributeError"),
        ("row + 1", "TypeError"),
        ("none.name", "AttributeError"),
        ("[] | first", "UndefinedError"),
        ("'x' | amount", "ValueError"),
        ("{}[row]", "UndefinedError"),
        ("row.name(7)", "TypeError"),
        ("[1][row.name]", "UndefinedError"),
    ],
)
def test_an_expression_that_raises_is_refused_at_its_line(expression: str, found: str) -> None:
    refusal = fault({"parts.html": b"{% macro name(row) %}\n\n{{ " + expression.encode() + b" }}\n{% endmacro %}\n"})
    assert (refusal.file, refusal.path) == ("templates/site/parts.html", "line 3")
    assert (refusal.found or "").startswith(found)


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        (b"\n\n{% for %}", "line 3", "TemplateSyntaxError"),
        (b"\n{{ row | nofilter }}", "line 2", "TemplateAssertionError"),
        (b"{% block main %}", "line 1", "TemplateSyntaxError"),
        (b"{{ row.name(a=1, a=2) }}", "", "SyntaxError: keyword argument repeated"),
        (b"{% for a in row %}" * 30 + b"{% endfor %}" * 30, "", "SyntaxError: too many statically nested blocks"),
        (b"{{ " + b"(" * 5000 + b"1" + b")" * 5000 + b" }}", "", "RecursionError"),
        (b"{{ " + b"9" * 5000 + b" }}", "", "ValueError"),
    ],
    ids=range(7),
)
def test_what_is_no_template_is_refused_at_its_line(text: bytes, line: str, found: str) -> None:
    refusal = fault({"base.html": text})
    assert (refusal.file, refusal.path) == ("templates/site/base.html", line)
    assert (refusal.found or "").startswith(found)


def test_all_templates_that_cannot_be_compiled_are_named_at_once() -> None:
    with pytest.raises(Refused) as caught:
        Pages(SHIPPED, {"page.html": b"{% for %}", "base.html": b"{{"}).render("page.html", GOOD)
    assert [refusal.file for refusal in caught.value.refusals] == [
        "templates/site/base.html",
        "templates/site/page.html",
    ]


@pytest.mark.parametrize("text", [b'{% extends "nowhere.html" %}', b'\n{% include "nowhere.html" %}'])
def test_a_template_that_is_not_there_is_refused_where_it_is_named(text: bytes) -> None:
    refusal = fault({"page.html": text})
    assert (refusal.file, refusal.found) == ("templates/site/page.html", "TemplateNotFound: nowhere.html")
    assert refusal.path == f"line {len(text.splitlines())}"


def test_a_macro_that_calls_itself_without_end_is_refused() -> None:
    refusal = fault({"parts.html": b"{% macro name(row) %}{{ name(row) }}{% endmacro %}"})
    assert (refusal.file, (refusal.found or "")[:14]) == ("templates/site/parts.html", "RecursionError")


def test_a_wrong_call_of_a_shipped_macro_is_the_callers() -> None:
    refusal = fault({"page.html": b'{% import "parts.html" as parts %}\n\n{{ parts.name(7) }}\n'})
    assert (refusal.file, refusal.path, refusal.hint) == ("templates/site/page.html", "line 3", None)


def test_a_macro_that_a_shipped_template_misses_is_the_owners() -> None:
    """The shipped page names the line; which of the owner's templates it does not fit is the hint."""
    refusal = fault({"parts.html": b"{% macro title(row) %}{{ row.name }}{% endmacro %}"})
    assert (refusal.file, refusal.path) == ("templates/site/page.html", "line 5")
    assert refusal.hint == "the shipped template does not go together with your parts.html"


@pytest.mark.parametrize("own", [{}, {"parts.html": SHIPPED["parts.html"]}, {"base.html": SHIPPED["base.html"]}])
def test_a_fault_of_a_shipped_template_is_no_refusal(own: dict[str, bytes]) -> None:
    shipped = {**SHIPPED, "page.html": SHIPPED["page.html"].replace(b"(row)", b"(row, missing)")}
    with pytest.raises((jinja2.UndefinedError, TypeError)):
        Pages(shipped, own).render("page.html", GOOD)
    with pytest.raises(jinja2.TemplateSyntaxError):
        Pages({**SHIPPED, "page.html": b"{% for %}"}, own).render("page.html", GOOD)
    with pytest.raises(UnicodeDecodeError):
        Pages({**SHIPPED, "page.html": b"\xff"}, own)


class Broken:
    """A record that cannot be had."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    @property
    def name(self) -> str:
        """Raise the error."""
        raise self._error


@pytest.mark.parametrize(
    "error", [OSError(28, "no space"), MemoryError(), Refused([Refusal(slug="file-changed", file="x")])]
)
def test_trouble_of_the_disk_or_of_what_is_shown_passes_through(error: Exception) -> None:
    own = {"parts.html": SHIPPED["parts.html"]}
    with pytest.raises(type(error)) as caught:
        Pages(SHIPPED, own).render("page.html", {**GOOD, "row": Broken(error)})
    assert caught.value is error


def test_only_what_is_shipped_can_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "404.html").write_bytes(b"ours")
    (tmp_path / "unknown.html").write_bytes(b"never used")
    (tmp_path / "home.html").symlink_to("404.html")
    shipped, own = read_files(tmp_path)
    assert own == {"404.html": b"ours"}
    assert {"404.html", "home.html", "static/site.css"} <= shipped.keys()
    assert read_files(None) == (shipped, {})
