"""The contestant's manifest: what answers, and under which settings."""

from __future__ import annotations

import pytest

from sitegen.read import manifest as manifests
from sitegen.read.manifest import read_manifest
from tests.read.sources import faults, source

TEXT = """\
schema: agent-bench-manifest/v1
route: vendor/model-1.0
temperature: 0.0
retry_limit: 0
tool_whitelist: []
channel: scored
"""


def test_the_defaults_are_those_of_the_format() -> None:
    manifest = read_manifest(source(TEXT))
    assert manifest.names == ("vendor/model-1.0",)
    assert manifest.command == ("bash", "solve.sh")
    assert (manifest.publish_solver, manifest.env, manifest.decoder) == (True, (), {})


def test_the_same_bytes_give_the_same_record_as_long_as_few_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """One contestant takes part in many exams; memory does not grow with the contestants."""
    monkeypatch.setattr(manifests, "_read", {})
    monkeypatch.setattr(manifests, "_MOST_REMEMBERED", 1)
    other = TEXT.replace("1.0", "2.0")
    assert read_manifest(source(TEXT)) is read_manifest(source(TEXT, "another/manifest.yaml"))
    assert read_manifest(source(other)) == read_manifest(source(other))
    assert list(manifests._read) == [TEXT.encode()]


def test_the_served_names_take_the_place_of_the_route() -> None:
    assert read_manifest(source(f"{TEXT}served_as: [a, b]\n")).names == ("a", "b")


@pytest.mark.parametrize("name", ['""', '" "', "auto", "vendor/latest", "a:latest", "vendor/a:AUTO"])
def test_a_name_that_a_route_is_served_as_says_what_answers(name: str) -> None:
    assert faults(read_manifest, source(f"{TEXT}served_as: [a, {name}]\n")) == [("route-unnamed", "/served_as/1")]


def test_every_name_that_says_nothing_is_named() -> None:
    text = TEXT.replace("vendor/model-1.0", "auto") + 'served_as: ["a:latest", b, ""]\n'
    places = ["/route", "/served_as/0", "/served_as/2"]
    assert faults(read_manifest, source(text)) == [("route-unnamed", place) for place in places]


def test_there_may_be_no_temperature() -> None:
    assert read_manifest(source(TEXT.replace("0.0", "null"))).temperature is None


@pytest.mark.parametrize(
    "route",
    [
        '""',
        '"  "',
        "auto",
        "vendor/latest",
        "vendor/Auto",
        "LATEST",
        '"vendor/latest "',
        "a:latest",
        "vendor/a:Auto",
        '"a: latest"',
    ],
)
def test_a_route_says_what_answers(route: str) -> None:
    assert faults(read_manifest, source(TEXT.replace("vendor/model-1.0", route))) == [("route-unnamed", "/route")]


@pytest.mark.parametrize("route", ["automatic-1", "vendor/latest/1.0", "my-auto", "a:auto:1"])
def test_a_name_that_only_holds_such_a_word_is_a_name(route: str) -> None:
    assert read_manifest(source(TEXT.replace("vendor/model-1.0", route))).route == route


@pytest.mark.parametrize("name", ["route", "temperature", "retry_limit", "tool_whitelist", "channel"])
def test_what_locks_the_experiment_is_required(name: str) -> None:
    lines = [line for line in TEXT.splitlines() if not line.startswith(name)]
    assert faults(read_manifest, source("\n".join(lines) + "\n")) == [("field-missing", f"/{name}")]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("channel: public", ("field-range", "/channel")),
        ("temperature: warm", ("field-type", "/temperature")),
        ("retry_limit: -1", ("field-range", "/retry_limit")),
        ("retry_limit: true", ("field-type", "/retry_limit")),
        ("tool_whitelist: shell", ("field-type", "/tool_whitelist")),
    ],
)
def test_a_wrong_setting_is_refused(line: str, fault: tuple[str, str]) -> None:
    name = line.partition(":")[0]
    lines = [line if old.startswith(name) else old for old in TEXT.splitlines()]
    assert faults(read_manifest, source("\n".join(lines) + "\n")) == [fault]


def test_an_empty_command_is_refused() -> None:
    assert faults(read_manifest, source(f"{TEXT}command: []\n")) == [("field-range", "/command")]
