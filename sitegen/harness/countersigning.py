"""Sign what has no signature yet: the seal and the heads of each ledger."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sitegen.harness.disk import write_file
from sitegen.harness.signing import sign
from sitegen.read.files import Tree
from sitegen.read.library import protocol_ids, read_exam
from sitegen.refusals import Refused
from sitegen.verify.chain import find_chain_faults
from sitegen.verify.signatures import by_event, signature_path


def sign_ledgers(root: Path, key: Path) -> Iterator[str]:
    """Sign every seal and every ledger head that has no signature, and yield the path of each new signature.

    Raises:
        Refused: a ledger is not whole; nothing of it is signed.
        OSError: ssh-keygen is missing or says no, or a signature cannot be written.
    """
    with Tree(root) as tree:
        units = [read_exam(tree, protocol_id) for protocol_id in protocol_ids(tree)]
    for unit in units:
        found = [*unit.faults, *find_chain_faults(unit.protocol_id, unit.ledger)]
        if found:
            raise Refused(found)
        seals = [digest for digest, _ in unit.ledger.of("seal")]
        signed = by_event(unit.signatures)
        for digest in dict.fromkeys((*seals, *unit.ledger.heads)):
            if digest not in signed:
                path = signature_path(unit.protocol_id, digest)
                write_file(root / path, sign(unit.ledger_files[digest].data, key))
                yield path
