"""Build, preview on loopback, and rebuild whenever an input changes (needs `sitegen[serve]`).

example:
  sitegen serve
"""

from __future__ import annotations

import argparse
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from sitegen.cli import EXIT_FINE
from sitegen.cli.console import Console
from sitegen.cli.place import root_of
from sitegen.refusals import Refused

if TYPE_CHECKING:
    from sitegen.pipeline.preview import Preview

_PAUSE_MSEC = 500
_LAST_PORT = 65535
_WATCHED = ("protocols", "reports", "templates", "sitegen.toml")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("root", nargs="?", help="the site's folder (default: the current one)")
    parser.add_argument("--port", type=_port, default=8000, help="0 takes any that is free (default: 8000)")
    parser.add_argument("--trust-stat", action="store_true", help="hash no file whose size and times are as before")
    parser.add_argument("-o", "--output", type=Path, help="where the site goes (default: a temporary folder)")


def _port(text: str) -> int:
    if not (text.isdecimal() and int(text) <= _LAST_PORT):
        raise argparse.ArgumentTypeError(f"a number from 0 to {_LAST_PORT}")
    return int(text)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Serve until it is interrupted."""
    from sitegen.pipeline.preview import Preview, make_server

    root = root_of(arguments.root)
    with tempfile.TemporaryDirectory(prefix="sitegen-preview-") as folder:
        preview = Preview(arguments.output or Path(folder) / "site", trust_stat=arguments.trust_stat)
        _rebuild(root, preview, console)
        server = make_server(preview, arguments.port)
        address = f"http://{server.server_address[0]!s}:{server.server_address[1]}/"
        console.result(address)
        console.data({"address": address})
        stop = threading.Event()
        watcher = threading.Thread(target=_watch, args=(root, preview, console, stop), daemon=True)
        watcher.start()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            console.note("stopped")
        finally:
            stop.set()
            server.server_close()
            watcher.join(timeout=5)
    return EXIT_FINE


def _watch(root: Path, preview: Preview, console: Console, stop: threading.Event) -> None:
    """Build again at every change, until ``stop``; whatever keeps it from that is said."""
    try:
        import watchfiles
    except ImportError:
        console.note("install sitegen[serve] to rebuild on change")
        return
    places = [root / name for name in _WATCHED if (root / name).exists()]
    if not places:
        return
    changed = watchfiles.watch(
        *places, stop_event=stop, raise_interrupt=False, yield_on_timeout=True, rust_timeout=_PAUSE_MSEC
    )
    try:
        for turn, changes in enumerate(changed):
            # The first turn looks once more: something may have changed before the watching began.
            if changes or turn == 0:
                _try_to_rebuild(root, preview, console)
    except OSError as error:
        console.error(f"changes are no longer seen: {error}")


def _try_to_rebuild(root: Path, preview: Preview, console: Console) -> None:
    """Build again, or say what the system says: a full disk or a file that is being replaced may be mended later."""
    try:
        _rebuild(root, preview, console)
    except (OSError, MemoryError) as error:
        found = str(error) or "there is not enough memory"
        console.error(f"not built, so the preview is the one before, until the next change: {found}")


def _rebuild(root: Path, preview: Preview, console: Console) -> None:
    from sitegen.pipeline.build import build_site
    from sitegen.pipeline.cache import cache_folder
    from sitegen.present.wording import counted

    try:
        built = build_site(root, preview.site, trust_stat=preview.trust_stat, cache=cache_folder())
        preview.show()
    except Refused as refused:
        console.refusals(refused.refusals)
        preview.show(refused.refusals)
    else:
        of = f"{counted(built.reports, 'report')} of {counted(built.protocols, 'protocol')}"
        console.note(f"built: {of}, {counted(built.written, 'file')} written")
