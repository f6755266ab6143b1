"""Build the manual: the documentation that travels with sitegen, as pages, with the formats' JSON Schemas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sitegen
from sitegen.harness.answer import SolverResult
from sitegen.present.look import NO_RELATIONS, Look
from sitegen.present.manual import manual_pages
from sitegen.read.formats import FORMATS, published_schema
from sitegen.read.settings import Settings
from sitegen.read.shipped import templates_dir
from sitegen.write.publish import Publication

TITLE = "The sitegen manual"
MANUAL = "docs"
"""Folder of the sources below the templates."""


def build_manual(output: Path) -> int:
    """Write the manual into ``output``, replacing one that stands there in one step; return the number of its files.

    Raises:
        Refused: the output is not ours or cannot be written.
    """
    look = Look.open(Settings(title=TITLE), None, None, NO_RELATIONS)
    with Publication(output, (templates_dir(),)) as publication:
        for page in manual_pages(look, manual_sources(), manual_schemas()):
            publication.add(page.path, page.data)
        return publication.publish({"tool": f"sitegen {sitegen.__version__}", "look": look.digest})


def manual_sources() -> dict[str, bytes]:
    """Return the Markdown sources by file name."""
    return {path.name: path.read_bytes() for path in sorted((templates_dir() / MANUAL).glob("*.md"))}


def manual_schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON Schema of every format by name: those of a site's files, and the solver's result file."""
    result: tuple[type[Any], str] = (SolverResult, "what a solver writes to RESULT_JSON")
    formats = {**FORMATS, "result": result}
    return {name: published_schema(name, record, of) for name, (record, of) in formats.items()}
