"""The command line: one module a command, one error boundary, exit codes with meanings.

0 fine, recorded refusals included; 1 a fault, nothing published; 2 wrong usage; 3 the environment or a bug; 4 published
with ``--publish-accepted`` though there were faults.
"""

from __future__ import annotations

import argparse
import gc
import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

import sitegen

if TYPE_CHECKING:
    from sitegen.cli.console import Console
    from sitegen.refusals import Refused

COMMANDS = {
    "init": "write a working starter: protocol, tasks, null pack, metric, contestant, settings",
    "seal": "seal a protocol; --check only says what would be refused",
    "run": "run a contestant: start, null pack first, dataset, score, report",
    "start": "record a start, print the run id, write the tasks for another harness",
    "score": "close a started run with transcripts made elsewhere",
    "end": "record that a run ended without a report",
    "withdraw": "withdraw a report or a protocol; nothing is deleted",
    "rescore": "score a run's artifacts again under a new protocol version",
    "import": "turn other harnesses' logs into transcripts",
    "status": "drafts, open runs, what would be refused, and the next command",
    "verify": "every refusal of every report",
    "build": "verify everything and write the site",
    "compare": "two protocol versions, or two reports of one protocol",
    "audit": "check a published site, folder or address",
    "adopt": "fetch another site's sealed protocol and verify it",
    "reveal": "open the commitments of a hidden test set",
    "sign": "sign seals and ledger heads with an SSH key",
    "serve": "build, preview on loopback, rebuild on change",
    "explain": "what a refusal means and how to mend it",
    "doctor": "what this machine has",
    "docs": "the manual as a folder of pages, with the formats' JSON Schemas",
    "completion": "completion of commands and options for a shell",
}
"""Every command with its summary, in the order of ``--help``."""

_RARELY = (20_000, 50, 100)
"""When the collector looks for cycles: a build's records are many, hold none, and a tenth of its time went there."""

_NO_MEMORY = (MemoryError, SystemError)
"""What is raised where memory is wanting; the second by the interpreter itself, for the frame of a call."""

EXIT_FINE, EXIT_FAULT, EXIT_MISUSE, EXIT_ENVIRONMENT, EXIT_ACCEPTED = range(5)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. This is the one error boundary."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        _say_everything()
        code = _dispatch(given)
    except (KeyboardInterrupt, OSError):  # before a command ran, or nobody takes what a handler says
        code = EXIT_ENVIRONMENT
    except _NO_MEMORY:  # for what tells of it either
        sys.stderr.write("sitegen: there is not enough memory\n")
        code = EXIT_ENVIRONMENT
    return code if _flush() else code or EXIT_ENVIRONMENT


def _say_everything() -> None:
    """Let a terminal that is not in UTF-8 show the escape of what it cannot show."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _dispatch(given: Sequence[str]) -> int:
    if given[:1] == ["--version"]:
        print(f"sitegen {sitegen.__version__}")
        return EXIT_FINE
    command = given[0] if given else ""
    if command not in COMMANDS:
        return _usage(given)
    return _run(command, given[1:])


def _usage(given: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="sitegen",
        description="Publish agent benchmark numbers that a reader can check.",
        epilog="Start with: sitegen init demo && cd demo && sitegen status",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"sitegen {sitegen.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, summary in COMMANDS.items():
        commands.add_parser(name, help=summary, add_help=False)
    if not given:
        parser.print_help()
        return EXIT_MISUSE
    try:
        parser.parse_args(given)
    except SystemExit as stop:
        return EXIT_MISUSE if stop.code else EXIT_FINE
    return EXIT_MISUSE  # `sitegen -- verify`: nothing was done


def _run(command: str, given: Sequence[str]) -> int:
    from sitegen.cli.console import Console
    from sitegen.refusals import Misuse, Refused

    module, parser = command_and_parser(command)
    try:
        arguments = parser.parse_args(given)
    except SystemExit as stop:
        return EXIT_MISUSE if stop.code else EXIT_FINE
    console = Console(arguments.format, arguments.quiet)
    gc.set_threshold(*_RARELY)
    try:
        with _ended_by_signals(), _no_memory_told_once():
            code: int = module.run(arguments, console)
    except Refused as refused:
        console.refusals(refused.refusals)
        return EXIT_ENVIRONMENT if _of_the_environment(refused) else EXIT_FAULT
    except Misuse as misuse:
        console.error(f"sitegen {command}: {misuse}")
        return EXIT_MISUSE
    except KeyboardInterrupt:
        console.error("interrupted")
        return EXIT_ENVIRONMENT
    except BrokenPipeError:
        return EXIT_ENVIRONMENT
    except (OSError, ImportError) as error:  # also a library that is broken, or has no memory to be loaded into
        console.error(f"sitegen {command}: {error}")
        return EXIT_ENVIRONMENT
    except _NO_MEMORY:
        console.error(f"sitegen {command}: there is not enough memory")
        return EXIT_ENVIRONMENT
    except Exception as error:  # noqa: BLE001 (a traceback is a bug whatever the input was)
        return _bug(command, error, console)
    return code


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let a request to end (a cancelled job, a closed terminal) clean up as ^C does; one that is ignored stays so."""
    import signal
    import threading

    asking = (signal.SIGTERM, signal.SIGHUP) if threading.current_thread() is threading.main_thread() else ()
    ours = [number for number in asking if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def _no_memory_told_once() -> Iterator[None]:
    """Keep the interpreter from telling, traceback and all, what it could not tidy up for want of memory."""
    told = sys.unraisablehook

    def tell(unraised: sys.UnraisableHookArgs) -> None:
        if not issubclass(unraised.exc_type, _NO_MEMORY):
            told(unraised)

    sys.unraisablehook = tell
    try:
        yield
    finally:
        sys.unraisablehook = told


def command_and_parser(command: str) -> tuple[ModuleType, argparse.ArgumentParser]:
    """Return the module of one of :data:`COMMANDS` and the parser of its arguments."""
    module = import_module(f"sitegen.cli.{command}_" if command == "import" else f"sitegen.cli.{command}")
    parser = argparse.ArgumentParser(
        prog=f"sitegen {command}",
        description=module.__doc__ or _docstring(module),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    formats = getattr(module, "FORMATS", ("text", "json", "github"))
    parser.add_argument("--format", default="text", choices=formats, help="how results and refusals are written")
    parser.add_argument("--quiet", action="store_true", help="say nothing but results and refusals")
    module.configure(parser)
    return module, parser


def _docstring(module: ModuleType) -> str | None:
    """Return what ``python -OO`` left out of a module, from its source."""
    import ast
    import inspect

    return ast.get_docstring(ast.parse(inspect.getsource(module)), clean=False)


def _of_the_environment(refused: Refused) -> bool:
    from sitegen.refusals.kinds.pages import ENVIRONMENT_GROUP

    return any(refusal.kind.group == ENVIRONMENT_GROUP for refusal in refused.refusals)


def _bug(command: str, error: Exception, console: Console) -> int:
    import os
    import traceback

    from sitegen.refusals import Refusal

    if os.environ.get("SITEGEN_TRACEBACK"):
        traceback.print_exc()
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{last.filename.rsplit('/', 1)[-1]}:{last.lineno}"
    found = f"{type(error).__name__}: {error} ({place})"
    console.refusals([Refusal(slug="internal-error", file=f"sitegen {command}", found=found)])
    return EXIT_ENVIRONMENT


def _flush() -> bool:
    """Write out what was said; where nobody can take it, let the interpreter's own last flush go nowhere."""
    import os

    whole = True
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            whole = False
    return whole
