"""What a site says of itself: ``site.json`` (every file with size and digest) and ``SHA256SUMS``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sitegen.digests import Listed, canonical_json, sums_listing
from sitegen.read.published import SITE_NAME, SITE_SCHEMA, SITE_SUMS

MARKER = SITE_NAME
"""The file by which a folder is known to be a site of ours."""
SUMS = SITE_SUMS


def site_json(files: Sequence[Listed], facts: Mapping[str, Any]) -> bytes:
    """Return ``site.json``: ``facts``, and all ``files`` but itself and SHA256SUMS by their paths' UTF-8 bytes."""
    # The list is nearly all of it and its form is simple: written here, it takes a tenth of the time.
    around = canonical_json({"schema": SITE_SCHEMA, "files": [], **facts})
    before, empty, after = around.partition(b'"files":[]')
    ordered = sorted(files, key=lambda file: file.path.encode())
    listed = ",".join(f'{{"path":{_text(file.path)},"sha256":"{file.sha256}","size":{file.size}}}' for file in ordered)
    return b"".join((before, empty[:-1], listed.encode(), b"]", after))


_text = json.JSONEncoder(ensure_ascii=False).encode


def sums(files: Sequence[Listed]) -> bytes:
    """Return ``SHA256SUMS`` over ``files``, in the form that ``sha256sum -c`` reads."""
    return sums_listing({file.path: file.sha256 for file in files})


def is_marker(data: bytes) -> bool:
    """Tell whether these bytes are a ``site.json`` of ours."""
    try:
        value = json.loads(data)
    except ValueError:
        return False
    return isinstance(value, dict) and value.get("schema") == SITE_SCHEMA
