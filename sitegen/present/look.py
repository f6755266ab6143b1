"""The look of a site: templates, assets, the owner's settings, and the store of drawn charts.

All templates and assets are read once, when the look is opened, so that every page of a build is made of the same ones.
Whoever publishes asks :meth:`Look.drifted` whether they still are what stands on the disk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from sitegen import __version__
from sitegen.digests import Digest, folder_digest, sha256
from sitegen.present.charts.store import FigureStore
from sitegen.present.policy import CONTENT_SECURITY_POLICY
from sitegen.present.templates import Pages, place_of, read_files
from sitegen.read.settings import Settings
from sitegen.refusals import Refusal

_STATIC = "static/"
_AUDIT_SCRIPT = "audit.py"


@dataclass(frozen=True, kw_only=True)
class Relations:
    """What a protocol's page must know of the others.

    ``family_of`` is the family of each published protocol; ``follows`` the version before, where it is published.
    """

    family_of: Mapping[str, str]
    follows: Mapping[str, str]

    def family_size(self, protocol_id: str) -> int:
        """Return how many published protocols share this one's family."""
        return self._sizes[self.family_of[protocol_id]] if protocol_id in self.family_of else 0

    def followers(self, protocol_id: str) -> tuple[str, ...]:
        """Return the protocols that name this one as the version before, sorted."""
        return tuple(sorted(self._followers.get(protocol_id, ())))

    def around(self, protocol_id: str) -> tuple[object, ...]:
        """Return all that this protocol's own pages say of others: its family and that one's size, before and after."""
        family, before = self.family_of.get(protocol_id), self.follows.get(protocol_id)
        return family, self.family_size(protocol_id), before, self.followers(protocol_id)

    @cached_property
    def _sizes(self) -> Counter[str]:
        return Counter(self.family_of.values())

    @cached_property
    def _followers(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for later, earlier in self.follows.items():
            found.setdefault(earlier, []).append(later)
        return found


NO_RELATIONS = Relations(family_of={}, follows={})
"""Of a protocol that stands alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Everything but the records that pages are made of. Make it with :meth:`open`.

    Attributes:
        settings: the owner's.
        templates: text by name, overrides applied.
        assets: bytes by path below the site's root.
        asset_folder: path of the assets below the site's root; its name changes with their content.
        digest: of templates and assets together.
        overrides: folder of the owner's templates, if any.
        sources: digests of the templates and assets as they were read, by name.
        overridden: whether the owner replaced a template.
        figures: the store of drawn charts.
        relations: between protocols.
        logo: path of the owner's logo below the site's root, if there is one.
        version: of sitegen.
        policy: the content security policy of every page.
        pages: the templates, as pages are made of them.
    """

    settings: Settings
    templates: Mapping[str, str] = field(repr=False)
    assets: Mapping[str, bytes] = field(repr=False)
    asset_folder: str
    digest: Digest
    overrides: Path | None
    sources: Mapping[str, Digest] = field(repr=False)
    overridden: bool
    figures: FigureStore
    relations: Relations
    logo: str | None
    version: str = __version__
    policy: str = CONTENT_SECURITY_POLICY
    pages: Pages = field(repr=False)

    @classmethod
    def open(
        cls,
        settings: Settings,
        overrides: Path | None,
        figures: Path | None,
        relations: Relations,
        logo: bytes | None = None,
    ) -> Look:
        """Read templates and assets.

        Args:
            settings: the owner's settings.
            overrides: folder of the owner's templates; a file replaces the shipped one of the same name.
            figures: folder that keeps drawn charts by content, or ``None`` to keep none.
            relations: between the published protocols.
            logo: bytes of the file that ``settings.logo`` names.

        Raises:
            Refused: ``text-encoding``, a template of the owner's is not UTF-8.
        """
        shipped, own = read_files(overrides)
        files, pages = {**shipped, **own}, Pages(shipped, own)
        static = {name.removeprefix(_STATIC): data for name, data in files.items() if name.startswith(_STATIC)}
        static["site.css"] = static["site.css"] + accent_rules(settings)
        digest = folder_digest(_digests({**files, **static}))
        asset_folder = f"assets/{digest[:12]}"
        assets = {f"{asset_folder}/{name}": data for name, data in static.items()}
        logo_path = None
        if logo is not None and settings.logo is not None:
            logo_path = f"{asset_folder}/logo{Path(settings.logo).suffix}"
            assets[logo_path] = logo
        if _AUDIT_SCRIPT in files:
            assets[_AUDIT_SCRIPT] = files[_AUDIT_SCRIPT]
        return cls(
            settings=settings,
            templates=pages.texts,
            assets=assets,
            asset_folder=asset_folder,
            digest=digest,
            overrides=overrides,
            sources=_digests(files),
            overridden=bool(own),
            figures=FigureStore(figures),
            relations=relations,
            logo=logo_path,
            pages=pages,
        )

    def drifted(self) -> Iterator[Refusal]:
        """Yield ``asset-drift`` for each template and asset that is not on the disk what it was when it was read."""
        shipped, own = read_files(self.overrides)
        now = _digests({**shipped, **own})
        for name in sorted(self.sources.keys() | now.keys()):
            before, after = self.sources.get(name), now.get(name)
            if before != after:
                expected, found = before or "nothing", after or "nothing"
                yield Refusal(slug="asset-drift", file=place_of(name), expected=expected, found=found)

    def render(self, template: str, path: str, **context: Any) -> bytes:
        """Return the page of ``template`` that will stand at ``path``, as UTF-8.

        Raises:
            Refused: ``page-shape``, one of the owner's templates cannot be compiled or does not run.
        """
        known = {"look": self, "site": self.settings, "path": path, "root": "../" * path.count("/")}
        return self.pages.render(template, {**known, **context}).encode("utf-8", "backslashreplace")


def accent_rules(settings: Settings) -> bytes:
    """Return the style rules of the owner's accent colours; empty where there are none."""
    rules = ""
    if settings.accent.light:
        rules += f":root{{--accent:{settings.accent.light}}}\n"
    if settings.accent.dark:
        dark = f"{{--accent:{settings.accent.dark}}}"
        rules += f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){dark}}}\n"
        rules += f":root[data-theme=dark]{dark}\n"
    return rules.encode()


def _digests(files: Mapping[str, bytes]) -> dict[str, Digest]:
    return {name: sha256(data) for name, data in files.items()}
