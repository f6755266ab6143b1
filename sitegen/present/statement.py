"""An in-toto statement of one report: subjects by digest, and as predicate the whole scorecard.

It can be made of a verified report only, so there is none of a refused run. It is not signed: whoever wraps it into an
envelope (DSSE) signs it.
"""

from __future__ import annotations

from typing import Any

import sitegen
from sitegen.measure.scorecard import claims_of
from sitegen.read.encoding import compact_json
from sitegen.read.manifest import MANIFEST_NAME
from sitegen.read.protocol import SEALED_NAME
from sitegen.read.report import REPORT_NAME
from sitegen.read.transcript import TRANSCRIPTS_NAME
from sitegen.verify.verified import VerifiedProtocol, VerifiedReport

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:agent-bench:scorecard:v1"


def statement(report: VerifiedReport, protocol: VerifiedProtocol) -> bytes:
    """Return the statement as compact JSON; the same report gives the same bytes."""
    digests = report.report.digests
    subjects = (
        (REPORT_NAME, report.sha256),
        (SEALED_NAME, protocol.sha256),
        (MANIFEST_NAME, digests.manifest),
        ("solver/", digests.solver),
        (TRANSCRIPTS_NAME, digests.transcripts),
    )
    value = {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in subjects],
        "predicateType": PREDICATE_TYPE,
        "predicate": _predicate(report, protocol),
    }
    return compact_json(value) + b"\n"


def _predicate(report: VerifiedReport, protocol: VerifiedProtocol) -> dict[str, Any]:
    card = report.card
    claims = {name: list(part) if isinstance(part, tuple) else part for name, part in claims_of(card).items()}
    return {
        "protocol": {"id": protocol.protocol_id, "sha256": protocol.sha256, "sealed": protocol.sealed_at},
        "run": {
            "id": report.run_id,
            "route": report.report.route,
            "channel": report.report.channel,
            "started": report.started_at,
            "ended": report.ended_at,
            "start_sha256": report.start,
            "end_sha256": report.end,
            "number": report.run_number,
            "of": report.runs_started,
            "witness": report.witness,
        },
        "scorecard": {
            **claims,
            "ci_method": report.report.ci_method,
            "counts": {"ordinary": card.ordinary, "negative": card.negative},
            "null_pack": {"rows": len(card.null_rows), "as_asked": card.null_passed},
            "covariates": {
                name: {part: getattr(made, part) for part in made.__struct_fields__}
                for name, made in (
                    ("retries", card.covariates.retries),
                    ("tool_calls", card.covariates.tool_calls),
                    ("wall_clock_sec", card.covariates.wall_clock_sec),
                )
            },
        },
        "verification": {
            "tool": f"sitegen {sitegen.__version__}",
            "level": report.level,
            "steps": [{"name": step.name, "result": step.result} for step in report.steps],
        },
    }
