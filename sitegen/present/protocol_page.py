"""A protocol's page: what was sealed, every published run side by side, and what can be told apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sitegen.digests import Digest
from sitegen.present.charts.figures import figures_of
from sitegen.present.citing import MOST_CITED, protocol_citations
from sitegen.present.comparing import Group, groups_of
from sitegen.present.evidence import DATASET_SUMS, NULL_PACK_SUMS, protocol_files
from sitegen.present.head import plain_head, protocol_head
from sitegen.present.look import Look
from sitegen.present.page import Page
from sitegen.present.prose import notes_html
from sitegen.present.summary import ProtocolSummary, UnitSummary
from sitegen.verify.commitments import commitments_of
from sitegen.verify.drift import role_of
from sitegen.verify.verified import Role, SealedFile, VerifiedProtocol, VerifiedReport
from sitegen.verify.withheld import withheld_note

MOST_PAIRS = 56
"""Pairs that the protocol's own page shows (8 contestants by two rates); more stand on a page of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedLine:
    """One sealed file in the list: where its bytes are, or ``None`` where they are not published.

    Of bytes that are withheld neither digest nor size is shown, but a salted ``commitment`` where there is one;
    ``file`` is ``None`` where they were not here at the build either.
    """

    path: str
    role: Role
    file: SealedFile | None
    href: str | None
    commitment: Digest | None


def protocol_pages(
    look: Look, protocol: VerifiedProtocol, reports: Sequence[VerifiedReport], summary: UnitSummary
) -> Iterator[Page]:
    """Yield the page of a protocol, and that of all its pairs where there are too many for it."""
    about = summary.protocol
    if about is None:
        return
    groups = groups_of(protocol, reports, summary.reports)
    apart = sum(len(table.lines) for group in groups for table in group.pairs) > MOST_PAIRS
    withdrawal = summary.withdrawal
    yield Page(
        path=about.page,
        data=look.render(
            "protocol.html",
            about.page,
            head=protocol_head(look.settings, about, len(summary.reports), withdrawal.time if withdrawal else None),
            about=about,
            document=about.document,
            summary=summary,
            groups=groups,
            pairs_apart=apart,
            charts=figures_of(groups, reports, about.document.seal.n, about.document.seal.n_negative, look.figures),
            sealed=sealed_lines(protocol),
            level=protocol.level,
            withheld=withheld_note(protocol),
            folders=_folder_digests(protocol),
            notes=notes_html(protocol.notes),
            notes_too_large=protocol.notes is not None and notes_html(protocol.notes) is None,
            earlier=look.relations.follows.get(summary.protocol_id),
            later=look.relations.followers(summary.protocol_id),
            family=_family(look, about),
            withdrawal=withdrawal,
            gone={run.run_id for run in summary.withdrawn_runs},
            citations=protocol_citations(summary, look.settings),
            cites_runs=0 < len(summary.reports) <= MOST_CITED,
        ),
    )
    if apart:
        yield _pairs_page(look, about, groups)


def _pairs_page(look: Look, about: ProtocolSummary, groups: Sequence[Group]) -> Page:
    document = about.document
    path = f"protocols/{document.protocol_id}/pairs.html"
    head = plain_head(
        look.settings,
        path,
        f"Every pair: {document.heading}",
        f"Every pair of runs under {document.protocol_id}: disagreements, difference, interval and adjusted p.",
    )
    data = look.render("pairs.html", path, head=head, about=about, document=document, groups=groups)
    return Page(path=path, data=data)


def sealed_lines(protocol: VerifiedProtocol) -> list[SealedLine]:
    """Return every sealed file, the parts that the protocol names first and oracles last."""
    published = protocol_files(protocol)
    order = {"dataset": 0, "metric": 1, "null pack": 2, "draft": 3, "other": 4, "oracle": 5}
    here: dict[str, SealedFile | None] = {file.path: file for file in protocol.files}
    roles = {path: role_of(path, protocol.protocol) for path in (*here, *protocol.withheld)}
    root = f"evidence/{protocol.protocol_id}"
    commitments = commitments_of(protocol)
    return [
        SealedLine(
            path=path,
            role=role,
            file=here.get(path),
            href=f"{root}/{path}" if path in published else None,
            commitment=commitments.get(path),
        )
        for path, role in sorted(roles.items(), key=lambda entry: (order[entry[1]], entry[0]))
    ]


def _folder_digests(protocol: VerifiedProtocol) -> list[tuple[str, str, str]]:
    """Return (role, digest, path of the listing it is of) for each pack that is a folder."""
    published = protocol_files(protocol)
    document = protocol.protocol
    parts = (
        ("dataset", document.dataset.sha256, DATASET_SUMS),
        ("null pack", document.null_pack.sha256, NULL_PACK_SUMS),
    )
    return [
        (role, digest, f"evidence/{protocol.protocol_id}/{name}")
        for role, digest, name in parts
        if name in published and published[name].sha256 == digest
    ]


def _family(look: Look, about: ProtocolSummary) -> str | None:
    """The family's name where it has a page: where more than one protocol belongs to it."""
    return about.document.family_name if look.relations.family_size(about.document.protocol_id) > 1 else None
