"""How to cite a report: text, BibTeX, Markdown, HTML and LaTeX, and a badge.

Each form holds the whole scorecard and the digest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape as html_escape

from sitegen.present.cards import CardForms, badge_lines
from sitegen.present.summary import ReportSummary
from sitegen.present.visible import clip, visible
from sitegen.read.settings import Settings

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "\u2013": "--",
    "\u2265": r"$\geq$",
    "·": r"$\cdot$",
}
_LATEX_SPECIAL = re.compile(f"[{re.escape(''.join(_LATEX))}]")
_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>()#+!|~-]")
_BADGE_WIDTH, _BADGE_LINE = 560, 16
_BOLD = ' font-weight="bold"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One form of a citation: its name, and text that is copied as it is."""

    name: str
    text: str


def citations(report: ReportSummary, card: CardForms, settings: Settings) -> tuple[Citation, ...]:
    """Return every form of citation of a report; ``card`` is its scorecard."""
    cells = _cells(report, card)
    return (
        Citation(name="Text", text=_text(report, card, settings)),
        Citation(name="BibTeX", text=_bibtex(report, card, settings)),
        Citation(name="Markdown", text=_markdown(cells)),
        Citation(name="HTML", text=_html(cells)),
        Citation(name="LaTeX", text=_latex(cells)),
    )


def address(settings: Settings, path: str) -> str | None:
    """Return the absolute address of a page, where the site's own is known."""
    if settings.base_url is None:
        return None
    return f"{settings.base_url.rstrip('/')}/{path.removesuffix('index.html')}"


def badge(report: ReportSummary, card: CardForms) -> bytes:
    """Return an SVG that holds the whole scorecard and the digest as text, legible on light and dark ground."""
    title = clip(f"{report.title} · {report.protocol_title}", 76)
    lines = [title, f"run {report.run_id}", *badge_lines(report, card)]
    height = 14 + _BADGE_LINE * len(lines)
    texts = "".join(
        f'<text x="12" y="{20 + _BADGE_LINE * number}" xml:space="preserve"'
        f"{_BOLD if number == 0 else ''}>{_xml(line)}</text>"
        for number, line in enumerate(lines)
    )
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_BADGE_WIDTH}" height="{height}"'
        f' viewBox="0 0 {_BADGE_WIDTH} {height}" role="img"><title>{_xml(card.line)}</title>'
        f'<rect x="0.5" y="0.5" width="{_BADGE_WIDTH - 1}" height="{height - 1}" fill="#fdfdfb" stroke="#7a1f33"/>'
        f'<g font-family="ui-monospace, monospace" font-size="11" fill="#1a1a18">{texts}</g></svg>\n'
    )
    return svg.encode()


def _text(report: ReportSummary, card: CardForms, settings: Settings) -> str:
    where = address(settings, report.page)
    parts = [
        f"{report.title} (route {report.route}), run {report.run_id}.",
        f"Protocol {report.protocol_id}, sha256 {report.protocol_sha256}.",
        f"{card.line}.",
        *([f"{settings.organisation}."] if settings.organisation else ()),
        *([where] if where else ()),
    ]
    return visible(" ".join(parts))


def _bibtex(report: ReportSummary, card: CardForms, settings: Settings) -> str:
    fields = {
        "title": f"{{{latex(report.title)} on {latex(report.protocol_title)}}}",
        "author": f"{{{latex(settings.organisation or settings.title)}}}",
        "year": f"{{{report.ended_at[:4]}}}",
        "note": f"{{{latex(f'Run {report.run_id}. {card.line}. Protocol sha256 {report.protocol_sha256}')}}}",
    }
    where = address(settings, report.page)
    if where:
        fields["url"] = f"{{{latex(where)}}}"
    key = f"sitegen:{report.run_id}"
    body = ",\n".join(f"  {name} = {value}" for name, value in fields.items())
    return f"@misc{{{key},\n{body}\n}}"


def _cells(report: ReportSummary, card: CardForms) -> list[tuple[str, str]]:
    """Return the cells of a table as (name, text on one line)."""
    cells = [
        ("Contestant", report.title),
        ("Protocol", report.protocol_id),
        *card.cells,
        ("Report sha256", report.sha256),
        ("Protocol sha256", report.protocol_sha256),
    ]
    return [(name, one_line(text)) for name, text in cells]


def _markdown(cells: Sequence[tuple[str, str]]) -> str:
    rows = (
        [name for name, _ in cells],
        ["---"] * len(cells),
        [_MARKDOWN.sub(lambda special: f"\\{special[0]}", text) for _, text in cells],
    )
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _html(cells: Sequence[tuple[str, str]]) -> str:
    head = "".join(f'<th scope="col">{html_escape(name)}</th>' for name, _ in cells)
    body = "".join(f"<td>{html_escape(text)}</td>" for _, text in cells)
    return f"<table><thead><tr>{head}</tr></thead><tbody><tr>{body}</tr></tbody></table>"


def _latex(cells: Sequence[tuple[str, str]]) -> str:
    # A line feed between cells: one_line has left none inside them, and the special characters are found in one pass.
    head, body = (_in_latex("\n".join(column)).replace("\n", " & ") for column in zip(*cells, strict=True))
    return f"% {head}\n{body} \\\\"


def latex(text: str) -> str:
    """Return foreign text as one line of LaTeX that prints it and does nothing else."""
    return _in_latex(one_line(text))


def _in_latex(text: str) -> str:
    return _LATEX_SPECIAL.sub(lambda special: _LATEX[special[0]], text)


def one_line(text: str) -> str:
    """Return ``text`` with every control character visible, line feeds and tabs included."""
    return text if text.isprintable() else visible(text).replace("\n", "\\n").replace("\t", "\\t")


def _xml(text: str) -> str:
    return html_escape(one_line(text), quote=True)
