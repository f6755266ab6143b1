"""What the user chooses for an import: which of several results, which tasks, and what counts as an abstention."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sitegen.refusals import Misuse

Slice = Literal["ordinary", "negative", "null_pack"]
SignalKind = Literal["never", "no-call", "answer", "score", "tool", "metadata"]

SIGNALS: Mapping[str, str] = {
    "never": "nothing counts: the source has no way to abstain",
    "no-call": "the answer made no tool call",
    "answer=TEXT": "the whole answer is TEXT, apart from white space around it",
    "score=VALUE": "the chosen scorer's own value is VALUE (Inspect's NOANSWER is N)",
    "tool=NAME": "the tool NAME was called (tau-bench's is transfer_to_human_agents)",
    "metadata.KEY=VALUE": "the source's metadata says so",
}
"""The signals that ``--abstain-when`` can name, with their meanings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One explicit sign of abstention that the user enabled by name."""

    kind: SignalKind
    value: str = ""
    key: str = ""
    text: str


def parse_signal(text: str) -> Signal:
    """Return the signal that ``text`` names.

    Raises:
        Misuse: it names none of :data:`SIGNALS`.
    """
    head, equals, value = text.partition("=")
    if text in ("never", "no-call"):
        return Signal(kind="never" if text == "never" else "no-call", text=text)
    if equals and value and head in ("answer", "score", "tool"):
        kinds: dict[str, SignalKind] = {"answer": "answer", "score": "score", "tool": "tool"}
        return Signal(kind=kinds[head], value=value, text=text)
    if equals and value and head.startswith("metadata.") and head != "metadata.":
        return Signal(kind="metadata", key=head.removeprefix("metadata."), value=value, text=text)
    known = "; ".join(f"{name}: {meaning}" for name, meaning in SIGNALS.items())
    raise Misuse(f"--abstain-when {text!r} is not known. Known are {known}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The user's choices; every default is the honest one.

    Attributes:
        task, provider, prompt, filter, attempt, scorer: which of several results in one file.
        route: name of what answered, where the source gives none.
        id_field: dotted path of the field that holds the task's id (``vars.task_id``).
        abstain_when: signals of abstention. Without any, abstention is unknown, and an unknown row cannot be scored.
        plan: tasks of the exam and their slice: a task without a result is emitted as ``not_run``.
        ids: the source's id → the exam's id; ids that are not named stay as they are.
    """

    task: str | None = None
    provider: str | None = None
    prompt: str | None = None
    filter: str | None = None
    attempt: str | None = None
    scorer: str | None = None
    route: str | None = None
    id_field: str | None = None
    abstain_when: tuple[Signal, ...] = ()
    plan: Mapping[str, Slice] | None = None
    ids: Mapping[str, str] = field(default_factory=dict)
