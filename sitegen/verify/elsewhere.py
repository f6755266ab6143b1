"""Whether a file that is not in a run's folder is one that its ``evidence.yaml`` says is kept elsewhere."""

from __future__ import annotations

from sitegen.digests import Digest
from sitegen.read.elsewhere import read_elsewhere
from sitegen.read.library import EVIDENCE_NAME, RunFolder
from sitegen.refusals import Refusal, Refused


def elsewhere_faults(folder: RunFolder) -> list[Refusal]:
    """Return what is wrong with the run's ``evidence.yaml``, where it has one."""
    source = folder.files.get(EVIDENCE_NAME)
    try:
        listed = {} if source is None else read_elsewhere(source).files
    except Refused as refused:
        return list(refused.refusals)
    return [
        Refusal(
            slug="evidence-mismatch",
            file=f"{folder.path}/{EVIDENCE_NAME}",
            path=f"/files/{name}/sha256",
            expected=folder.files[name].sha256,
            found=entry.sha256,
        )
        for name, entry in listed.items()
        if name in folder.files and folder.files[name].sha256 != entry.sha256
    ]


def kept_elsewhere(folder: RunFolder, name: str, digest: Digest | None) -> bool:
    """Tell whether ``evidence.yaml`` names the absent file ``name`` with this very digest."""
    source = folder.files.get(EVIDENCE_NAME)
    if source is None:
        return False
    try:
        entry = read_elsewhere(source).files.get(name)
    except Refused:
        return False  # elsewhere_faults says why
    return entry is not None and entry.sha256 == digest
