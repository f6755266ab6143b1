"""Cases of sealing: an exam that is not complete, not fixed, or not itself."""

from __future__ import annotations

import shutil

from sitegen.harness.records import withdraw
from tests.corpus_builder.base import KEY, PROTOCOL_ID
from tests.corpus_builder.registry import CHECK, case
from tests.corpus_builder.site import Object, Site


def unseal(site: Site) -> None:
    """Turn the base's exam into a draft that nobody sat."""
    shutil.rmtree(site.root / "reports")
    for name in ("protocol.sealed.yaml", "protocol.sums"):
        (site.protocol / name).unlink()


@case("seal-missing", "reports-under-a-draft")
def _(site: Site) -> None:
    """A run has a report, but its protocol was never sealed."""
    shutil.rmtree(site.ledger)
    for name in ("protocol.sealed.yaml", "protocol.sums"):
        (site.protocol / name).unlink()


@case("seal-missing", "no-seal-event")
def _(site: Site) -> None:
    """The sealed document stands there, but the ledger knows no seal."""
    shutil.rmtree(site.ledger)


@case("seal-missing", "no-protocol")
def _(site: Site) -> None:
    """Reports lie under an id that has no protocol."""
    shutil.rmtree(site.protocol)


@case("seal-missing", "sealed-document-deleted")
def _(site: Site) -> None:
    """The ledger knows the seal, but the sealed document is gone."""
    (site.protocol / "protocol.sealed.yaml").unlink()


@case("seal-pending", "dataset")
def _(site: Site) -> None:
    """The sealed document says PENDING_SEAL where the dataset's digest belongs."""
    site.rebind(sealed=lambda value: value["dataset"].update(sha256="PENDING_SEAL"), report=restore_dataset(site))


def restore_dataset(site: Site):  # type: ignore[no-untyped-def]
    """A hook that gives the report the dataset's true digest, whatever the sealed document says."""
    from sitegen.digests import sha256

    digest = sha256((site.protocol / "tasks.jsonl").read_bytes())
    return lambda value: value["digests"].update(dataset=digest)


@case("seal-incomplete", "no-seal-block")
def _(site: Site) -> None:
    """The sealed document has no seal block."""
    site.rebind(sealed=lambda value: value.pop("seal"))


@case("seal-incomplete", "no-list-of-files")
def _(site: Site) -> None:
    """The list of sealed files was deleted."""
    (site.protocol / "protocol.sums").unlink()


@case("seal-incomplete", "list-is-none")
def _(site: Site) -> None:
    """The list of sealed files is not one, though the seal names its digest."""
    from sitegen.digests import sha256

    sums = b"tasks.jsonl\n"
    site.rebind(sealed=lambda value: value["seal"].update(sums_sha256=sha256(sums)))
    (site.protocol / "protocol.sums").write_bytes(sums)


@case("seal-incomplete", "listed-twice")
def _(site: Site) -> None:
    """The list of sealed files names the dataset twice, first with another digest, and the seal names that list's."""
    from sitegen.digests import sha256

    sums = b"0" * 64 + b"  tasks.jsonl\n" + (site.protocol / "protocol.sums").read_bytes()
    site.rebind(sealed=lambda value: value["seal"].update(sums_sha256=sha256(sums)))
    (site.protocol / "protocol.sums").write_bytes(sums)


@case("seal-incomplete", "notes-are-listed")
def _(site: Site) -> None:
    """The list of sealed files names the owner's notes, which are not sealed."""
    from sitegen.digests import sha256

    (site.protocol / "notes.md").write_bytes(b"Notes.\n")
    site.rebind(sums=lambda listed: listed.update({"notes.md": sha256(b"Notes.\n")}))


@case("seal-incomplete", "sizes")
def _(site: Site) -> None:
    """The seal states more tasks than the dataset has."""
    site.rebind(sealed=lambda value: value["seal"].update(n=40))


@case("seal-incomplete", "outlook")
def _(site: Site) -> None:
    """The seal says that a lead of one task can be distinguished, which this exam cannot."""
    site.rebind(sealed=lambda value: value["seal"]["outlook"].update(floor_tasks=1))


@case("digest-form", "upper-case")
def _(site: Site) -> None:
    """The sealed document gives the dataset's digest in capitals."""
    site.rebind(
        sealed=lambda value: value["dataset"].update(sha256=value["dataset"]["sha256"].upper()),
        report=restore_dataset(site),
    )


@case("digest-form", "prefixed", command=CHECK)
def _(site: Site) -> None:
    """The draft gives its dataset's digest with a prefix."""
    site.draft(lambda value: value["dataset"].update(sha256="sha256:" + "0" * 64))


@case("digest-form", "short")
def _(site: Site) -> None:
    """The report gives the solver's digest one digit short."""
    site.report(lambda value: value["digests"].update(solver=value["digests"]["solver"][:63]))


