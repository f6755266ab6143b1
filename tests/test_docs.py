"""The manual is true: its links lead somewhere, its commands and refusals exist, its examples run."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urldefrag

import html5lib
import pytest
import yaml

import sitegen
from sitegen.cli import COMMANDS, command_and_parser
from sitegen.harness.countersigning import sign_ledgers
from sitegen.pipeline.build import build_site
from sitegen.pipeline.manual import build_manual, manual_sources
from sitegen.present.citing import MOST_CITED
from sitegen.present.manual import ORDER, leaves_of
from sitegen.present.wording import in_words
from sitegen.read.shipped import templates_dir
from sitegen.refusals import KINDS
from tests.audit.keys import allowed, make_key
from tests.documents import blocks, run_blocks
from tests.sites import make_protocol, make_run

ROOT = Path(__file__).resolve().parent.parent
ACTION = ROOT / ".github" / "actions" / "sitegen" / "action.yml"
SOURCES = {name: data.decode() for name, data in manual_sources().items()}
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("manual") / "site"
    build_manual(folder)
    return folder


@cache
def ids(page: Path) -> set[str]:
    return set(re.findall(r'\sid="([^"]*)"', page.read_text(encoding="utf-8")))


def links(page: Path) -> Iterator[str]:
    yield from re.findall(r'\s(?:href|src)="([^"]*)"', page.read_text(encoding="utf-8"))


def test_every_link_leads_to_a_file_and_a_place(manual: Path) -> None:
    dead = []
    for page in manual.rglob("*.html"):
        for link in links(page):
            target, place = urldefrag(link)
            if target.startswith(("http://", "https://", "mailto:")):
                continue
            file = page if not target else (page.parent / unquote(target)).resolve()
            if not file.is_file() or (place and place not in ids(file)):
                dead.append(f"{page.relative_to(manual)}: {link}")
    assert dead == []


def test_every_page_is_valid_html(manual: Path) -> None:
    for page in manual.rglob("*.html"):
        parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
        document = parser.parse(page.read_text(encoding="utf-8"))
        assert len(document.findall(".//h1")) == 1, page


def test_no_link_of_a_source_is_dropped() -> None:
    wrong = [
        f"{name}: {target}"
        for name, text in SOURCES.items()
        for target in re.findall(r"\]\(([^)\s]+)\)", text)
        if not target.startswith(("https://", "#")) and target.partition("#")[0] not in SOURCES
    ]
    assert wrong == []


def test_every_page_of_the_order_is_there() -> None:
    assert [name for name in ORDER if f"{name}.md" not in SOURCES] == []


def test_every_page_begins_with_a_sentence() -> None:
    for leaf in leaves_of({name: text.encode() for name, text in SOURCES.items()}):
        assert re.fullmatch(r"[A-Z`_].*[.]", leaf.summary), f"{leaf.name}: {leaf.summary}"


def code(text: str) -> Iterator[str]:
    """What a page shows as code, one line or phrase at a time."""
    fenced = re.compile(r"^```.*?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    for block in fenced.findall(text):
        yield from block.splitlines()
    yield from re.findall(r"`([^`\n]+)`", fenced.sub("", text))


@pytest.mark.parametrize("name", SOURCES)
def test_every_command_and_option_exists(name: str) -> None:
    for line in code(SOURCES[name]):
        for part in re.split(r"&&|\|\||[|#]", line):
            called = re.match(r"\s*sitegen ([a-z]+)\b(.*)", part)
            if called is None:
                continue
            command, rest = called.groups()
            assert command in COMMANDS, line
            _, parser = command_and_parser(command)
            assert set(OPTION.findall(rest)) <= set(OPTION.findall(parser.format_help())), line


@pytest.mark.parametrize("name", SOURCES)
def test_every_refusal_that_is_named_exists(name: str) -> None:
    named = re.findall(r"`([a-z]+-(?:drift|mismatch|missing|failed|changed|removed|open|exploratory))`", SOURCES[name])
    assert [slug for slug in named if slug not in KINDS] == []


def test_the_tutorial_runs(tmp_path: Path) -> None:
    run_blocks(blocks(SOURCES["tutorial.md"], "sh"), tmp_path)
    page = (tmp_path / "demo" / "_site" / "protocols" / "lookup.v1" / "index.html").read_text(encoding="utf-8")
    assert re.search(r'data-k="\d+" data-n="30"', page)


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="no ssh-keygen: the check was not run")
def test_the_readers_check_of_a_signature_holds(tmp_path: Path) -> None:
    """What the manual tells a reader to type accepts the signer, and refuses another one's name."""
    key = make_key(tmp_path, "ours")
    make_protocol(tmp_path / "root", "demo.v1")
    (signed,) = sign_ledgers(tmp_path / "root", key)
    build_site(tmp_path / "root", tmp_path / "site")
    (tmp_path / "site" / "allowed").write_text(allowed(key, "us@example.org") + "\n")
    _, check = blocks(SOURCES["signing.md"], "sh")
    check = check.replace("EVENT", Path(signed).stem).replace("/ID/", "/demo.v1/")
    assert "Good" in run_blocks([check], tmp_path / "site")
    with pytest.raises(AssertionError, match="Could not verify"):
        run_blocks([check.replace("us@example.org", "them@example.org")], tmp_path / "site")


