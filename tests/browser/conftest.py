"""A real headless Chromium, a built site, and a plain static server on loopback."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from sitegen.pipeline.build import build_site
from tests.gallery import make_gallery

ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
KINDS = (
    *("index.html", "404.html", "refused/index.html", "audit/index.html", "families/demo/index.html"),
    *("protocols/demo.v1/index.html", "protocols/demo.v1/*-alpha-*/index.html", "protocols/kept.v1/*/index.html"),
    *("protocols/long.v1/*/tasks-2.html", "protocols/demo.v1/*-gone-*/index.html", "protocols/crowd.v1/pairs.html"),
)
"""One page of every kind."""

WATCH = "addEventListener('securitypolicyviolation', e => console.error('policy: ' + e.violatedDirective))"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The gallery, with a protocol of nine contestants, published."""
    from tests.sites import make_protocol, make_run

    root = make_gallery(tmp_path_factory.mktemp("gallery"))
    make_protocol(root, "crowd.v1")
    for number in range(9):
        make_run(root, "crowd.v1", f"c{number}", wrong=[f"T-{i:03}" for i in range(1, number + 1)])
    settings = root / "sitegen.toml"  # without an address, so that the page of a missing one works from disk as well
    settings.write_text("".join(line for line in settings.read_text().splitlines(True) if "base_url" not in line))
    output = tmp_path_factory.mktemp("published") / "site"
    build_site(root, output)
    return output


@pytest.fixture(scope="session")
def page_of(site: Path) -> Callable[[str], Path]:
    """Return the one page, or the first, of a kind."""
    return lambda kind: sorted(site.glob(kind))[0]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, or a skip that says that there is none."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium is installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture
def served(site: Path, tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A copy of the site that a test may change, and its address."""
    folder = shutil.copytree(site, tmp_path / "site")
    with serving(folder) as address:
        yield address, folder


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder on loopback, and give its address."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def watched(browser: Browser) -> Iterator[Callable[..., tuple[Page, list[str]]]]:
    """Open pages whose errors and requests are collected: every console error, violation and address off the site."""
    contexts: list[BrowserContext] = []

    def opened(**options: Any) -> tuple[Page, list[str]]:
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.add_init_script(WATCH)
        troubles: list[str] = []
        page.on(
            "console", lambda message: troubles.append(message.text) if message.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda request: None if local(request.url) else troubles.append(f"asked for {request.url}"))
        page.on("requestfailed", lambda request: troubles.append(f"failed: {request.url}"))
        return page, troubles

    yield opened
    for context in contexts:
        context.close()


def local(address: str) -> bool:
    """Whether an address is on this machine."""
    return address.startswith(("file:", "http://127.0.0.1:"))
