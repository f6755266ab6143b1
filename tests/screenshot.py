"""Take the README's picture: the first screen of a protocol's page, as the shipped site shows it.

python -m tests.screenshot _site
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

PICTURE = Path(__file__).resolve().parent.parent / "templates" / "docs" / "protocol-page.png"
PAGE = "protocols/date-normalisation.v1/index.html"
WIDTH, HEIGHT = 1440, 900


def take(site: Path, picture: Path = PICTURE) -> None:
    """Open the page from disk and write what a window of this size shows, in the light theme."""
    from playwright.sync_api import sync_playwright

    browser_path = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto((site / PAGE).resolve().as_uri())
        page.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    take(Path(sys.argv[1]))
