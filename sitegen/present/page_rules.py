"""What a finished page may hold: elements, their attributes, and where their addresses may lead."""

from __future__ import annotations

from collections.abc import Mapping

VOID = frozenset(("area", "br", "col", "hr", "img", "input", "link", "meta", "wbr"))
"""Elements without an end tag."""

GLOBAL = frozenset(("id", "class", "lang", "role", "tabindex", "hidden"))
DATA = frozenset(
    (
        *("data-run", "data-k", "data-n", "data-low", "data-high", "data-pair", "data-repeated", "data-count"),
        *("data-sha256", "data-digest", "data-role", "data-sort", "data-value", "data-outcome", "data-kind"),
        *("data-find-item", "data-find-run"),
    )
)
ARIA = frozenset(("aria-label", "aria-labelledby", "aria-hidden", "aria-current", "aria-describedby"))

_PAINT = ("fill", "stroke", "stroke-width", "stroke-linecap", "fill-rule", "opacity", "d")
_NONE: tuple[str, ...] = ()

ELEMENTS: Mapping[str, tuple[str, ...]] = {
    "html": _NONE,
    "head": _NONE,
    "title": _NONE,
    "meta": ("charset", "http-equiv", "content", "name", "property"),
    "link": ("rel", "href", "type", "title"),
    "script": ("src", "defer", "type"),
    "body": _NONE,
    "a": ("href", "rel"),
    "img": ("src", "alt", "width", "height", "loading"),
    "input": ("type", "value", "multiple", "autocomplete", "spellcheck"),
    "label": ("for",),
    "button": ("type",),
    "th": ("scope", "colspan"),
    "td": ("colspan",),
    "time": ("datetime",),
    "svg": ("viewbox", "width", "height", "focusable"),
    "path": _PAINT,
    "circle": ("cx", "cy", "r", *_PAINT),
    "text": ("x", "y", "font-size", "text-anchor", "transform"),
    **dict.fromkeys(("header", "nav", "main", "footer", "section", "article", "div", "span", "p", "h1", "h2"), _NONE),
    **dict.fromkeys(("h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "table", "caption", "thead"), _NONE),
    **dict.fromkeys(("tbody", "tfoot", "tr", "details", "summary", "figure", "figcaption", "fieldset"), _NONE),
    **dict.fromkeys(("legend", "pre", "code", "var", "small", "strong", "em", "b", "bdi", "br", "hr", "del"), _NONE),
    **dict.fromkeys(("ins", "sub", "sup", "blockquote"), _NONE),
}
"""Every element a page may hold, with its attributes beyond the global ones, in lower case."""

SECTIONS_OF_CARD = ("retries", "tool", "wall", "null pack", "level")
"""Words that a whole scorecard holds beside its rates."""

RATES = ("success", "abstention", "invalid", "false")
"""Classes of the four cells of a scorecard."""

WITHOUT_RATES = frozenset(("svg", "pre", "code", "bdi", "script", "title", "del", "ins", "head"))
"""Elements whose text is foreign, or a drawing: numbers in it are nobody's rate."""

FOREIGN = frozenset(("prose", "asked", "diff"))
"""Classes of elements that hold foreign text."""
