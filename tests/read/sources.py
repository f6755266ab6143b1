"""Source files for tests of reading, without a disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitegen.digests import sha256
from sitegen.read.files import LargeFile, SourceFile, Tree
from sitegen.refusals import Refused


def source(data: str | bytes, path: str = "x.json") -> SourceFile:
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return SourceFile(path=path, data=raw, sha256=sha256(raw))


def faults(read: Callable[..., Any], *given: Any) -> list[tuple[str, str]]:
    """The slug and the place of each reason why ``read`` says no."""
    with pytest.raises(Refused) as caught:
        read(*given)
    return [(refusal.slug, refusal.path) for refusal in caught.value.refusals]


def large(folder: Path, data: bytes) -> LargeFile:
    """A file of a run's folder that is too large to be kept; the test makes every size large."""
    (folder / "run").mkdir(exist_ok=True)
    (folder / "run" / "transcripts.jsonl").write_bytes(data)
    with Tree(folder) as tree:
        found = tree.read_folder("run", lambda name: 1 << 30)[0]["transcripts.jsonl"]
    assert isinstance(found, LargeFile)
    return found
