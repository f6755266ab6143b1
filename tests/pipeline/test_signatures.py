"""Signatures in a build: without signers nothing is asked; with them a unit holds or is kept out whole."""

from __future__ import annotations

from pathlib import Path

from sitegen.pipeline.signatures import with_signatures
from tests.sites import judge, make_protocol, make_run


def test_nothing_is_asked_without_signers(tmp_path: Path) -> None:
    make_protocol(tmp_path, "demo.v1")
    make_run(tmp_path, "demo.v1", "alpha")
    unit = judge(tmp_path, "demo.v1")
    assert with_signatures(unit, (), ()) == unit


def test_an_unsigned_unit_is_kept_out_with_its_runs(tmp_path: Path) -> None:
    make_protocol(tmp_path, "demo.v1")
    closed = make_run(tmp_path, "demo.v1", "alpha")
    kept_out = with_signatures(judge(tmp_path, "demo.v1"), (), ("us@example.org ssh-ed25519 AAAA",))
    assert kept_out.protocol is None
    assert kept_out.reports == ()
    assert [run.run_id for run in kept_out.refused] == [closed.run_id]
    assert {refusal.slug for refusal in kept_out.refusals} == {"signature-missing"}
