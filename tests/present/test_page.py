from __future__ import annotations

from sitegen.present.page import Page


def test_a_page_does_not_print_its_bytes() -> None:
    assert repr(Page(path="index.html", data=b"secret")) == "Page(path='index.html')"
