from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from sitegen.present.feed import entries_of, feed, headers, sitemap
from sitegen.present.policy import CONTENT_SECURITY_POLICY
from sitegen.present.summary import summarise
from sitegen.read.settings import Settings
from sitegen.verify.verified import VerifiedUnit

ATOM = "{http://www.w3.org/2005/Atom}"


def test_the_feed_tells_seals_publications_and_withdrawals_latest_first(unit: VerifiedUnit) -> None:
    page = feed(Settings(base_url="https://example.org/"), entries_of(summarise(unit)))
    assert page is not None
    root = ElementTree.fromstring(page.data)
    entries = root.findall(f"{ATOM}entry")
    titles = [entry.findtext(f"{ATOM}title") or "" for entry in entries]
    assert [title.split(":")[0] for title in titles].count("Published") == 5
    assert sum(title.startswith("Withdrawn") for title in titles) == 1
    assert sum(title.startswith("Sealed") for title in titles) == 1
    times = [entry.findtext(f"{ATOM}updated") or "" for entry in entries]
    assert times == sorted(times, reverse=True)
    assert root.findtext(f"{ATOM}updated") == times[0]
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    assert len(set(ids)) == len(ids)


def test_an_empty_site_has_no_feed() -> None:
    assert feed(Settings(), []) is None


def test_a_sitemap_needs_an_address() -> None:
    assert sitemap(Settings(), ["index.html"]) is None
    page = sitemap(Settings(base_url="https://example.org/x"), ["index.html", "404.html", "data/a.csv"])
    assert page is not None
    assert page.data.count(b"<loc>") == 1


def test_hosts_are_given_the_policy_of_the_pages(built: Path) -> None:
    assert CONTENT_SECURITY_POLICY.encode() in headers().data
    assert headers().data == (built / "_headers").read_bytes()
