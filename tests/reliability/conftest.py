"""One store of drawn charts for all tests here: drawing them anew for each build would take most of the time."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sitegen.pipeline.build import build_site
from tests.reliability.scenes import make_site, second_generation


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds the charts of the small site in both its generations."""
    root = tmp_path_factory.mktemp("drawn")
    for runs in (1, 2):
        site = make_site(root / f"site-{runs}", runs=runs)
        build_site(site, root / f"out-{runs}", cache=root / "cache" / "sitegen")
        second_generation(site)
        build_site(site, root / f"out-{runs}", cache=root / "cache" / "sitegen")
    return root / "cache"


@pytest.fixture(scope="session")
def _published(tmp_path_factory: pytest.TempPathFactory, drawn: Path) -> Path:
    root = tmp_path_factory.mktemp("published")
    site = make_site(root / "site")
    build_site(site, root / "www" / "out", cache=drawn / "sitegen")
    second_generation(site)
    return root


@pytest.fixture
def published(_published: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A site with something new, and the output that an earlier build published."""
    shutil.copytree(_published / "site", tmp_path / "site")
    shutil.copytree(_published / "www", tmp_path / "www")
    return tmp_path / "site", tmp_path / "www" / "out"
