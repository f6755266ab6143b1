"""Check a published site, a folder or an address: its files, evidence, figures and history; make its pages again.

examples:
  sitegen audit _site
  sitegen audit https://example.org/scores/ --previous last-release/
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from sitegen.cli import EXIT_FAULT, EXIT_FINE
from sitegen.cli.console import Console

if TYPE_CHECKING:
    from sitegen.pipeline.auditing import Audited


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("site", metavar="SITE", help="folder or address of a published site")
    parser.add_argument("--previous", metavar="OLD", help="an older copy of it, whose history must still be there")
    meaning = "run the published metrics, which are the site's own code, again in processes of their own"
    parser.add_argument("--rescore", action="store_true", help=meaning)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Audit the site, and say what holds and what does not."""
    from sitegen.pipeline.auditing import audit_site
    from sitegen.pipeline.cache import FIGURES, cache_folder
    from sitegen.present.wording import counted

    def watch(step: str) -> None:
        console.note(f"checking {step}")

    cache = cache_folder()
    audited = audit_site(
        arguments.site,
        arguments.previous,
        rescore=arguments.rescore,
        figures=None if cache is None else cache / FIGURES,
        watch=watch,
    )
    console.refusals(audited.faults)
    for run in audited.unshown:
        console.note(f"note: {run} was started and has no figures here")
    console.data(
        {
            "site": audited.where,
            "files": audited.files,
            "protocols": audited.protocols,
            "reports": audited.reports,
            "remade": audited.remade,
            "partly": audited.partly,
            "unmade": audited.unmade,
            "unshown": list(audited.unshown),
            "faults": len(audited.faults),
        }
    )
    if audited.faults:
        console.note(f"{counted(len(audited.faults), 'fault')}; do not trust the figures of this site")
        return EXIT_FAULT
    console.result(
        f"{counted(audited.files, 'file')} as listed; {counted(audited.reports, 'report')} of"
        f" {counted(audited.protocols, 'protocol')} verified again, {_of_pages(audited)}"
    )
    return EXIT_FINE


def _of_pages(audited: Audited) -> str:
    """Return in a clause what is known of the pages and exports."""
    from sitegen.present.wording import counted

    if audited.unmade is not None:
        return (
            "and the scorecards on the pages and in the export are those that the evidence gives; nothing else on the"
            f" pages was compared, since they could not be made again: {audited.unmade}"
        )
    made = f"{counted(audited.remade, 'file')} made again from the evidence, byte for byte the same"
    if audited.partly:
        made += f"; of {audited.partly} more, which show what is not published, the figures"
    return made
