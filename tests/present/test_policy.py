from __future__ import annotations

from sitegen.present.policy import CONTENT_SECURITY_POLICY


def test_nothing_inline_and_nothing_from_elsewhere() -> None:
    assert CONTENT_SECURITY_POLICY.startswith("default-src 'none'")
    for word in ("unsafe", "http", "*", "data:"):
        assert word not in CONTENT_SECURITY_POLICY
