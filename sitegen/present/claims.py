"""The export ``data/claims.json``: what the pages of a site say that its evidence cannot show.

See :mod:`sitegen.read.claims` for the format, which is read by whoever makes the pages again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sitegen.digests import Digest, is_digest
from sitegen.present.look import Look
from sitegen.read.claims import CLAIMS_SCHEMA
from sitegen.read.encoding import compact_json
from sitegen.read.settings import Settings
from sitegen.refusals import MOST_SHOWN, Refusal
from sitegen.refusals.message import HINT_LENGTH, escape
from sitegen.verify.verified import VerifiedUnit


def claims_json(
    look: Look, engine: Digest, of_site: Sequence[Refusal], units: Iterable[tuple[str, bytes]]
) -> Iterator[bytes]:
    """Yield the export.

    Args:
        look: the look, whose settings and relations are among the claims.
        engine: digest of the code and the libraries that make the pages.
        of_site: refusals that are of none of the protocols.
        units: each protocol's id with its :func:`unit_claims`, in the order of their ids.
    """
    relations = look.relations
    places = {
        protocol_id: {"family": family, "follows": relations.follows.get(protocol_id)}
        for protocol_id, family in sorted(relations.family_of.items())
    }
    yield b'{"schema":%s,"engine":%s,' % (compact_json(CLAIMS_SCHEMA), compact_json(engine))
    yield b'"settings":%s,' % compact_json(_shown(look.settings))
    if of_site:
        yield b'"refusals":%s,' % compact_json(_refusals(of_site))
    yield b'"places":%s,"protocols":{' % compact_json(places)
    for number, (protocol_id, claims) in enumerate(units):
        yield b"%s\n%s:%s" % (b"," if number else b"", compact_json(protocol_id), claims)
    yield b"\n}}\n"


def unit_claims(unit: VerifiedUnit) -> bytes:
    """Return what is claimed of one protocol, as JSON on one line."""
    claims = {
        "refusals": _refusals(unit.refusals),
        "refused": [{"run_id": escape(run.run_id), "refusals": _refusals(run.refusals)} for run in unit.refused],
        "announced": [report.start for report in unit.reports if report.witness == "announced"],
        "signers": dict(sorted(unit.signers.items())),
        "stamps": {
            event: {"time": stamp.time, "authority": stamp.authority} for event, stamp in sorted(unit.stamps.items())
        },
    }
    return compact_json({name: value for name, value in claims.items() if value})


def _refusals(refusals: Sequence[Refusal]) -> list[Mapping[str, Any]]:
    """Return what pages show of refusals, and as they do: of what was expected and found only digests.

    The rest may be figures; and a name that no file here should have may be no text at all.
    """
    return [
        {
            "slug": refusal.slug,
            "file": escape(refusal.file),
            **({"path": escape(refusal.path)} if refusal.path else {}),
            **({"expected": refusal.expected} if is_digest(refusal.expected) else {}),
            **({"found": refusal.found} if is_digest(refusal.found) else {}),
            **({"hint": escape(refusal.hint, HINT_LENGTH)} if refusal.hint is not None and number < MOST_SHOWN else {}),
        }
        for number, refusal in enumerate(refusals)
    ]


def _shown(settings: Settings) -> Mapping[str, Any]:
    """Return the settings that pages show."""
    accent = {"light": settings.accent.light, "dark": settings.accent.dark}
    return {
        "title": settings.title,
        "base_url": settings.base_url,
        "organisation": settings.organisation,
        "repository": settings.repository,
        "licence": settings.licence,
        "links": [{"text": link.text, "href": link.href} for link in settings.links],
        "logo": settings.logo,
        "accent": accent,
    }
