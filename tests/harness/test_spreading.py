"""What is sent to a cluster arrives as it was sent or not at all, and results come in the order of the items."""

from __future__ import annotations

import dataclasses
import sys

import pytest

from sitegen.digests import sha256
from sitegen.harness.spreading import check_address, connect, received, sent, spread
from sitegen.refusals import Misuse
from tests.harness.cluster_kit import local_cluster


def test_what_was_sent_is_received() -> None:
    assert received(sent({"a": [1, b"x"]})) == {"a": [1, b"x"]}


def test_another_digest_or_version_is_not_received() -> None:
    parcel = sent("a")
    with pytest.raises(OSError, match="another digest"):
        received(dataclasses.replace(parcel, data=sent("b").data))
    with pytest.raises(OSError, match=r"this worker has sitegen .* the runner has 0\.0\.0"):
        received(dataclasses.replace(parcel, version="0.0.0"))


def test_an_address_has_the_scheme_and_the_extra_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Misuse, match="dask://"):
        check_address("tcp://127.0.0.1:1")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(Misuse, match=r"sitegen\[dask\]"):
        connect("dask://127.0.0.1:1")


def test_results_come_in_order_and_what_is_common_is_sent_once() -> None:
    with local_cluster() as cluster:
        address = f"dask://{cluster['address']}"
        texts = [b"%d" % number for number in range(20)]
        assert list(spread(address, sha256, texts)) == [sha256(text) for text in texts]
        assert list(spread(address, max, [1, 7, 3], 4)) == [4, 7, 4]
        with pytest.raises(TypeError):
            list(spread(address, sha256, ["no bytes"]))
