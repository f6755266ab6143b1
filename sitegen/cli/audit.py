"""Check a published site, a folder or an address: its files, its evidence, its figures, and its history.

examples:
  sitegen audit _site
  sitegen audit https://example.org/scores/ --previous last-release/
"""

from __future__ import annotations

import argparse

from sitegen.cli import EXIT_FAULT, EXIT_FINE
from sitegen.cli.console import Console


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("site", metavar="SITE", help="folder or address of a published site")
    parser.add_argument("--previous", metavar="OLD", help="an older copy of it, whose history must still be there")
    meaning = "run the published metrics, which are the site's own code, again in processes of their own"
    parser.add_argument("--rescore", action="store_true", help=meaning)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Audit the site, and say what holds and what does not."""
    from sitegen.pipeline.auditing import audit_site
    from sitegen.present.wording import counted

    def watch(step: str) -> None:
        console.note(f"checking {step}")

    audited = audit_site(arguments.site, arguments.previous, rescore=arguments.rescore, watch=watch)
    console.refusals(audited.faults)
    for run in audited.unshown:
        console.note(f"note: {run} was started and has no figures here")
    console.data(
        {
            "site": audited.where,
            "files": audited.files,
            "protocols": audited.protocols,
            "reports": audited.reports,
            "unshown": list(audited.unshown),
            "faults": len(audited.faults),
        }
    )
    if audited.faults:
        console.note(f"{counted(len(audited.faults), 'fault')}; do not trust the figures of this site")
        return EXIT_FAULT
    console.result(
        f"{counted(audited.files, 'file')} as listed; {counted(audited.reports, 'report')} of"
        f" {counted(audited.protocols, 'protocol')} verified again, and the scorecards on the pages and in the export"
        " are those that the evidence gives"
    )
    return EXIT_FINE
