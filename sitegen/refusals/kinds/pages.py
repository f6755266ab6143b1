"""Refusals of pages, and the troubles of the environment (exit 3)."""

from __future__ import annotations

from sitegen.refusals.kinds.kind import group

GROUP = group(
    "Pages",
    7,
    {
        "link-unsafe": (
            (
                "A link in the owner's notes is neither an http, https or mailto address nor a place on the same page, or an"
                " address in the settings is not http or https with a host."
            ),
            "Write the whole address, as in `https://example.org/page`; the notes may also name a place, as in `#results`.",
        ),
        "asset-drift": (
            "A file of the site's own assets or templates changed while the site was built.",
            "Build again when nothing writes into the templates.",
        ),
        "page-shape": (
            (
                "A finished page holds an element, attribute or address that its template does not allow, or shows a rate without"
                " the rest of its scorecard."
            ),
            "If you override a template, use the scorecard block as it is; otherwise this is a fault of sitegen: report it.",
        ),
        "page-remote": (
            "A finished page would load something from another host.",
            "Put the file into the site's own assets.",
        ),
        "site-malformed": (
            "The site's settings (sitegen.toml) cannot be used as they are.",
            "Correct the field that is named.",
        ),
        "site-drift": (
            "A published site differs from its own list of files: a file changed, is missing, or was added.",
            "Take the site from its source again; do not trust its figures.",
        ),
        "page-drift": (
            (
                "A file of a published site is not the one that this sitegen makes of the published evidence: a page or an export"
                " was edited, added or left out, or the site's claims name no reason for a run without figures."
            ),
            "Do not trust the site; build it again from the evidence.",
        ),
        "page-number": (
            "A number on a published page is not the one that the published evidence gives.",
            "Do not trust the page; build the site again from the evidence.",
        ),
    },
)

ENVIRONMENT_GROUP = group(
    "Environment",
    8,
    {
        "output-not-ours": (
            "The output folder exists and was not made by sitegen; it is never touched.",
            "Choose another folder, or remove this one yourself.",
        ),
        "output-busy": ("Another build is writing to the same output.", "Wait until it has ended."),
        "output-not-writable": ("The output cannot be written.", "Give write access to the parent folder."),
        "output-no-space": ("The disk is full; the old site is as it was.", "Free some space and build again."),
        "output-overlap": (
            "The output folder lies inside an input folder, or an input inside it.",
            "Choose an output outside protocols, reports and templates.",
        ),
        "publish-failed": (
            "The finished site could not be put in place; the old one stays.",
            "Read the system's message.",
        ),
        "internal-error": ("sitegen has a fault. Nothing was published.", "Please report the message and the command."),
    },
)
