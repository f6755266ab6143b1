"""What a page of the site may load: only what the site itself holds, and no inline script or style."""

from __future__ import annotations

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self';"
    " base-uri 'none'; form-action 'none'"
)
"""The policy of every page, as a meta element and in ``_headers``."""
