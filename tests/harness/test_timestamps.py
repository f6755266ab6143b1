"""Timestamps of RFC 3161: one holds for the very bytes, by a trusted authority, and says its time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sitegen.harness import timestamps
from sitegen.harness.timestamps import stamped_at
from tests.audit.authority import make_authority, needs_openssl, stamp


@pytest.fixture(scope="module")
def authorities(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    needs_openssl()
    folder = tmp_path_factory.mktemp("authorities")
    return make_authority(folder / "ours"), make_authority(folder / "theirs")


@pytest.mark.parametrize("with_certificate", [True, False])
def test_a_timestamp_says_its_time(authorities: tuple[Path, Path], with_certificate: bool) -> None:
    ours, _ = authorities
    time = stamped_at(b"event", stamp(ours, b"event", with_certificate=with_certificate), ours.read_bytes())
    assert time is not None
    stated = datetime.strptime(time, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    assert abs(datetime.now(UTC) - stated) < timedelta(minutes=5)


def test_other_bytes_other_authorities_and_other_files_do_not_hold(authorities: tuple[Path, Path]) -> None:
    ours, theirs = authorities
    answer = stamp(ours, b"event")
    assert stamped_at(b"Event", answer, ours.read_bytes()) is None
    assert stamped_at(b"event", answer, theirs.read_bytes()) is None
    assert stamped_at(b"event", b"no answer", ours.read_bytes()) is None
    assert stamped_at(b"event", answer, b"no certificate") is None
    changed = bytearray(answer)
    changed[-5] ^= 1
    assert stamped_at(b"event", bytes(changed), ours.read_bytes()) is None


@pytest.mark.parametrize(
    ("printed", "time"),
    [
        (b"Status: Granted.\nTime stamp: Nov  5 09:32:00 2026 GMT\n", datetime(2026, 11, 5, 9, 32, tzinfo=UTC)),
        (b"Time stamp: Nov 30 09:32:00.123 2026 GMT", datetime(2026, 11, 30, 9, 32, tzinfo=UTC)),
        (b"Time stamp: unspecified", None),
        (b"Status: Rejected.", None),
        (b"Time stamp: \xff", None),
        (None, None),
    ],
)
def test_the_time_is_read_to_the_second(printed: bytes | None, time: datetime | None) -> None:
    assert timestamps._stated_time(printed) == time


def test_without_openssl_it_is_an_error_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timestamps, "PROGRAM", "no-such-openssl")
    with pytest.raises(OSError, match="no-such-openssl"):
        stamped_at(b"event", b"answer", b"certificate")
