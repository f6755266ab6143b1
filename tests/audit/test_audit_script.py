"""audit.py, as it is published with a site: alone, on a stock Python, it notices every change."""

from __future__ import annotations

import ast
import hashlib
import json
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sitegen.pipeline.auditing import audit_site
from sitegen.read.shipped import templates_dir
from tests.audit.published import Files, files_of, published, resealed_lists, script, script_says, small_root, write
from tests.audit.serving import served
from tests.sites import make_protocol, make_run

SCRIPT = templates_dir() / "site" / "audit.py"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    return published(small_root(folder / "root"), folder / "site")


@pytest.fixture(scope="module")
def files(site: Path) -> Files:
    return files_of(site)


def run(site: Path | str, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
    command = [python, "-I", str(SCRIPT), str(site)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_it_is_one_short_file_of_the_standard_library() -> None:
    source = SCRIPT.read_text(encoding="utf-8")
    assert len(source.splitlines()) < 400
    assert max(map(len, source.splitlines())) <= 120
    imported = {
        alias.name.split(".")[0] if isinstance(node, ast.Import) else str(node.module).split(".")[0]
        for node in ast.walk(ast.parse(source, feature_version=(3, 9)))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert imported <= sys.stdlib_module_names
    assert "sitegen" not in source


def test_it_knows_the_shipped_exact_bytes_metric() -> None:
    shipped = (templates_dir() / "protocol" / "metric_exact_bytes.py").read_bytes()
    assert hashlib.sha256(shipped).hexdigest() in script({"audit.py": SCRIPT.read_bytes()}).EXACT_BYTES


def test_an_untouched_site_holds(site: Path) -> None:
    done = run(site)
    assert done.returncode == 0, done.stdout
    assert "all steps hold" in done.stdout
    assert "answers scored again" in done.stdout


def test_an_old_python_runs_it(site: Path) -> None:
    old = next(filter(None, (shutil.which(name) for name in ("python3.9", "python3.10"))), None)
    if old is None or subprocess.run([old, "-c", ""], check=False, capture_output=True).returncode:
        pytest.skip("no Python 3.9 or 3.10 on this machine")
    assert run(site, old).returncode == 0


def test_it_runs_on_a_copy_that_cannot_be_written(site: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(site, tmp_path / "copy")
    for path in (*copy.rglob("*"), copy):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert run(copy).returncode == 0
    finally:
        for path in (copy, *copy.rglob("*")):
            path.chmod(0o755)


def test_both_audits_work_over_http(site: Path, tmp_path: Path) -> None:
    with served(site) as address:
        assert run(address).returncode == 0
        assert audit_site(address).faults == ()
    changed = shutil.copytree(site, tmp_path / "changed")
    page = changed / "index.html"
    page.write_bytes(page.read_bytes().replace(b"ordinary", b"0rdinary", 1))
    with served(changed) as address:
        assert run(address).returncode == 1
        assert {fault.slug for fault in audit_site(address).faults} == {"site-drift"}


@pytest.mark.parametrize("where", ["nowhere", "."])
def test_what_is_no_site_fails_without_a_traceback(where: str, tmp_path: Path) -> None:
    done = run(tmp_path / where)
    assert done.returncode == 1
    assert "Traceback" not in done.stdout + done.stderr


def test_added_and_missing_files_are_noticed(site: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(site, tmp_path / "copy")
    for name in (".DS_Store", "evidence/demo.v1/notes~", "__pycache__/x.pyc", "deeper/er/x"):
        added = copy / name
        added.parent.mkdir(parents=True, exist_ok=True)
        added.write_bytes(b"")
        assert run(copy).returncode == 1
        assert audit_site(str(copy)).faults != ()
        added.unlink()
    (copy / "link").symlink_to("index.html")
    assert run(copy).returncode == 1
    assert audit_site(str(copy)).faults != ()
    (copy / "link").unlink()
    for name in ("SHA256SUMS", "site.json", "audit.py", "evidence/demo.v1/SHA256SUMS", "404.html"):
        gone = copy / name
        data = gone.read_bytes()
        gone.unlink()
        assert run(copy).returncode == 1
        gone.write_bytes(data)
    assert run(copy).returncode == 0


def flipped(data: bytes, place: int, bit: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]


def sitegen_says(files: Files, folder: Path) -> bool:
    from sitegen.refusals import Refused

    try:
        return bool(audit_site(str(folder)).faults)
    except Refused:
        return True


def test_random_changes_are_noticed_by_both(files: Files, tmp_path: Path) -> None:
    rng = random.Random(20261130)
    module = script(files)
    assert script_says(module, files) == []
    folder = write(files, tmp_path / "site")
    for _ in range(25):
        name = rng.choice([name for name in files if files[name]])
        changed = flipped(files[name], rng.randrange(len(files[name])), rng.randrange(8))
        assert script_says(module, {**files, name: changed}), name
        (folder / name).write_bytes(changed)
        assert sitegen_says(files, folder), name
        (folder / name).write_bytes(files[name])
    assert not sitegen_says(files, folder)


@pytest.mark.slow
def test_every_byte_of_a_small_site_is_noticed_by_both(files: Files, tmp_path: Path) -> None:
    """Assets and pages are only hashed: of those every 61st byte; of what carries the evidence, every byte."""
    module = script(files)
    folder = write(files, tmp_path / "site")
    missed = []
    for name, data in files.items():
        carries = name in ("site.json", "SHA256SUMS") or name.startswith(("evidence/", "data/"))
        for place in range(0, len(data), 1 if carries else 61):
            changed = flipped(data, place, place % 8)
            (folder / name).write_bytes(changed)
            noticed = bool(script_says(module, {**files, name: changed})) and sitegen_says(files, folder)
            missed += [] if noticed else [(name, place)]
        (folder / name).write_bytes(data)
    assert missed == []


DISHONEST = [
    ("a rate on a page", r"protocols/demo\.v1/index\.html", b"<b>0.500</b>", b"<b>1.000</b>"),
    ("a fraction on a page", r"protocols/demo\.v1/[^/]+/index\.html", b">1/2<", b">2/2<"),
    ("a bound on a page", r"protocols/demo\.v1/index\.html", b'data-low="0.0945"', b'data-low="0.2945"'),
    ("the kind of a rate", r"protocols/demo\.v1/index\.html", b"rate success", b"rate abstention"),
    ("a rate without the others", r"protocols/demo\.v1/index\.html", b'class="rate false" data-k', b'class="x" data-q'),
    ("another run's name", r"protocols/demo\.v1/index\.html", b'data-run="2', b'data-run="1'),
    ("an answer", r".*/transcripts\.jsonl", b'"artifact":"2"', b'"artifact":"3"'),
    ("a stated mean", r".*/report\.json", b'"mean":0.5', b'"mean":0.9'),
    ("a stated outcome", r".*/report\.json", b'"outcome":"miss"', b'"outcome":"success"'),
    ("a channel", r".*/manifest\.yaml", b"channel: scored", b"channel: exploratory"),
    ("a task", r".*/tasks\.jsonl", b"Say 1.", b"Say 9."),
    ("an oracle", r".*/tasks\.jsonl", b'"oracle": "1"', b'"oracle": "wrong"'),
    ("the metric", r".*/metric\.py", b"result", b"tluser"),
    ("a time in the ledger", r".*/ledger/.*\.json", b'"time":"20', b'"time":"19'),
    ("a solver", r".*/solver/solve\.sh", b"exit 0", b"exit 1"),
]


@pytest.mark.parametrize(("what", "pattern", "old", "new"), DISHONEST, ids=[case[0] for case in DISHONEST])
def test_lists_made_right_again_do_not_hide_a_change(
    files: Files, tmp_path: Path, what: str, pattern: str, old: bytes, new: bytes
) -> None:
    """Whoever changes evidence or a page can make all lists fit again; the figures then no longer follow."""

    def change(made: Files) -> None:
        names = [name for name in made if re.fullmatch(pattern, name) and old in made[name]]
        assert names, f"no file to change: {what}"
        for name in names:
            made[name] = made[name].replace(old, new, 1)

    forged = resealed_lists(files, change)
    assert script_says(script(files), forged) != []
    folder = write(forged, tmp_path / "forged")
    assert audit_site(str(folder)).faults != ()


def test_honest_lists_hold_after_they_were_made_again(files: Files, tmp_path: Path) -> None:
    """The forging helper itself changes nothing that matters, or the test above would prove nothing."""
    same = resealed_lists(files, lambda made: None)
    assert same == files


@pytest.mark.parametrize("method", ["wilson", "bootstrap", "clopper-pearson"])
def test_both_audits_agree_on_interval_methods(method: str, tmp_path: Path) -> None:
    make_protocol(tmp_path / "root", "demo.v1", changes={"publish": {"ci_method": method}})
    make_run(tmp_path / "root", "demo.v1", "alpha", wrong=("T-001", "T-002"), invalid=("N-001",))
    make_run(tmp_path / "root", "demo.v1", "beta", abstained=("T-003",))
    site = published(tmp_path / "root", tmp_path / "site")
    done = run(site)
    assert done.returncode == 0, done.stdout
    assert ("as stated" in done.stdout) == (method == "clopper-pearson")
    assert audit_site(str(site)).faults == ()


def test_outcomes_of_every_kind_are_recounted(tmp_path: Path) -> None:
    make_protocol(tmp_path / "root", "demo.v1", changes={"budget": {"max_files_touched": 1}})
    rows = {
        "T-001": {"status": "timeout"},
        "T-002": {"status": "unparseable"},
        "T-003": {"files_touched": 2},
        "T-004": {"retries": 1},
        "T-005": {"tools_used": ("web",)},
        "T-006": {"wall_clock_sec": 61.0},
        "T-007": {"artifact": None},
        "N-001": {"status": "timeout"},
        "N-002": {"status": "error"},
        "N-003": {"abstained": False},
        "N-004": {"files_touched": 1},
        "N-005": {"retries": None, "tool_calls": None, "wall_clock_sec": None},
    }
    make_run(tmp_path / "root", "demo.v1", "alpha", abstained=("T-008",), invalid=("N-006",), rows=rows)
    site = published(tmp_path / "root", tmp_path / "site")
    done = run(site)
    assert done.returncode == 0, done.stdout
    (report,) = site.glob("evidence/demo.v1/*/report.json")
    counts = json.loads(report.read_bytes())["counts"]
    assert all(counts["ordinary"].values())
    assert all(counts["negative"].values())


def test_a_withdrawn_run_and_an_open_run_hold(tmp_path: Path) -> None:
    from sitegen.harness.opening import open_run
    from sitegen.harness.records import withdraw
    from tests.sites import make_contestant

    root = tmp_path / "root"
    make_protocol(root, "demo.v1")
    make_run(root, "demo.v1", "alpha")
    gone = make_run(root, "demo.v1", "beta")
    open_run(root, "demo.v1", make_contestant(root, "gamma"))
    withdraw(root, gone.run_id, "the wrong model was served")
    site = published(root, tmp_path / "site")
    done = run(site)
    assert done.returncode == 0, done.stdout
    assert gone.run_id in done.stdout
    assert audit_site(str(site)).faults == ()
