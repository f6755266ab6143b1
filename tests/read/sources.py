"""Source files for tests of reading, without a disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sitegen.digests import sha256
from sitegen.read.files import SourceFile
from sitegen.refusals import Refused


def source(data: str | bytes, path: str = "x.json") -> SourceFile:
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return SourceFile(path=path, data=raw, sha256=sha256(raw))


def faults(read: Callable[..., Any], *given: Any) -> list[tuple[str, str]]:
    """The slug and the place of each reason why ``read`` says no."""
    with pytest.raises(Refused) as caught:
        read(*given)
    return [(refusal.slug, refusal.path) for refusal in caught.value.refusals]
