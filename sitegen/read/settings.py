"""``sitegen.toml``: the owner's settings. All are optional."""

from __future__ import annotations

import tomllib
from pathlib import PurePosixPath
from typing import Annotated

from msgspec import Meta

from sitegen.digests import Digest
from sitegen.read.files import DOCUMENT_LIMIT, Tree
from sitegen.read.schema import DigestText, Format, typed
from sitegen.read.strict import check_text
from sitegen.refusals import Refusal, Refused

SETTINGS_NAME = "sitegen.toml"

Line = Annotated[str, Meta(min_length=1, max_length=200)]
Signer = Annotated[str, Meta(min_length=1, max_length=4000, pattern="^[^\\r\\n]+\\Z")]
WebAddress = Annotated[str, Meta(pattern="^https?://[^\\s\"'<>]+\\Z", max_length=2000, extra={"slug": "link-unsafe"})]
Colour = Annotated[str, Meta(pattern="^#[0-9a-fA-F]{6}\\Z")]


class Link(Format, frozen=True, kw_only=True):
    """A link in the header or footer."""

    text: Line
    href: WebAddress


class Accent(Format, frozen=True, kw_only=True):
    """The owner's accent colour in each theme; colours that carry a meaning are not the owner's to change."""

    light: Colour | None = None
    dark: Colour | None = None


class Settings(Format, frozen=True, kw_only=True):
    """The owner's settings.

    ``base_url`` is where the site will stand; without it there are no absolute links. ``history`` is the folder or
    address of the last published site. ``signers`` are lines of an allowed-signers file of OpenSSH; where they are
    given, seals and ledger heads must be signed. ``timestamp_authorities`` are paths of PEM files of the site's folder:
    certificates by which timestamps of events (RFC 3161) are verified. ``allow_secrets`` are digests of reviewed texts
    that look like a secret and are none.
    """

    title: Line = "Published agent measurements"
    base_url: WebAddress | None = None
    organisation: Line | None = None
    repository: WebAddress | None = None
    licence: Line | None = None
    history: str | None = None
    links: tuple[Link, ...] = ()
    logo: str | None = None
    accent: Accent = Accent()
    signers: tuple[Signer, ...] = ()
    timestamp_authorities: tuple[Line, ...] = ()
    strict_privacy: bool = False
    allow_secrets: tuple[DigestText, ...] = ()


def read_settings(tree: Tree) -> tuple[Settings, Digest | None]:
    """Return the settings of a site and their digest; defaults and ``None`` where there is no file.

    Raises:
        Refused: ``site-malformed``, or faults of form.
    """
    if not tree.exists(SETTINGS_NAME):
        return Settings(), None
    source = tree.read(SETTINGS_NAME, DOCUMENT_LIMIT)
    try:
        value = tomllib.loads(check_text(source.data, SETTINGS_NAME))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = [Refusal(slug="site-malformed", file=SETTINGS_NAME, expected="TOML", found=str(error))]
        raise Refused(found) from None
    settings = typed(value, Settings, SETTINGS_NAME)
    if settings.logo is not None and PurePosixPath(settings.logo).suffix not in (".svg", ".png"):
        expected = "an .svg or .png file of the site's folder"
        raise Refused(
            [Refusal(slug="field-range", file=SETTINGS_NAME, path="/logo", expected=expected, found=settings.logo)]
        )
    return settings, source.sha256
