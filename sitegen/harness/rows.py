"""A run's transcripts while it sits: appended one by one as tasks end, each on the disk, and never taken back."""

from __future__ import annotations

import fcntl
import hashlib
import os
from pathlib import Path
from types import TracebackType

from sitegen.digests import Digest, sha256
from sitegen.harness.disk import sync_folder
from sitegen.harness.opening import OpenRun
from sitegen.read.files import SourceFile
from sitegen.read.transcript import TRANSCRIPTS_NAME, Transcript, read_transcripts, write_transcript
from sitegen.refusals import Misuse, Refusal, Refused
from sitegen.verify.evidence import coverage_faults

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


class RowLog:
    """The transcripts file of one open run. Use as a context manager; only one process can hold it.

    ``rows`` are the whole lines that the file holds, in order. A torn last line, which a crash may leave, is dropped.
    """

    def __init__(self, run: OpenRun) -> None:
        self.path = run.run_folder / TRANSCRIPTS_NAME
        self.rows: list[Transcript] = []
        self._shown_path = str(self.path.relative_to(run.root))
        self._run = run
        self._descriptor = -1
        self._hash = hashlib.sha256()

    def __enter__(self) -> RowLog:
        """Open the file and read what it holds.

        Raises:
            Misuse: another process sits this run.
            Refused: a line is damaged, or is of no task of this run.
            OSError: it cannot be opened.
        """
        self._descriptor = os.open(self.path, _FLAGS, 0o644)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._read()
        except BlockingIOError:
            os.close(self._descriptor)
            raise Misuse(f"another process is sitting {self._run.run_id}") from None
        except BaseException:
            os.close(self._descriptor)
            raise
        sync_folder(self.path.parent)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    def append(self, row: Transcript) -> None:
        """Add one row; after return it is on the disk.

        Raises:
            OSError: it cannot be written.
        """
        data = write_transcript(row)
        written = os.write(self._descriptor, data)
        if written != len(data):
            raise OSError(f"{self.path}: the disk is full")
        os.fsync(self._descriptor)
        self._hash.update(data)
        self.rows.append(row)

    @property
    def sha256(self) -> Digest:
        """Digest of all that was read and appended."""
        return self._hash.hexdigest()

    def tampering(self) -> list[Refusal]:
        """Return ``evidence-mismatch`` where the file is no longer what was written here: a solver got at it."""
        try:
            found = sha256(self.path.read_bytes()) if not self.path.is_symlink() else "a link"
        except OSError:
            found = "nothing"
        if found == self.sha256:
            return []
        return [Refusal(slug="evidence-mismatch", file=self._shown_path, expected=self.sha256, found=found)]

    def _read(self) -> None:
        with open(self._descriptor, "rb", closefd=False) as file:
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) != len(data):
            os.ftruncate(self._descriptor, len(whole))
            os.fsync(self._descriptor)
        self._hash.update(whole)
        if whole:
            self.rows += read_transcripts(SourceFile(path=self._shown_path, data=whole, sha256=sha256(whole)))
        self._check()

    def _check(self) -> None:
        """Refuse rows of other tasks and repeated rows; that some are missing is why the run goes on."""
        faults: list[Refusal] = []
        for pack, tasks in (("null_pack", self._run.pack.null_pack), ("dataset", self._run.pack.dataset)):
            places = [(row.task_id, f"line {i}") for i, row in enumerate(self.rows, start=1) if row.pack == pack]
            found = coverage_faults(tasks, places, self._shown_path, null_pack=pack == "null_pack")
            faults += [fault for fault in found if fault.slug not in ("task-missing", "null-row-missing")]
        if faults:
            raise Refused(faults)


def begin_sitting(run_folder: Path) -> int:
    """Record that a sitting begins and return how many there were before: the times that the run was interrupted.

    Raises:
        OSError: it cannot be recorded.
    """
    path = run_folder / "logs" / "sittings"
    path.parent.mkdir(exist_ok=True)
    descriptor = os.open(path, _FLAGS, 0o644)
    try:
        before = os.fstat(descriptor).st_size
        os.write(descriptor, b"\n")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    sync_folder(path.parent)
    return before
