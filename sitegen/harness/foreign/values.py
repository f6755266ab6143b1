"""Reading one foreign record: unknown fields are passed over, known ones must have their type.

A field that is absent or null gives ``None``, never 0 or ``""``. A field of the wrong type is refused with its place: a
value that is passed over in silence would be a result that nobody chose.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, NoReturn

from sitegen.read.schema import describe, pointer
from sitegen.read.strict import MAX_SAFE_INTEGER
from sitegen.refusals import Refusal, Refused

_FIRST_YEAR = 1000
"""Earlier years are written with less than four digits."""


class Fields:
    """One object of a foreign file, with the place where it stands.

    The place is put together only when it is asked for: almost no object is ever refused.
    """

    __slots__ = ("_above", "_names", "file", "value")

    def __init__(self, value: Any, file: str, above: Fields | str, *names: str | int) -> None:
        self.file, self._above, self._names = file, above, names
        self.value: dict[str, Any] = value if isinstance(value, dict) else self.refuse("field-type", "an object", value)

    @property
    def where(self) -> str:
        """The place inside the file: a line, a JSON pointer, or both."""
        place = self._above if isinstance(self._above, str) else self._above.where
        for name in self._names:
            place = pointer(place, name)
        return place

    def __str__(self) -> str:
        return f"{self.file} {self.where}"

    def any(self, name: str) -> Any:
        """Return the field as it stands; ``None`` where it is absent."""
        return self.value.get(name)

    def text(self, name: str) -> str | None:
        """Return a string, or ``None``."""
        value = self.value.get(name)
        if value is None or isinstance(value, str):
            return value
        return self.refuse("field-type", "text", value, name)

    def truth(self, name: str) -> bool | None:
        """Return ``True`` or ``False``, or ``None``."""
        value = self.value.get(name)
        if value is None or isinstance(value, bool):
            return value
        return self.refuse("field-type", "true or false", value, name)

    def number(self, name: str) -> float | None:
        """Return a number from 0 to 2**53 - 1 as it stands, but -0.0 as 0.0; or ``None``."""
        value = self.value.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return self.refuse("field-type", "a number", value, name)
        if value < 0:
            return self.refuse("field-range", "a number of at least 0", value, name)
        if value > MAX_SAFE_INTEGER:
            return self.refuse("field-range", f"a number of at most {MAX_SAFE_INTEGER}", value, name)
        return value + 0

    def seconds(self, name: str, parts: int = 1) -> float | None:
        """Return a duration in seconds that the file gives in 1/``parts`` of a second, or ``None``."""
        value = self.number(name)
        return value if value is None or parts == 1 else value / parts

    def count(self, name: str) -> int | None:
        """Return a whole number of at least 0, or ``None``."""
        value = self.number(name)
        if value is None or isinstance(value, int):
            return value
        return int(value) if value.is_integer() else self.refuse("field-type", "a whole number", value, name)

    def items(self, name: str) -> list[Any]:
        """Return a list; an empty one where the field is absent."""
        value = self.value.get(name)
        if value is None:
            return []
        return value if isinstance(value, list) else self.refuse("field-type", "a list", value, name)

    def objects(self, name: str) -> list[Fields]:
        """Return a list of objects; an empty one where the field is absent."""
        return [Fields(item, self.file, self, name, index) for index, item in enumerate(self.items(name))]

    def at(self, name: str, index: int, value: Any) -> Fields:
        """Return ``value``, the item ``index`` of a list, as an object."""
        return Fields(value, self.file, self, name, index)

    def object(self, name: str) -> Fields:
        """Return an object; where the field is absent one without fields or a place: there is nothing to refuse."""
        value = self.value.get(name)
        return _ABSENT if value is None else Fields(value, self.file, self, name)

    def identifier(self, *names: str) -> str:
        """Return the first of the fields that is there, a text or a whole number, as text.

        Raises:
            Refused: ``field-missing`` where none is there, ``field-type`` or ``field-range`` for what cannot be an id.
        """
        for name in names:
            value = self.value.get(name)
            if isinstance(value, (str, int)) and not isinstance(value, bool):
                return str(value)
            if value is not None:
                return self.refuse("field-type", "an id: text or a whole number", value, name)
        return self.refuse("field-missing", f"an id in {' or '.join(names)}", "nothing")

    def reached(self, path: str) -> Any:
        """Return what stands at a dotted path (``vars.task_id``), or ``None``."""
        value: Any = self.value
        for part in path.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return value

    def identified(self, path: str) -> str:
        """Return the id at a dotted path, as :meth:`identifier` does."""
        return Fields({path: self.reached(path)}, self.file, self.where).identifier(path)

    def refuse(
        self, slug: str, expected: str, found: Any, name: str | None = None, hint: str | None = None
    ) -> NoReturn:
        """Refuse the field ``name``, or the whole object."""
        place = self.where if name is None else pointer(self.where, name)
        raise Refused(
            [Refusal(slug=slug, file=self.file, path=place, expected=expected, found=describe(found), hint=hint)]
        )


_ABSENT = Fields({}, "", "")


def carried(value: Any) -> Any:
    """Return what a transcript carries of a foreign value: itself, but for numbers that JSON readers read differently.

    An integer beyond 2**53 - 1 becomes its digits as text, and negative zero becomes zero.
    """
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, float):
        return value + 0.0
    if isinstance(value, int):
        return value if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER else str(value)
    if isinstance(value, dict):
        return {name: carried(part) for name, part in value.items()}
    return [carried(part) for part in value] if isinstance(value, list) else value


def utc_time(text: str | None) -> str | None:
    """Return an ISO 8601 time as ``2026-11-30T09:32:00Z``; ``None`` where it has no zone or is no time.

    A time without its zone is no claim that could be compared, so it counts as not recorded. So does one outside the
    years 1000 to 9999, which nobody's clock said.
    """
    try:
        moment = datetime.fromisoformat(text) if text else None
        if moment is None or moment.tzinfo is None:
            return None
        moment = moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment.year >= _FIRST_YEAR else None


def whole(text: str) -> str:
    """Return ``text`` with its escape in the place of what UTF-8 does not have: half of a surrogate pair."""
    return text.encode("utf-8", "backslashreplace").decode()


def all_whole(value: Any) -> Any:
    """Return ``value`` with every text in it, keys as well, :func:`whole`."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, dict):
        return {all_whole(name): all_whole(part) for name, part in value.items()}
    return type(value)(map(all_whole, value)) if isinstance(value, (list, tuple)) else value
