"""One result a task: where a file holds several, the user chooses; nothing is merged and nothing is guessed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sitegen.harness.foreign.choices import Choices
from sitegen.harness.foreign.findings import Findings
from sitegen.harness.foreign.sample import Label, Sample
from sitegen.refusals import Misuse, Refusal, Refused

_MOST_VALUES = 10_000


class Selection:
    """Passes on the rows that were chosen, and keeps what there was to choose from."""

    def __init__(self, choices: Choices, findings: Findings, file: str) -> None:
        self._choices, self._findings, self._file = choices, findings, file
        self._seen: dict[str, dict[str, None]] = {}
        self._open: set[str] = set()
        self._last: tuple[Mapping[Label, str], str | None] = ({}, None)

    def chosen(self, samples: Iterable[Sample]) -> Iterator[tuple[Sample, str | None, Any]]:
        """Yield (row, scorer, the scorer's value) of each chosen row.

        Raises:
            Refused: ``import-ambiguous``, at the end, with every value that could have been chosen.
            Misuse: a choice that the file does not have.
        """
        for sample in samples:
            self._findings.rows += 1
            if (differing := self._differing(sample)) is not None:
                self._findings.drop(f"another {differing} was chosen", sample.id)
                continue
            scorer = self._scorer(sample)
            if not self._open:  # after the first doubt the rest is read only to name all values
                yield sample, scorer, sample.scores.get(scorer) if scorer else None
        self._insist()

    def _differing(self, sample: Sample) -> str | None:
        """Return in what the row differs from the choice; most rows are as the one before."""
        if sample.labels != self._last[0]:
            self._last = sample.labels, self._compare(sample)
        return self._last[1]

    def _compare(self, sample: Sample) -> str | None:
        """Compare label by label. Choices nest: what a left-out row has is no matter."""
        for name, value in sample.labels.items():
            self._note(name, value)
            wanted = getattr(self._choices, name)
            if wanted is None and len(self._seen[name]) > 1:
                self._open.add(name)
            elif wanted is not None and value != wanted:
                return name
        return None

    def _scorer(self, sample: Sample) -> str | None:
        for name in sample.scores:
            self._note("scorer", name)
        seen = self._seen.get("scorer", {})
        if self._choices.scorer is None and len(seen) > 1:
            self._open.add("scorer")
        return self._choices.scorer or next(iter(seen), None)

    def _note(self, name: str, value: str) -> None:
        values = self._seen.setdefault(name, {})
        if value not in values and len(values) < _MOST_VALUES:
            values[value] = None

    def _insist(self) -> None:
        if self._open:
            raise Refused([self._refusal(name, [*self._seen[name]]) for name in sorted(self._open)])
        for name, values in self._seen.items():
            wanted = getattr(self._choices, name)
            if wanted is not None and wanted not in values:
                raise Misuse(f"--{name} {wanted!r} is not in the source, which has: {', '.join([*values][:20])}")
            self._findings.chosen[name] = (wanted or next(iter(values)), [*values])

    def _refusal(self, name: str, values: list[str]) -> Refusal:
        found = f"{len(values)}: {', '.join(values[:6])}{', …' if len(values) > 6 else ''}"
        return Refusal(
            slug="import-ambiguous",
            file=self._file,
            expected=f"one {name}",
            found=found,
            hint=f"add --{name} '{values[0]}', or another of: {', '.join(values[:20])}",
        )
