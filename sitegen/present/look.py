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
from typing import TYPE_CHECKING, Any

from sitegen import __version__
from sitegen.digests import Digest, folder_digest, sha256
from sitegen.present.charts.store import FigureStore
from sitegen.present.policy import CONTENT_SECURITY_POLICY
from sitegen.read.settings import Settings
from sitegen.read.shipped import templates_dir
from sitegen.refusals import Refusal

if TYPE_CHECKING:
    from jinja2 import Environment

_STATIC = "static/"
_AUDIT_SCRIPT = "audit.py"
_SUFFIXES = frozenset((".html", ".css", ".js", ".svg", ".py"))


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


class Pages:
    """Templates as pages are made of them. A build that makes no page does not even load Jinja2."""

    def __init__(self, templates: Mapping[str, str]) -> None:
        self._templates = templates

    @cached_property
    def environment(self) -> Environment:
        """Compiled when the first page is made."""
        return _environment(self._templates)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Everything but the records that pages are made of. Make it with :meth:`open`.

    Attributes:
        settings: the owner's.
        templates: text by name, overrides applied.
        assets: bytes by path below the site's root.
        digest: of templates and assets together.
        overrides: folder of the owner's templates, if any.
        sources: digests of the templates and assets as they were read, by name.
        overridden: whether the owner replaced a template.
        figures: the store of drawn charts.
        relations: between protocols.
        version: of sitegen.
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
        """
        files, replaced = _read_files(overrides)
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
        templates = {name: data.decode() for name, data in files.items() if name.endswith(".html")}
        return cls(
            settings=settings,
            templates=templates,
            assets=assets,
            asset_folder=asset_folder,
            digest=digest,
            overrides=overrides,
            sources=_digests(files),
            overridden=replaced,
            figures=FigureStore(figures),
            relations=relations,
            logo=logo_path,
            pages=Pages(templates),
        )

    def drifted(self) -> Iterator[Refusal]:
        """Yield ``asset-drift`` for each template and asset that is not on the disk what it was when it was read."""
        now = _digests(_read_files(self.overrides)[0])
        for name in sorted(self.sources.keys() | now.keys()):
            before, after = self.sources.get(name), now.get(name)
            if before != after:
                file = f"templates/site/{name}"
                yield Refusal(slug="asset-drift", file=file, expected=before or "nothing", found=after or "nothing")

    def render(self, template: str, path: str, **context: Any) -> bytes:
        """Return the page of ``template`` that will stand at ``path``, as UTF-8."""
        text = self.pages.environment.get_template(template).render(
            look=self, site=self.settings, path=path, root="../" * path.count("/"), **context
        )
        return text.encode("utf-8", "backslashreplace")


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


def _environment(templates: Mapping[str, str]) -> Environment:
    from jinja2 import DictLoader, StrictUndefined

    from sitegen.present import marks, wording
    from sitegen.present.compiling import PlainEnvironment, once
    from sitegen.present.visible import clip, finalize

    environment = PlainEnvironment(
        loader=DictLoader(templates),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        finalize=finalize,
        cache_size=-1,
    )
    environment.filters.update(
        grouped=wording.grouped,
        short=wording.short,
        size=wording.size,
        seconds=wording.seconds,
        amount=wording.amount,
        listed=wording.listed,
        in_words=wording.in_words,
        signed=wording.signed,
        clip=clip,
        replace=str.replace,
    )
    environment.filters_of_numbers = frozenset(("amount", "in_words", "signed", "size"))
    environment.makers_of_markup = frozenset(("bar", "glyph", "once"))
    environment.globals.update(bar=marks.bar, glyph=marks.glyph, counted=wording.counted, once=once)
    return environment


def _read_files(overrides: Path | None) -> tuple[dict[str, bytes], bool]:
    """Return templates and assets by name, and whether any of them is the owner's."""
    shipped = _read_folder(templates_dir() / "site")
    own = {} if overrides is None else _read_folder(overrides)
    replaced = {name: data for name, data in own.items() if name in shipped}
    return {**shipped, **replaced}, bool(replaced)


def _digests(files: Mapping[str, bytes]) -> dict[str, Digest]:
    return {name: sha256(data) for name, data in files.items()}


def _read_folder(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder of templates by path below it; links are not followed."""
    found: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in _SUFFIXES and path.is_file() and not path.is_symlink():
            found[path.relative_to(folder).as_posix()] = path.read_bytes()
    return found
