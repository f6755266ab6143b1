"""Signatures by people: where the settings name signers, every seal and every ledger head is signed by one of them.

Beside a signature there may be a timestamp of RFC 3161, by which a third party says when the event existed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sitegen.digests import Digest, is_digest
from sitegen.read.files import SourceFile
from sitegen.read.ledger import Ledger
from sitegen.read.library import REPORTS, SIGNATURES_FOLDER
from sitegen.refusals import Refusal
from sitegen.verify.chain import event_path
from sitegen.verify.verified import Stamp

SUFFIX = ".sig"
STAMP_SUFFIX = ".tsr"


def signature_path(protocol_id: str, digest: Digest, suffix: str = SUFFIX) -> str:
    """Return the path of the signature of an event, or of its timestamp."""
    return f"{REPORTS}/{protocol_id}/{SIGNATURES_FOLDER}/{digest}{suffix}"


def by_event(sources: Iterable[SourceFile], suffix: str = SUFFIX) -> dict[Digest, SourceFile]:
    """Return signatures, or timestamps, by the digest of the event that their name says; others are left out."""
    named = ((source.path.rsplit("/", 1)[-1], source) for source in sources)
    found = {name.removesuffix(suffix): source for name, source in named if name.endswith(suffix)}
    return {digest: source for digest, source in found.items() if is_digest(digest)}


def find_stray_signatures(ledger: Ledger, sources: Iterable[SourceFile]) -> Iterator[Refusal]:
    """Yield ``file-unlisted`` for each file among the signatures that is not of an event of this ledger."""
    for source in sources:
        name = source.path.rsplit("/", 1)[-1]
        if not any(name.endswith(end) and name.removesuffix(end) in ledger.events for end in (SUFFIX, STAMP_SUFFIX)):
            expected = "EVENT.sig or EVENT.tsr, named by the digest of an event of the ledger"
            yield Refusal(slug="file-unlisted", file=source.path, expected=expected, found=name)


def find_signature_faults(
    protocol_id: str, ledger: Ledger, signed: Iterable[Digest], signers: Mapping[Digest, str]
) -> Iterator[Refusal]:
    """Yield ``signature-missing`` and ``signature-invalid``.

    Args:
        protocol_id: whose ledger it is.
        ledger: its events.
        signed: events for which there is a signature.
        signers: who signed, by event, where the signature is by an allowed signer.
    """
    given = frozenset(signed)
    for digest in sorted(given - signers.keys()):
        file = signature_path(protocol_id, digest)
        yield Refusal(slug="signature-invalid", file=file, expected="a signature by an allowed signer", found="another")
    seals = [digest for digest, _ in ledger.of("seal")]
    for digest in dict.fromkeys((*seals, *ledger.heads)):
        if digest not in given:
            file = event_path(protocol_id, digest)
            expected = signature_path(protocol_id, digest)
            hint = "`sitegen sign --key KEY` signs all that is not signed yet"
            yield Refusal(slug="signature-missing", file=file, expected=expected, found="nothing", hint=hint)


def find_stamp_faults(protocol_id: str, given: Iterable[Digest], stamps: Mapping[Digest, Stamp]) -> Iterator[Refusal]:
    """Yield ``signature-invalid`` for each event with a ``given`` timestamp that is not among those that hold."""
    for digest in sorted(frozenset(given) - stamps.keys()):
        file, expected = signature_path(protocol_id, digest, STAMP_SUFFIX), "a timestamp by a named authority"
        yield Refusal(slug="signature-invalid", file=file, expected=expected, found="another")
