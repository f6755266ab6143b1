"""Write a working site: a small exam, two contestants that can sit it, and the site's settings. It asks nothing.

With --from it takes your own tasks: one JSON object a line with `id`, `kind` (ordinary or negative), `oracle` (the
right answer, or the path of a file beside the tasks; none for a negative control) and what your solver needs. Three
of them become the null pack, which you should look at before you seal.

examples:
  sitegen init demo
  sitegen init scores --from my-tasks.jsonl
"""

from __future__ import annotations

import argparse
from pathlib import Path

from sitegen.cli import EXIT_FINE
from sitegen.cli.console import Console


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="the folder to make; it may exist and be empty")
    parser.add_argument("--from", dest="tasks", metavar="TASKS.jsonl", type=Path, help="tasks of your own")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Write the files, and say what to type next."""
    from sitegen.harness.starter import shipped_starter, starter_from, write_starter

    starter = shipped_starter() if arguments.tasks is None else starter_from(arguments.tasks)
    write_starter(arguments.folder, starter)
    console.result(f"wrote {len(starter.files)} files into {arguments.folder}")
    if starter.moved:
        console.note(f"the null pack was made of {', '.join(starter.moved)}: see that it checks what you mean")
    console.note("next:")
    if arguments.folder.resolve() != Path.cwd():
        console.note(f"  cd {arguments.folder}")
    console.note(f"  sitegen seal protocols/{starter.protocol_id}")
    console.note(f"  sitegen run protocols/{starter.protocol_id} --manifest {starter.manifests[0]}")
    console.note("  sitegen build")
    console.data(
        {
            "folder": str(arguments.folder),
            "protocol_id": starter.protocol_id,
            "manifests": list(starter.manifests),
            "files": sorted(starter.files),
            "null_pack": list(starter.moved),
        }
    )
    return EXIT_FINE
