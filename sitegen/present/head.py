"""What a page says of itself to machines: title, description, canonical address, schema.org ``Dataset``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from sitegen.present.cards import CardForms
from sitegen.present.citing import address
from sitegen.present.summary import ProtocolSummary, ReportSummary
from sitegen.present.visible import clip, visible
from sitegen.read.encoding import compact_json
from sitegen.read.settings import Settings

_MOST_TITLE = 200
_IN_SCRIPT = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The head of one page. ``canonical`` is absolute; ``data`` is JSON that is safe inside a script element."""

    title: str
    description: str
    canonical: str | None = None
    data: Markup | None = None


def plain_head(settings: Settings, path: str, title: str, description: str) -> Head:
    """Return the head of a page that is not a data set."""
    return Head(title=clip(title, _MOST_TITLE), description=description, canonical=address(settings, path))


def protocol_head(settings: Settings, protocol: ProtocolSummary, runs: int, withdrawn: str | None = None) -> Head:
    """Return the head of a protocol's page: the exam, its size and identity, and when it was withdrawn if it was."""
    document = protocol.document
    description = (
        f"{'Withdrawn' if withdrawn else 'Sealed'} protocol {document.protocol_id}, sha256 {protocol.sha256}:"
        f" {document.seal.n} ordinary tasks, {document.seal.n_negative} negative controls,"
        f" {document.seal.n_null_pack} null-pack rows;"
        f" {f'withdrawn {withdrawn}, so that no run is shown' if withdrawn else f'published runs: {runs}'}."
    )
    data = _dataset(settings, protocol.page, document.heading, description, protocol.sha256)
    data["dateCreated"] = protocol.sealed_at
    if document.authors:
        data["creator"] = [{"@type": "Person", "name": visible(author)} for author in document.authors]
    if document.licence:
        data["license"] = visible(document.licence)
    data["distribution"] = [
        _download(settings, protocol.page, f"evidence/{document.protocol_id}/protocol.sealed.yaml", protocol.sha256),
        {"@type": "DataDownload", "contentUrl": _link(settings, protocol.page, f"data/{document.protocol_id}.csv"),
         "encodingFormat": "text/csv"},
    ]  # fmt: skip
    title = clip(f"{document.heading} ({document.protocol_id})", _MOST_TITLE)
    return Head(
        title=title, description=description, canonical=address(settings, protocol.page), data=script_json(data)
    )


def report_head(settings: Settings, report: ReportSummary, card: CardForms) -> Head:
    """Return the head of a report's page; the description is the whole scorecard."""
    description = card.line
    data = _dataset(settings, report.page, f"{report.title} on {report.protocol_title}", description, report.sha256)
    data["dateCreated"] = report.ended_at
    data["isBasedOn"] = {"@type": "Dataset", "name": visible(report.protocol_title),
                         "description": f"Sealed protocol {report.protocol_id}, the exam of this run.",
                         "identifier": f"sha256:{report.protocol_sha256}"}  # fmt: skip
    path = f"{report.evidence_folder}/report.json"
    data["distribution"] = [_download(settings, report.page, path, report.sha256)]
    title = clip(f"{report.title} on {report.protocol_title}, run {report.run_id}", _MOST_TITLE)
    return Head(title=title, description=description, canonical=address(settings, report.page), data=script_json(data))


def script_json(value: Any) -> Markup:
    """Return ``value`` as JSON that cannot end a script element."""
    text = compact_json(value, ordered=True).decode()
    for character, escaped in _IN_SCRIPT.items():
        text = text.replace(character, escaped)
    return Markup(text)


def _dataset(settings: Settings, path: str, name: str, description: str, digest: str) -> dict[str, Any]:
    data: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": visible(name),
        "description": visible(description),
        "identifier": f"sha256:{digest}",
    }
    where = address(settings, path)
    if where:
        data["url"] = where
    if settings.organisation:
        data["publisher"] = {"@type": "Organization", "name": visible(settings.organisation)}
    if settings.licence:
        data["license"] = visible(settings.licence)
    return data


def _download(settings: Settings, page: str, path: str, digest: str) -> dict[str, str]:
    kind = "application/json" if path.endswith(".json") else "application/yaml"
    return {
        "@type": "DataDownload",
        "contentUrl": _link(settings, page, path),
        "encodingFormat": kind,
        "sha256": digest,
    }


def _link(settings: Settings, page: str, path: str) -> str:
    return address(settings, path) or "../" * page.count("/") + path
