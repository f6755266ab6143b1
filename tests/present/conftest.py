"""One real site for all tests of the pages: sealed, run, refused, withdrawn, built."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import html5lib
import pytest

from sitegen.pipeline.build import build_site
from sitegen.present.look import NO_RELATIONS, Look
from sitegen.read.settings import Settings
from sitegen.verify.verified import VerifiedUnit
from tests.gallery import make_gallery
from tests.sites import judge


@pytest.fixture(scope="session")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The inputs of a site with everything that a page can show."""
    return make_gallery(tmp_path_factory.mktemp("gallery"))


@pytest.fixture(scope="session")
def built(gallery: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The gallery as a published site."""
    output = tmp_path_factory.mktemp("built") / "site"
    build_site(gallery, output)
    return output


@pytest.fixture(scope="session")
def unit(gallery: Path) -> VerifiedUnit:
    """The exam with runs of every kind, judged."""
    return judge(gallery, "demo.v1")


@pytest.fixture(scope="session")
def look() -> Look:
    """The shipped look with default settings."""
    return Look.open(Settings(), None, None, NO_RELATIONS)


Parse = Callable[[Path | bytes], "html5lib.treebuilders.etree.Element"]


@pytest.fixture(scope="session")
def parse() -> Callable[[Path | bytes], object]:
    """Parse a page strictly: any error of HTML's syntax fails the test."""

    def parsed(page: Path | bytes) -> object:
        parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
        return parser.parse(page.read_bytes() if isinstance(page, Path) else page)

    return parsed
