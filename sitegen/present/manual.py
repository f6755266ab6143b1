"""The manual: sitegen's documentation as a small site of its own, in the same look and under the same rules."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from sitegen.present.head import plain_head
from sitegen.present.look import Look
from sitegen.present.page import Page
from sitegen.present.prose import manual_html

ORDER = (
    "tutorial",
    "reading",
    "auditing",
    "trust",
    "solver-contract",
    "importing",
    "hidden-sets",
    "signing",
    "formats",
    "python",
    "integration",
    "deployment",
    "decisions",
)
"""The order of pages; others follow by name."""

SCHEMAS = "schemas"
_SCROLL = '<div class="scroll" tabindex="0" role="region" aria-label="Table">'
_TITLE = re.compile(r"\A# (.+)\n+")
_MARKS = re.compile(r"[`*]|\]\([^)]*\)|\[")


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One page of the manual: its name in addresses, title, first sentences, and Markdown without the title."""

    name: str
    title: str
    summary: str
    source: bytes = field(repr=False)

    @property
    def path(self) -> str:
        """Where the page stands."""
        return f"{self.name}/index.html"


def manual_pages(look: Look, sources: Mapping[str, bytes], schemas: Mapping[str, Mapping[str, Any]]) -> Iterator[Page]:
    """Yield every page of the manual, the JSON Schemas, and the assets.

    Args:
        look: the look; its title is the manual's.
        sources: Markdown by file name; each begins with its title as ``# title``.
        schemas: JSON Schema of each format by name.
    """
    leaves = leaves_of(sources)
    names = frozenset(leaf.name for leaf in leaves)
    yield _front(look, leaves)
    for index, leaf in enumerate(leaves):
        before = leaves[index - 1] if index else None
        after = leaves[index + 1] if index + 1 < len(leaves) else None
        shown = {name: str(schema["title"]) for name, schema in schemas.items()} if leaf.name == "formats" else {}
        body = _body(leaf, names)
        yield _page(look, leaf, body=body, before=before, after=after, schemas=shown)
    for name, schema in schemas.items():
        text = json.dumps(schema, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
        yield Page(path=f"{SCHEMAS}/{name}.json", data=text.encode())
    for path, data in look.assets.items():
        if path.startswith(f"{look.asset_folder}/"):  # audit.py is for sites with numbers
            yield Page(path=path, data=data)


def leaves_of(sources: Mapping[str, bytes]) -> list[Leaf]:
    """Return the pages in their order.

    Raises:
        ValueError: a source does not begin with a title.
    """
    leaves = [_leaf(file.removesuffix(".md"), data.decode()) for file, data in sources.items()]
    known = {name: number for number, name in enumerate(ORDER)}
    return sorted(leaves, key=lambda leaf: (known.get(leaf.name, len(known)), leaf.name))


def address_of(names: Collection[str]) -> Callable[[str], str | None]:
    """Return what turns a link of a source into the address on its page: other sources, places on the page, the web."""

    def address(target: str) -> str | None:
        if target.startswith(("https://", "http://", "mailto:", "#")):
            return target
        file, mark, place = target.partition("#")
        name = file.removesuffix(".md")
        return f"../{name}/index.html{mark}{place}" if file.endswith(".md") and name in names else None

    return address


def _leaf(name: str, text: str) -> Leaf:
    title = _TITLE.match(text)
    if title is None:
        raise ValueError(f"{name}.md does not begin with a title")
    body = text[title.end() :]
    summary = _MARKS.sub("", " ".join(body.split("\n\n", 1)[0].split()))
    return Leaf(name=name, title=title[1], summary=summary, source=body.encode())


def _front(look: Look, leaves: Sequence[Leaf]) -> Page:
    path = "index.html"
    head = plain_head(look.settings, path, look.settings.title, "How to measure, publish, read and audit with sitegen.")
    return Page(path=path, data=look.render("manual.html", path, head=head, leaves=leaves, leaf=None))


def _page(look: Look, leaf: Leaf, **context: Any) -> Page:
    head = plain_head(look.settings, leaf.path, leaf.title, leaf.summary)
    return Page(path=leaf.path, data=look.render("manual.html", leaf.path, head=head, leaf=leaf, **context))


def _body(leaf: Leaf, names: Collection[str]) -> Markup:
    html = str(manual_html(leaf.source, address_of(names)))
    html = html.replace("<pre>", '<pre class="code" tabindex="0">')
    html = html.replace("<table>", f'{_SCROLL}<table class="plain">').replace("</table>", "</table></div>")
    return Markup(html)