@case("protocol-drift", "sealed-document-edited")
def _(site: Site) -> None:
    """The sealed document was edited after the seal."""
    site.replace(site.protocol / "protocol.sealed.yaml", "timeout_sec: 60", "timeout_sec: 90")


@case("protocol-drift", "draft-says-otherwise")
def _(site: Site) -> None:
    """The sealed document has another budget than the draft that it was made from."""
    site.rebind(sealed=lambda value: value["budget"].update(timeout_sec=600))


@case("protocol-drift", "report-of-another-identity")
def _(site: Site) -> None:
    """The report names another sealed protocol than the one under its id."""
    site.report(lambda value: value.update(protocol_sha256="0" * 64))


@case("protocol-id-form", "not-the-folder")
def _(site: Site) -> None:
    """The sealed document's id is not the name of its folder."""
    site.rebind(sealed=lambda value: value.update(protocol_id="demo.v2"))


@case("protocol-id-form", "capitals", command=CHECK)
def _(site: Site) -> None:
    """The draft's id has capital letters."""
    site.draft(lambda value: value.update(protocol_id="Demo.v1"))


@case("protocol-id-reused", "two-seals")
def _(site: Site) -> None:
    """The ledger has two seals of different bytes under one id."""
    site.append({**site.events["seal"], "parents": [site.event_file("end").stem], "protocol_sha256": "1" * 64})


@case("protocol-id-resealed", "changed-draft", command=CHECK)
def _(site: Site) -> None:
    """The draft was changed after it was sealed, and is to be sealed again."""
    site.draft(lambda value: value.update(title="Another exam"))


@case("protocol-id-confusable", "zero-for-o", "protocol-draft")
def _(site: Site) -> None:
    """A second protocol differs from the first only by a zero in the place of an o."""
    other = site.root / "protocols" / "dem0.v1"
    shutil.copytree(site.protocol, other)
    for name in ("protocol.sealed.yaml", "protocol.sums"):
        (other / name).unlink()
    site.replace(other / "protocol.yaml", "protocol_id: demo.v1", "protocol_id: dem0.v1")


@case("seal-after-run", "start-beside-the-seal")
def _(site: Site) -> None:
    """The start does not descend from the seal: the run began before the exam was fixed."""
    site.rebind(start=lambda event: event.update(parents=[]))


@case("seal-after-run", "start-of-another-identity")
def _(site: Site) -> None:
    """The start names other bytes of the protocol than its seal."""
    site.rebind(start=lambda event: event.update(protocol_sha256="2" * 64), end=_other_identity)


def _other_identity(event: Object) -> None:
    event.update(protocol_sha256="2" * 64)


@case("rules-contradict", "row-in-two-classes")
def _(site: Site) -> None:
    """The rules put one null-pack row into two classes."""
    site.draft(lambda value: value["null_pack"]["rules"]["must_fail"].append("NP-PASS"))
    site.rebind()


@case("rules-contradict", "row-in-no-class")
def _(site: Site) -> None:
    """A null-pack row is in no class of the rules."""
    site.rows(
        site.protocol / "null_pack.jsonl",
        lambda rows: rows.append({"id": "NP-MORE", "expected_class": "must_refuse", "prompt": "Say more."}),
    )
    site.rebind()


@case("rules-contradict", "row-says-otherwise")
def _(site: Site) -> None:
    """A null-pack row has another class than the rules give it."""
    site.rows(site.protocol / "null_pack.jsonl", lambda rows: rows[1].update(expected_class="must_refuse"))
    site.rebind()


@case("rules-contradict", "follows-itself", command=CHECK)
def _(site: Site) -> None:
    """The draft says that it follows itself."""
    site.draft(lambda value: value.update(follows=PROTOCOL_ID))


@case("rules-contradict", "one-cluster")
def _(site: Site) -> None:
    """The protocol seals a cluster field, but all its tasks are in one cluster."""
    site.draft(lambda value: value["dataset"].update(cluster="topic"))
    site.rows(site.protocol / "tasks.jsonl", lambda rows: [row.update(topic="numbers") for row in rows])
    site.rebind()


@case("rules-contradict", "solver-is-given-the-dataset")
def _(site: Site) -> None:
    """A task gives its solver the dataset, with all oracles, as one of its files."""
    site.rows(site.protocol / "tasks.jsonl", lambda rows: rows[0].update(files=["tasks.jsonl"]))
    site.rebind()


@case("rules-contradict", "forbids-the-mean")
def _(site: Site) -> None:
    """The protocol forbids a field that every report has."""
    site.draft(lambda value: value["publish"].update(forbidden_fields=["mean"]))
    site.rebind()


@case("protocol-id-form", "family-climbs", command=CHECK)
def _(site: Site) -> None:
    """The draft's family is a path."""
    site.draft(lambda value: value.update(family="../x"))


