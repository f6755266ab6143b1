"""The templates: shipped ones, those that the owner replaced, and whose fault it is where no page comes of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

from sitegen.read.shipped import templates_dir
from sitegen.refusals import Refusal, Refused

if TYPE_CHECKING:
    from jinja2 import Environment

_SUFFIXES = frozenset((".html", ".css", ".js", ".svg", ".py"))


def read_files(overrides: Path | None) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return the shipped templates and assets by name, and those of them that the owner replaced."""
    shipped = _read_folder(templates_dir() / "site")
    own = {} if overrides is None else _read_folder(overrides)
    return shipped, {name: data for name, data in own.items() if name in shipped}


def place_of(name: str) -> str:
    """Return the path below the site's folder at which the owner's template of this name stands."""
    return f"templates/site/{name}"


class Pages:
    """Templates as pages are made of them. A build that makes no page does not even load Jinja2.

    What the owner's own templates do wrong is refused; an error that the shipped ones make too is a fault of sitegen.
    """

    def __init__(self, shipped: Mapping[str, bytes], own: Mapping[str, bytes]) -> None:
        """Take files by name, of which some are templates.

        Raises:
            Refused: ``text-encoding`` for each of the owner's templates that is not UTF-8.
        """
        self._shipped = _texts(shipped)
        self._own = _own_texts(own)

    @property
    def texts(self) -> dict[str, str]:
        """The text of each template by name, the owner's in place of the shipped ones."""
        return {**self._shipped, **self._own}

    @cached_property
    def environment(self) -> Environment:
        """Made when the first page is, with the owner's templates compiled.

        Raises:
            Refused: ``page-shape`` for each of the owner's templates that cannot be compiled.
        """
        environment = _environment(self.texts)
        found = [fault for name in sorted(self._own) for fault in _compile_faults(environment, name)]
        if found:
            raise Refused(found)
        return environment

    def render(self, template: str, context: Mapping[str, Any]) -> str:
        """Return the text of a page.

        Raises:
            Refused: ``page-shape``, the owner's templates cannot be compiled, or fail where the shipped ones do not.
        """
        try:
            return self.environment.get_template(template).render(context)
        except Exception as error:
            fault = None if _is_of_the_system(error) else self._fault(template, context, error)
            if fault is None:
                raise
            raise Refused([fault]) from None

    def _fault(self, template: str, context: Mapping[str, Any], error: Exception) -> Refusal | None:
        """Return what the owner's templates did wrong, by the last line of theirs that led to the error; else ``None``.

        A shipped template may have made the error because one of the owner's called it wrongly, or lacks a macro. It is
        the owner's if the shipped templates alone make the page.
        """
        own, shipped = set(map(place_of, self._own)), set(map(place_of, self._shipped))
        frames = ((frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__))
        lines = [(file, line) for file, line in frames if file in shipped]
        theirs = [(file, line) for file, line in lines if file in own]
        if not (lines and lines[-1][0] in own) and not (own and self._renders_as_shipped(template, context)):
            return None
        file, line = [(place_of(template), None), *lines, *theirs][-1]
        hint = None if theirs else f"the shipped template does not go together with your {', '.join(sorted(self._own))}"
        return _no_page(file, line, error, hint)

    def _renders_as_shipped(self, template: str, context: Mapping[str, Any]) -> bool:
        try:
            _environment(self._shipped).get_template(template).render(context)
        except Exception:  # noqa: BLE001 (whatever it is, the owner did not cause it)
            return False
        return True


def _environment(templates: Mapping[str, str]) -> Environment:
    from jinja2 import FunctionLoader, StrictUndefined

    from sitegen.present import marks, wording
    from sitegen.present.compiling import PlainEnvironment, once
    from sitegen.present.visible import clip, finalize

    environment = PlainEnvironment(
        # with the file, so that an error tells where it was made; and no template is ever read anew
        loader=FunctionLoader(lambda name: (templates[name], place_of(name), None) if name in templates else None),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        finalize=finalize,
        cache_size=-1,
    )
    environment.filters.update(
        grouped=wording.grouped,
        short=wording.short,
        size=wording.size,
        seconds=wording.seconds,
        amount=wording.amount,
        listed=wording.listed,
        in_words=wording.in_words,
        signed=wording.signed,
        interval_method=wording.interval_method,
        clip=clip,
        replace=str.replace,
    )
    environment.filters_of_numbers = frozenset(("amount", "in_words", "signed", "size"))
    environment.makers_of_markup = frozenset(("bar", "glyph", "once"))
    environment.globals.update(bar=marks.bar, glyph=marks.glyph, counted=wording.counted, once=once)
    return environment


def _compile_faults(environment: Environment, name: str) -> Iterator[Refusal]:
    """Yield ``page-shape`` where an owner's template is none, or no code can be made of it."""
    from jinja2 import TemplateSyntaxError

    try:
        environment.get_template(name)
    except TemplateSyntaxError as error:
        yield _no_page(place_of(name), error.lineno, error)
    except SyntaxError as error:  # of the code that was made of it, which has other lines
        yield _no_page(place_of(name), None, SyntaxError(error.msg))
    except (ValueError, RecursionError) as error:
        yield _no_page(place_of(name), None, error)


def _no_page(file: str, line: int | None, error: Exception, hint: str | None = None) -> Refusal:
    place, found = "" if line is None else f"line {line}", f"{type(error).__name__}: {error}"
    expected = "a template that can be rendered"
    return Refusal(slug="page-shape", file=file, path=place, expected=expected, found=found, hint=hint)


def _is_of_the_system(error: Exception) -> bool:
    """Tell whether an error is of the disk, of memory, or of what is shown; that a template is not there is none."""
    from jinja2 import TemplateNotFound

    return isinstance(error, (OSError, MemoryError, Refused)) and not isinstance(error, TemplateNotFound)


def _texts(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: data.decode() for name, data in files.items() if name.endswith(".html")}


def _own_texts(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the owner's templates as text.

    Raises:
        Refused: ``text-encoding`` for each that is not UTF-8.
    """
    texts: dict[str, str] = {}
    found: list[Refusal] = []
    for name, data in files.items():
        try:
            texts |= _texts({name: data})
        except UnicodeDecodeError as error:
            place, file, expected = f"byte {error.start}", place_of(name), "valid UTF-8"
            found.append(Refusal(slug="text-encoding", file=file, path=place, expected=expected, found=error.reason))
    if found:
        raise Refused(found)
    return texts


def _read_folder(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder of templates by path below it; links are not followed."""
    found: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in _SUFFIXES and path.is_file() and not path.is_symlink():
            found[path.relative_to(folder).as_posix()] = path.read_bytes()
    return found
