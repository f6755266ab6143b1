"""How to cite a report, or an exam with its reports: text, BibTeX, Markdown, HTML and LaTeX, and a badge of a report.

Each form holds the digests, and of a report the whole scorecard.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape as html_escape

from sitegen.present.cards import CardForms, badge_lines, card_forms
from sitegen.present.summary import ProtocolSummary, ReportSummary, UnitSummary
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
_BADGE_CHARACTERS = 76
_BOLD = ' font-weight="bold"'


MOST_CITED = 8
"""Runs that the forms of an exam hold; of an exam with more, each run's own page has its forms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One form of a citation: its name, and text that is copied as it is."""

    name: str
    text: str


def citations(report: ReportSummary, card: CardForms, settings: Settings) -> tuple[Citation, ...]:
    """Return every form of citation of a report; ``card`` is its scorecard."""
    return (
        Citation(name="Text", text=_text(report, card, settings)),
        Citation(name="BibTeX", text=_bibtex(report, card, settings)),
        *_tables([_cells(report, card)]),
    )


def protocol_citations(summary: UnitSummary, settings: Settings) -> tuple[Citation, ...]:
    """Return every form of citation of a published protocol: itself, and each of its runs as :func:`citations` has it.

    A table has no row for the exam alone: without a run, and with more than :data:`MOST_CITED`, there is none.
    """
    if summary.protocol is None:
        return ()
    cards = [(report, card_forms(report)) for report in summary.reports if len(summary.reports) <= MOST_CITED]
    withdrawal = summary.withdrawal
    exam = _exam_text(summary.protocol, settings, None if withdrawal is None else withdrawal.time)
    texts = [exam, *(_text(report, card, settings) for report, card in cards)]
    entries = [_exam_bibtex(summary.protocol, settings), *(_bibtex(report, card, settings) for report, card in cards)]
    return (
        Citation(name="Text", text="\n\n".join(texts)),
        Citation(name="BibTeX", text="\n\n".join(entries)),
        *(_tables([_cells(report, card) for report, card in cards]) if cards else ()),
    )


def address(settings: Settings, path: str) -> str | None:
    """Return the absolute address of a page, where the site's own is known."""
    if settings.base_url is None:
        return None
    return f"{settings.base_url.rstrip('/')}/{path.removesuffix('index.html')}"


def badge(report: ReportSummary, card: CardForms) -> bytes:
    """Return an SVG that holds the whole scorecard and the digest as text, legible on light and dark ground."""
    heading = (f"{report.title} · {report.protocol_title}", f"protocol {report.protocol_id}", f"run {report.run_id}")
    lines = [*(clip(line, _BADGE_CHARACTERS) for line in heading), *badge_lines(report, card)]
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
    return one_line(" ".join(parts))


def _exam_text(protocol: ProtocolSummary, settings: Settings, withdrawn_at: str | None) -> str:
    where, document = address(settings, protocol.page), protocol.document
    parts = [
        f"{document.heading}. Protocol {document.protocol_id}, sha256 {protocol.sha256}, sealed {protocol.sealed_at}"
        + (f", withdrawn {withdrawn_at}." if withdrawn_at else "."),
        f"{document.seal.n} ordinary tasks, {document.seal.n_negative} negative controls.",
        *([f"{settings.organisation}."] if settings.organisation else ()),
        *([where] if where else ()),
    ]
    return one_line(" ".join(parts))


def _exam_bibtex(protocol: ProtocolSummary, settings: Settings) -> str:
    document = protocol.document
    authors = document.authors or (settings.organisation or settings.title,)
    fields = {
        "title": latex(document.heading),
        "author": " and ".join(f"{{{latex(author)}}}" for author in authors),
        "year": protocol.sealed_at[:4],
        "note": latex(f"Protocol {document.protocol_id}, sha256 {protocol.sha256}, sealed {protocol.sealed_at}"),
    }
    return _entry(document.protocol_id, fields, address(settings, protocol.page))


def _bibtex(report: ReportSummary, card: CardForms, settings: Settings) -> str:
    protocol = f"Protocol {report.protocol_id}, sha256 {report.protocol_sha256}"
    fields = {
        "title": f"{latex(report.title)} on {latex(report.protocol_title)}",
        "author": f"{{{latex(settings.organisation or settings.title)}}}",
        "year": report.ended_at[:4],
        "note": latex(f"Run {report.run_id}. {card.line}. {protocol}"),
    }
    return _entry(report.run_id, fields, address(settings, report.page))


def _entry(key: str, fields: Mapping[str, str], where: str | None) -> str:
    """Return an entry of BibTeX; ``fields`` are in LaTeX already."""
    shown = {**fields, **({"url": latex(where)} if where else {})}
    body = ",\n".join(f"  {name} = {{{value}}}" for name, value in shown.items())
    return f"@misc{{sitegen:{key},\n{body}\n}}"


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


def _tables(rows: Sequence[tuple[str, str]]) -> tuple[Citation, ...]:
    """Return rows, each as :func:`_cells` returns it, as a table in every language."""
    names, texts = rows[0][0], [text for _, text in rows]
    return (
        Citation(name="Markdown", text=_markdown(names, texts)),
        Citation(name="HTML", text=_html(names, texts)),
        Citation(name="LaTeX", text=_latex(names, texts)),
    )


def _markdown(names: str, texts: Sequence[str]) -> str:
    special = [_MARKDOWN.sub(lambda found: f"\\{found[0]}", text) for text in texts]
    rows = (names, "\n".join(["---"] * (names.count("\n") + 1)), *special)
    return "\n".join([f"| {row.replace(_CELL_END, ' | ')} |" for row in rows])


def _html(names: str, texts: Sequence[str]) -> str:
    head = html_escape(names).replace(_CELL_END, '</th><th scope="col">')
    cells = [html_escape(text).replace(_CELL_END, "</td><td>") for text in texts]
    rows = "\n".join([f"<tr><td>{row}</td></tr>" for row in cells])
    return f'<table><thead><tr><th scope="col">{head}</th></tr></thead><tbody>{rows}</tbody></table>'


def _latex(names: str, texts: Sequence[str]) -> str:
    head, *body = (_in_latex(cells).replace(_CELL_END, " & ") for cells in (names, *texts))
    return "\n".join([f"% {head}", *(f"{row} \\\\" for row in body)])


def latex(text: str) -> str:
    """Return foreign text as one line of LaTeX that prints it and does nothing else."""
    return _in_latex(one_line(text))


def _in_latex(text: str) -> str:
    return _LATEX_SPECIAL.sub(lambda special: _LATEX[special[0]], text)


def one_line(text: str) -> str:
    """Return ``text`` with every control character visible, line feeds and tabs included."""
    return text if text.isprintable() else visible(text).replace("\n", "\\n").replace("\t", "\\t")