@case("task-id-duplicate", "dataset")
def _(site: Site) -> None:
    """Two tasks have the same id."""
    site.rows(site.protocol / "tasks.jsonl", lambda rows: rows[1].update(id="T-001"))
    site.rebind()


@case("task-id-duplicate", "null-pack")
def _(site: Site) -> None:
    """A null-pack row has the id of a task."""
    site.rows(site.protocol / "tasks.jsonl", lambda rows: rows[1].update(id="NP-PASS"))
    site.rebind()


@case("task-kind-unknown", "capital")
def _(site: Site) -> None:
    """A task's kind is written with a capital letter."""
    site.rows(site.protocol / "tasks.jsonl", lambda rows: rows[0].update(kind="Ordinary"))
    site.rebind()


@case("oracle-missing", "none")
def _(site: Site) -> None:
    """An ordinary task has no oracle."""
    site.rows(site.protocol / "tasks.jsonl", lambda rows: rows[0].pop("oracle"))
    site.rebind()


@case("oracle-missing", "empty")
def _(site: Site) -> None:
    """An ordinary task has an empty oracle, which an empty artifact would equal."""
    site.rows(site.protocol / "tasks.jsonl", lambda rows: rows[0].update(oracle=""))
    site.rebind()


@case("oracle-missing", "must-pass-row")
def _(site: Site) -> None:
    """A must_pass row has no oracle."""
    site.rows(site.protocol / "null_pack.jsonl", lambda rows: rows[0].pop("oracle"))
    site.rebind()


def oracles_in_files(site: Site, third: str) -> None:
    """Give the oracles of the dataset by path, that of the third task at ``third``."""
    site.draft(lambda value: (value["dataset"].update(oracle="path"), value["null_pack"].update(oracle="inline")))
    (site.protocol / "oracles").mkdir()
    for number in (1, 2):
        (site.protocol / "oracles" / f"{number}.txt").write_bytes(b"%d" % number)
    paths = ["oracles/1.txt", "oracles/2.txt", third]
    site.rows(
        site.protocol / "tasks.jsonl",
        lambda rows: [row.update(oracle=path) for row, path in zip(rows, paths, strict=False)],
    )
    site.rebind()


@case("oracle-missing", "no-such-file")
def _(site: Site) -> None:
    """A task names a file as its oracle that is not there."""
    oracles_in_files(site, "oracles/3.txt")


@case("oracle-missing", "empty-file")
def _(site: Site) -> None:
    """A task's oracle is an empty file."""
    (site.protocol / "three.txt").write_bytes(b"")
    oracles_in_files(site, "three.txt")


@case("oracle-missing", "not-sealed")
def _(site: Site) -> None:
    """A task names the owner's notes as its oracle, which the seal does not cover."""
    (site.protocol / "notes.md").write_bytes(b"3")
    oracles_in_files(site, "notes.md")


@case("pack-below-min-n", "ordinary")
def _(site: Site) -> None:
    """The pack has fewer ordinary tasks than its own floor."""
    site.draft(lambda value: value["publish"].update(min_n=40))
    site.rebind()


@case("pack-below-min-n", "negative", command=CHECK)
def _(site: Site) -> None:
    """The draft has fewer negative controls than its own floor."""
    site.draft(lambda value: value["publish"].update(min_n_negative=2))


@case("evidence-secret", "to-be-sealed", command=CHECK)
def _(site: Site) -> None:
    """A draft has a task that would publish an access key; once it is sealed, no build would publish the exam."""
    unseal(site)
    site.rows(site.protocol / "tasks.jsonl", lambda rows: rows[1].update(prompt=f"Log in with {KEY}."))


@case("no-negative-controls", "none")
def _(site: Site) -> None:
    """The pack has no negative control."""
    site.rows(site.protocol / "tasks.jsonl", lambda rows: rows.pop())
    site.rebind()


@case("pack-content-duplicate", "two-ids")
def _(site: Site) -> None:
    """Two tasks are the same but for their id."""
    site.rows(site.protocol / "tasks.jsonl", lambda rows: rows[1].update(prompt=rows[0]["prompt"], oracle="1"))
    site.rebind()


@case("protocol-id-form", "folder-of-a-draft")
def _(site: Site) -> None:
    """A draft lies in a folder that no protocol may have the name of."""
    unseal(site)
    site.protocol.rename(site.protocol.with_name("My-Draft"))


@case("protocol-draft", "ready", code=0)
def _(site: Site) -> None:
    """A draft without reports is an honest state."""
    unseal(site)


@case("protocol-draft", "not-ready", code=0)
def _(site: Site) -> None:
    """A draft that could not be sealed yet is an honest state too."""
    unseal(site)
    site.draft(lambda value: value.pop("budget"))


@case("protocol-withdrawn", "with-a-reason", code=0)
def _(site: Site) -> None:
    """The owner withdrew the whole protocol."""
    withdraw(site.root, "demo.v1", "task T-002 has a wrong oracle")
