"""``sitegen.toml``: the owner's settings. All are optional."""

from __future__ import annotations

import tomllib
import urllib.parse
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Annotated, Any

from msgspec import Meta

from sitegen.digests import Digest
from sitegen.read.address import is_address
from sitegen.read.files import DOCUMENT_LIMIT, Tree
from sitegen.read.schema import DigestText, Format, typed
from sitegen.read.strict import MOST_DIGITS, check_text
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
    settings = typed(_parse_toml(source.data), Settings, SETTINGS_NAME)
    found = list(find_setting_faults(settings, SETTINGS_NAME))
    if found:
        raise Refused(found)
    return settings, source.sha256


def _parse_toml(data: bytes) -> dict[str, Any]:
    text = check_text(data, SETTINGS_NAME)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        expected, found = "TOML", str(error)
    except RecursionError:
        expected, found = "TOML", "tables or lists nested too deeply"
    except ValueError:  # of the one thing that Python itself does not read
        expected, found = f"integers of at most {MOST_DIGITS} digits", "a longer one"
    raise Refused([Refusal(slug="site-malformed", file=SETTINGS_NAME, expected=expected, found=found)])


def find_setting_faults(settings: Settings, file: str) -> Iterator[Refusal]:
    """Yield what a setting of the right form cannot be; ``file`` is where it stands."""

    def refusal(slug: str, path: str, expected: str, found: str) -> Refusal:
        return Refusal(slug=slug, file=file, path=path, expected=expected, found=found)

    links = {f"/links/{number}/href": link.href for number, link in enumerate(settings.links)}
    for path, address in {"/base_url": settings.base_url, "/repository": settings.repository, **links}.items():
        if address is not None and not _has_parts(address):
            yield refusal("link-unsafe", path, "an address with a host", address)
    if settings.history is not None and "://" in settings.history and not is_address(settings.history):
        yield refusal("field-range", "/history", "a folder, or an address with http or https", settings.history)
    if settings.logo is not None and PurePosixPath(settings.logo).suffix not in (".svg", ".png"):
        yield refusal("field-range", "/logo", "an .svg or .png file of the site's folder", settings.logo)


def _has_parts(address: str) -> bool:
    """Tell whether an address can be taken apart: ``http://[a`` cannot."""
    try:
        return bool(urllib.parse.urlsplit(address).hostname)
    except ValueError:
        return False
