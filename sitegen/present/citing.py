"""How to cite a report: text, BibTeX, Markdown, HTML and LaTeX, and a badge.

Each form holds the whole scorecard and the digest.
"""

from __future__ import annotations

import re
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
_CELL_END = "\n"
_BADGE_WIDTH, _BADGE_LINE = 560, 16
_BOLD = ' font-weight="bold"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One form of a citation: its name, and text that is copied as it is."""

    name: str
    text: str


def citations(report: ReportSummary, card: CardForms, settings: Settings) -> tuple[Citation, ...]:
    """Return every form of citation of a report; ``card`` is its scorecard."""
    names, texts = _cells(report, card)
    return (
        Citation(name="Text", text=_text(report, card, settings)),
        Citation(name="BibTeX", text=_bibtex(report, card, settings)),
        Citation(name="Markdown", text=_markdown(names, texts)),
        Citation(name="HTML", text=_html(names, texts)),
        Citation(name="LaTeX", text=_latex(names, texts)),
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
    escaped = html_escape("\n".join([one_line(line) for line in lines])).split("\n")
    texts = "".join(
        f'<text x="12" y="{20 + _BADGE_LINE * number}" xml:space="preserve"{_BOLD if number == 0 else ""}>{line}</text>'
        for number, line in enumerate(escaped)
    )
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_BADGE_WIDTH}" height="{height}"'
        f' viewBox="0 0 {_BADGE_WIDTH} {height}" role="img"><title>{html_escape(one_line(card.line))}</title>'
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


def _cells(report: ReportSummary, card: CardForms) -> tuple[str, str]:
    """Return the names of a table's columns and their texts, each cell on a line of its own.

    So all special characters of a row are found in one pass: :func:`one_line` has left no line feed inside a cell.
    """
    cells = [
        ("Contestant", report.title),
        ("Protocol", report.protocol_id),
        *card.cells,
        ("Report sha256", report.sha256),
        ("Protocol sha256", report.protocol_sha256),
    ]
    return "\n".join([name for name, _ in cells]), "\n".join([one_line(text) for _, text in cells])


def _markdown(names: str, texts: str) -> str:
    special = _MARKDOWN.sub(lambda found: f"\\{found[0]}", texts)
    rows = (names, "\n".join(["---"] * (names.count("\n") + 1)), special)
    return "\n".join([f"| {row.replace(_CELL_END, ' | ')} |" for row in rows])


def _html(names: str, texts: str) -> str:
    head = html_escape(names).replace(_CELL_END, '</th><th scope="col">')
    body = html_escape(texts).replace(_CELL_END, "</td><td>")
    return f'<table><thead><tr><th scope="col">{head}</th></tr></thead><tbody><tr><td>{body}</td></tr></tbody></table>'


def _latex(names: str, texts: str) -> str:
    head, body = (_in_latex(cells).replace(_CELL_END, " & ") for cells in (names, texts))
    return f"% {head}\n{body} \\\\"


def latex(text: str) -> str:
    """Return foreign text as one line of LaTeX that prints it and does nothing else."""
    return _in_latex(one_line(text))


def _in_latex(text: str) -> str:
    return _LATEX_SPECIAL.sub(lambda special: _LATEX[special[0]], text)


def one_line(text: str) -> str:
    """Return ``text`` with every control character visible, line feeds and tabs included."""
    return text if text.isprintable() else visible(text).replace("\n", "\\n").replace("\t", "\\t")
