from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitegen.harness.foreign.source import Source, read_source, sidecar, write_source

SOURCE = Source(format="bfcl", source_sha256=("a" * 64, "b" * 64), limits=("retries not recorded by this source",))


def test_the_sidecar_is_canonical_and_read_back(tmp_path: Path) -> None:
    transcripts = tmp_path / "transcripts.jsonl"
    write_source(transcripts, SOURCE)
    assert read_source(transcripts) == SOURCE
    data = sidecar(transcripts).read_bytes()
    assert data.startswith(b'{"format":"bfcl","limits":["retries')
    assert data.endswith(b"}\n")


def test_transcripts_that_were_not_imported_have_none(tmp_path: Path) -> None:
    assert read_source(tmp_path / "transcripts.jsonl") is None


@pytest.mark.parametrize("text", ["{}", "[]", '{"format": 1', '{"format":"x","source_sha256":["zz"],"limits":[]}'])
def test_a_malformed_sidecar_is_refused(tmp_path: Path, refused: Callable[..., Any], text: str) -> None:
    sidecar(tmp_path / "t.jsonl").write_text(text)
    assert refused(read_source, tmp_path / "t.jsonl")
