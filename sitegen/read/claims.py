"""``data/claims.json`` of a published site: what its pages say that its evidence cannot show.

The owner's settings, why a run without figures has none, which starts an earlier site had announced, and who signed.
Who audits a site takes these as the site states them, and makes all pages again from them and the evidence.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from sitegen.read.files import SourceFile
from sitegen.read.schema import DigestText, Format, Identifier, Time, typed
from sitegen.read.settings import Settings, find_setting_faults
from sitegen.read.strict import parse_json
from sitegen.refusals import Refused

CLAIMS_PATH = "data/claims.json"
CLAIMS_SCHEMA: Literal["agent-bench-claims/v1"] = "agent-bench-claims/v1"


class ClaimedRefusal(Format, frozen=True, kw_only=True):
    """One reason, in the fields of a refusal that pages show."""

    slug: str
    file: str
    path: str = ""
    expected: DigestText | None = None
    found: DigestText | None = None
    hint: str | None = None


class ClaimedRun(Format, frozen=True, kw_only=True):
    """A run without figures, and why."""

    run_id: str
    refusals: tuple[ClaimedRefusal, ...]


class ClaimedStamp(Format, frozen=True, kw_only=True):
    """A timestamp that was verified at the build: the time, and the path of the authority's certificate."""

    time: Time
    authority: str


class UnitClaims(Format, frozen=True, kw_only=True):
    """What is claimed of one protocol; ``announced``, ``signers`` and ``stamps`` are by the digest of an event."""

    refusals: tuple[ClaimedRefusal, ...] = ()
    refused: tuple[ClaimedRun, ...] = ()
    announced: tuple[DigestText, ...] = ()
    signers: dict[DigestText, str] = {}
    stamps: dict[DigestText, ClaimedStamp] = {}


class ClaimedPlace(Format, frozen=True, kw_only=True):
    """The family of a protocol, and the version that it follows where that one is among the site's."""

    family: str
    follows: str | None = None


class Claims(Format, frozen=True, kw_only=True):
    """All that a site claims beside its evidence.

    ``engine`` is the digest of the code and the libraries that made the pages: others may make others of the same
    evidence. ``settings`` hold only what pages show, and ``refusals`` are those that no protocol here has: of the site
    as a whole, and of protocols of which nothing is published. ``places`` are of every sealed protocol, of these too.
    """

    schema: Annotated[Literal["agent-bench-claims/v1"], Meta(extra={"slug": "schema-unknown"})]
    engine: DigestText
    settings: Settings
    refusals: tuple[ClaimedRefusal, ...] = ()
    places: dict[Identifier, ClaimedPlace]
    protocols: dict[Identifier, UnitClaims]


def read_claims(source: SourceFile) -> Claims:
    """Return what a site claims.

    Raises:
        Refused: it is not of this format.
    """
    claims = typed(parse_json(source.data, source.path), Claims, source.path)
    found = list(find_setting_faults(claims.settings, source.path))
    if found:
        raise Refused(found)
    return claims
