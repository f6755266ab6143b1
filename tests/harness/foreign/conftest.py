"""What the importers' tests share: real files of other harnesses where they are, and small ones made up on the spot."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from sitegen.harness.foreign import Choices, Findings, import_files, parse_signal
from sitegen.read.transcript import Transcript
from sitegen.refusals import Refusal, Refused

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"

Bring = Callable[..., tuple[dict[str, Transcript], Findings]]


@pytest.fixture
def shared() -> Path:
    """The folder of real outputs beside the project; a test that needs it skips aloud without it."""
    if not SHARED.is_dir():
        pytest.skip("the real outputs in ../shared/data are not here")
    return SHARED


@pytest.fixture
def jsonl(tmp_path: Path) -> Callable[..., Path]:
    """Writes rows as JSON Lines the way Python writes them, under a name."""

    def write(rows: Iterable[Any], name: str = "rows.jsonl") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path

    return write


@pytest.fixture
def bring() -> Bring:
    """Imports files to the end: (transcripts by task id, findings)."""

    def run(*files: Path, source: str | None = None, signals: Iterable[str] = (), **choices: Any) -> Any:
        chosen = Choices(abstain_when=tuple(map(parse_signal, signals)), **choices)
        imported = import_files(source, files, chosen)
        transcripts = {transcript.task_id: transcript for transcript in imported.transcripts}
        return transcripts, imported.findings

    return run


@pytest.fixture
def refused() -> Callable[..., list[Refusal]]:
    """Calls what must refuse, and returns why."""

    def run(call: Callable[..., Any], *arguments: Any, **named: Any) -> list[Refusal]:
        with pytest.raises(Refused) as caught:
            call(*arguments, **named)
        return list(caught.value.refusals)

    return run