@pytest.mark.parametrize("path", ["docs/tutorial.md", "protocol/README.md"])
def test_what_says_that_serve_rebuilds_names_the_extra_that_it_takes(path: str) -> None:
    text = (templates_dir() / path).read_text(encoding="utf-8")
    assert "sitegen serve" in text
    assert "sitegen[serve]" in text


def test_intervals_are_nowhere_said_to_tell_runs_apart() -> None:
    assert "Whether two intervals overlap does not say whether two runs differ." in SOURCES["reading.md"]
    assert [name for name, text in SOURCES.items() if re.search(r"do not overlap", text)] == []


def test_the_changelog_has_a_target_for_all_that_it_brackets() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert any(version.startswith(sitegen.__version__) for version in versions)
    assert [name for name in re.findall(r"\[([^]]+)\](?!\()", text) if f"\n[{name}]: " not in text] == []


def test_the_example_contestants_are_copied(tmp_path: Path) -> None:
    run_blocks(blocks(SOURCES["solver-contract.md"], "sh")[:1], tmp_path)
    assert {path.name for path in (tmp_path / "examples").iterdir()} == {"shell", "python", "openai-compatible"}
    assert all((path / "manifest.yaml").is_file() for path in (tmp_path / "examples").iterdir())


def test_the_number_of_runs_that_a_protocols_page_cites_is_the_stated_one() -> None:
    assert f"no more than {in_words(MOST_CITED)}." in SOURCES["reading.md"]


@pytest.mark.parametrize("name", SOURCES)
def test_the_action_is_pinned_to_a_commit(name: str) -> None:
    assert re.findall(r"/\.github/actions/sitegen@(?!COMMIT\b)\S+", SOURCES[name]) == []


def test_the_python_examples_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_protocol(tmp_path, "demo.v1")
    make_run(tmp_path, "demo.v1", "alpha", wrong=("T-001",))
    monkeypatch.chdir(tmp_path)
    for block in blocks(SOURCES["python.md"], "python"):
        exec(compile(block, "python.md", "exec"), {"sitegen": sitegen})
    said = capsys.readouterr().out
    assert "alpha-1.0 19 20 1.0" in said
    assert "0.950" in said


@pytest.mark.parametrize("name", ["integration.md", "deployment.md"])
def test_the_workflows_are_yaml_and_know_the_actions_inputs(name: str) -> None:
    inputs = yaml.safe_load(ACTION.read_bytes())["inputs"]
    for block in blocks(SOURCES[name], "yaml"):
        for job in (yaml.safe_load(block).get("jobs") or {}).values():
            for step in job["steps"]:
                if "/.github/actions/sitegen" in step.get("uses", ""):
                    assert set(step.get("with", {})) <= set(inputs)


def test_the_actions_inputs_are_documented() -> None:
    inputs = yaml.safe_load(ACTION.read_bytes())["inputs"]
    documented = set(re.findall(r"^\| `(\w+)` \|", SOURCES["integration.md"], re.MULTILINE))
    assert documented == set(inputs)
