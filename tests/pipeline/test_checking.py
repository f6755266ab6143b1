"""Many protocols: whoever judges them, one process, two, or the workers of a cluster, the same is said of each."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from sitegen.cli import main
from sitegen.harness.rescoring import rescore_run
from sitegen.pipeline import workers
from sitegen.pipeline.checking import Checked, check_all, check_shipment, checked
from sitegen.pipeline.checking import _shipment as shipment_of
from sitegen.pipeline.inputs import Inputs, open_inputs
from sitegen.pipeline.judging import verified_unit
from sitegen.read import source
from sitegen.read.files import Tree
from sitegen.refusals import Misuse
from tests.harness.cluster_kit import local_cluster
from tests.sites import make_protocol, make_run


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four protocols: sound, with a run that does not hold, drifted, and one with a run scored again from the first."""
    root = tmp_path_factory.mktemp("site")
    for protocol_id in ("a.v1", "b.v1", "c.v1"):
        make_protocol(root, protocol_id, ordinary=3, negative=1)
        run = make_run(root, protocol_id)
        if protocol_id == "a.v1":
            make_protocol(root, "a.v2", ordinary=3, negative=1, changes={"publish": {"min_n": 2}})
            rescore_run(root, run.run_id, "a.v2")
    make_run(root, "b.v1", "beta", answers={"NP-REFUSE": "x"})
    (root / "protocols" / "c.v1" / "tasks.jsonl").write_bytes(b"{}\n")
    return root


def all_checked(inputs: Inputs) -> list[Checked]:
    return [checked(verified_unit(inputs, protocol_id)) for protocol_id in inputs.ids]


def test_two_processes_say_what_one_says(site: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    one = (main(["verify", str(site)]), capsys.readouterr())
    monkeypatch.setattr(workers, "WORTH_TWO_PROCESSES", 1)
    monkeypatch.setattr(workers.os, "cpu_count", lambda: 2)
    assert (main(["verify", str(site)]), capsys.readouterr()) == one
    assert one[0] == 1
    assert "holds    a.v1/" in one[1].out


def test_a_worker_says_what_is_said_at_home_or_nothing(site: Path) -> None:
    with Tree(site) as tree:
        inputs = open_inputs(site, tree)
        sent = [pickle.loads(pickle.dumps(shipment_of(inputs, protocol_id))) for protocol_id in inputs.ids]
        told = [pickle.loads(pickle.dumps(check_shipment(shipment))) for shipment in sent]
        expected = all_checked(inputs)
    assert inputs.ids == ("a.v1", "a.v2", "b.v1", "c.v1")
    assert told == [expected[0], None, expected[2], expected[3]], "a run scored again needs the other protocol"


def test_what_cannot_be_sent_stays_at_home(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "LARGE", -1)
    with Tree(site) as tree:
        shipment = shipment_of(open_inputs(site, tree), "a.v1")
    assert shipment.files is None
    assert check_shipment(shipment) is None


def test_a_cluster_says_what_is_said_at_home(site: Path, capsys: Any) -> None:
    here = (main(["verify", str(site)]), capsys.readouterr())
    with local_cluster() as cluster:
        there = (main(["verify", str(site), "--executor", f"dask://{cluster['address']}"]), capsys.readouterr())
    assert there == here


def test_another_scheme_is_misuse_and_no_cluster_is_the_environment(site: Path) -> None:
    with Tree(site) as tree:
        inputs = open_inputs(site, tree)
        with pytest.raises(Misuse, match="dask://"):
            list(check_all(inputs, inputs.ids, "tcp://127.0.0.1:1"))
    assert main(["verify", str(site), "--executor", "tcp://127.0.0.1:1"]) == 2
