"""Refusals of reading: a file that is not what its format says, or may not be opened at all."""

from __future__ import annotations

from sitegen.refusals.kinds.kind import group

GROUP = group(
    "Reading",
    6,
    {
        "path-unsafe": (
            (
                "A path is absolute, holds `..`, passes through a symbolic link, names something that is not a regular file,"
                " uses characters outside the safe grammar, or equals another name after case folding."
            ),
            "Give a plain relative path to a regular file inside the same folder, and replace links by the files.",
        ),
        "file-missing": (
            "A file that another file names, or that the layout asks for, is not there.",
            "Restore the file, or remove what names it before sealing.",
        ),
        "file-unlisted": (
            "A folder holds a file that nothing lists. What is not listed is not digested, so it cannot be trusted.",
            "Remove the file. In a draft protocol every file is sealed, so it is enough to seal again under a new id.",
        ),
        "file-too-large": (
            "A file is larger than the limit for its kind.",
            "Split the file, or keep the transcripts elsewhere and name them in evidence.yaml.",
        ),
        "file-changed": (
            "A file changed while it was being read, so what was hashed may not be what was parsed.",
            "Let no other program write into the inputs while sitegen runs, then run it again.",
        ),
        "text-encoding": (
            (
                "A file that sitegen parses is not plain UTF-8 with line feeds: it holds invalid bytes, a byte-order mark or a"
                " carriage return. Oracles are opaque bytes and are not concerned."
            ),
            "Save the file as UTF-8 without a byte-order mark and with LF line ends.",
        ),
        "json-malformed": (
            (
                "Not strict JSON: wrong syntax, NaN or Infinity, an integer beyond 2^53, negative zero, nesting too deep, or a"
                " lone surrogate."
            ),
            "Write the file with a JSON library; send large integers as strings.",
        ),
        "json-not-canonical": (
            "A file whose digest is its identity is not in canonical form (RFC 8785 and one line feed).",
            "Let sitegen write the file; never edit it by hand.",
        ),
        "duplicate-key": (
            "An object names the same key twice; readers differ in which value they take.",
            "Keep one of the two.",
        ),
        "jsonl-torn": (
            "A JSON Lines file has a blank line, or its last line does not end in a line feed, as after an interrupted write.",
            "Restore the file from its source; do not repair a torn record by hand.",
        ),
        "yaml-malformed": (
            "The file is not valid YAML, or its top level is not what the format asks.",
            "Mend the syntax at the line that is named.",
        ),
        "yaml-unsupported": (
            (
                "YAML that readers do not agree on: anchors, aliases, merges, tags, several documents, or an unquoted value that"
                " YAML 1.1 and 1.2 read differently (`010`, `1:30`, `yes`, dates)."
            ),
            "Put the value between quotation marks, and write repeated parts out.",
        ),
        "schema-unknown": (
            "The `schema` field names a format, or a version of one, that this sitegen does not know.",
            "Use the schema name that is expected, or a sitegen that knows this one.",
        ),
        "field-missing": ("A required field is absent.", "Add the field; `sitegen init` writes a complete example."),
        "field-unknown": (
            "A field that the format does not have; often a misspelling, whose rule would silently not apply.",
            "Correct the name to the nearest one, or remove the field.",
        ),
        "field-type": (
            'A value has the wrong type. Nothing is converted: `true` is no number and `"40"` is no 40.',
            "Write the value in the type that is expected.",
        ),
        "field-range": (
            "A value has the right type but lies outside what the field allows.",
            "Give a value inside the range that is named.",
        ),
        "archive-unsafe": (
            (
                "An archive holds a member that may not be unpacked: an absolute or climbing path, a link, or a size out of"
                " proportion."
            ),
            "Take the archive from its source again, or unpack it elsewhere and import the plain file.",
        ),
        "import-unsupported": (
            "The file holds no transcripts: aggregate scores only, a version that is not known, or an unknown format.",
            "Do what the message says; where it says nothing else, export per-sample records from the source harness.",
        ),
        "import-ambiguous": (
            "The file holds several attempts, filters, providers or scorers, and merging them would invent a result.",
            "Choose one by the option that the message names.",
        ),
    },
)
