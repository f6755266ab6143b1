"""The export of claims: no figure, no private setting, and nothing that the evidence shows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from sitegen.digests import sha256
from sitegen.present.claims import claims_json, unit_claims
from sitegen.present.look import Look, Relations
from sitegen.read.claims import CLAIMS_PATH, read_claims
from sitegen.read.files import SourceFile
from sitegen.read.settings import Settings
from sitegen.refusals import Refusal
from sitegen.verify.verified import Stamp
from tests.sites import judge, make_protocol, make_run


def test_of_a_refusal_only_digests_are_told(tmp_path: Path) -> None:
    make_protocol(tmp_path, "demo.v1")
    rehearsal = make_run(tmp_path, "demo.v1", "alpha", channel="exploratory")
    unit = judge(tmp_path, "demo.v1")
    found = (
        Refusal(slug="interval-mismatch", file="a", path="/mean", expected="0.75", found="0.99"),
        Refusal(slug="protocol-drift", file="b", expected="a" * 64, found="b" * 64, hint="seal again"),
    )
    unit = replace(unit, refused=(replace(unit.refused[0], refusals=found),))
    (run,) = json.loads(unit_claims(unit))["refused"]
    assert run["run_id"] == rehearsal.run_id
    assert run["refusals"] == [
        {"slug": "interval-mismatch", "file": "a", "path": "/mean"},
        {"slug": "protocol-drift", "file": "b", "expected": "a" * 64, "found": "b" * 64, "hint": "seal again"},
    ]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    make_protocol(tmp_path, "demo.v1")
    make_run(tmp_path, "demo.v1", "alpha")
    unit = judge(tmp_path, "demo.v1")
    ((seal, _),) = unit.ledger.of("seal")
    stamp = Stamp(time="2026-11-30T09:32:00Z", authority="authority.pem")
    unit = replace(unit, signers={seal: "us@example.org"}, stamps={seal: stamp})
    relations = Relations(family_of={"demo.v1": "demo"}, follows={})
    look = Look.open(Settings(title="Ours", strict_privacy=True, history="/private"), None, None, relations)
    data = b"".join(claims_json(look, "c" * 64, [], [("demo.v1", unit_claims(unit)), ("empty.v1", b"{}")]))
    assert b"/private" not in data
    claims = read_claims(SourceFile(path=CLAIMS_PATH, data=data, sha256=sha256(data)))
    assert (claims.engine, claims.settings, claims.places["demo.v1"].family) == (
        "c" * 64,
        Settings(title="Ours"),
        "demo",
    )
    assert claims.protocols["demo.v1"].signers == {seal: "us@example.org"}
    assert claims.protocols["demo.v1"].stamps[seal].time == stamp.time
    assert claims.protocols["demo.v1"].announced == ()
    assert claims.protocols["empty.v1"].refused == ()
