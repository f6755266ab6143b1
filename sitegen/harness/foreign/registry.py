"""The formats that can be imported, and telling which one a file is: by its content, helped by its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

from sitegen.harness.foreign import bfcl, every_eval_ever, inspect, lm_eval, promptfoo, swebench, tau, tau2
from sitegen.harness.foreign.sample import Importer
from sitegen.harness.foreign.sources import ForeignFile
from sitegen.harness.foreign.unsupported import explain
from sitegen.refusals import Misuse

IMPORTERS: Mapping[str, Importer] = {
    module.IMPORTER.name: module.IMPORTER
    for module in (inspect, swebench, tau, tau2, lm_eval, promptfoo, every_eval_ever, bfcl)
}
"""Every importer by its name."""

Parts = Sequence[tuple[str, ForeignFile]]


def recognise(format: str | None, files: Sequence[ForeignFile]) -> tuple[Importer, Parts]:  # noqa: A002
    """Return the importer of ``files`` and the part that each of them is.

    Raises:
        Misuse: no such format, or no file.
        Refused: ``import-unsupported`` for a file of no known format, or of another than the rest.
    """
    if not files:
        raise Misuse("no file was given")
    if format is not None and format not in IMPORTERS:
        looks, hint = explain(files[0])
        raise Misuse(f"no format is called {format!r}. Known are {', '.join(IMPORTERS)}. The file is {looks}; {hint}")
    candidates = [IMPORTERS[format]] if format is not None else [*IMPORTERS.values()]
    found = [{importer.name: part for importer in candidates if (part := importer.part(file))} for file in files]
    for file, claims in zip(files, found, strict=True):
        if not claims:
            _refuse_unknown(file, format)
    common = [importer for importer in candidates if all(importer.name in claims for claims in found)]
    if len(common) != 1:
        claimed = ", ".join(sorted({name for claims in found for name in claims}))
        hint = "name the format, and give the files of one run only"
        files[0].refuse("import-ambiguous", "files of one format", claimed, hint=hint)
    importer = common[0]
    return importer, [(claims[importer.name], file) for file, claims in zip(files, found, strict=True)]


def _refuse_unknown(file: ForeignFile, format: str | None) -> NoReturn:  # noqa: A002
    expected = f"a file of {format}" if format else f"a file of {', '.join(IMPORTERS)}"
    found, hint = explain(file)
    file.refuse("import-unsupported", expected, found, hint=hint)
