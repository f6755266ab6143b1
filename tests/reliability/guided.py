"""Fuzz one reader, led by the branches that its inputs reach: ``python -m tests.reliability.guided NAME SECONDS DIR``.

Needs atheris. ``NAME`` is one of :data:`tests.reliability.readers.READERS` or ``FOREIGN``. Inputs that reach something
new are kept in ``DIR``; one that does anything but be read or refused is printed, and ends the run with another code.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

LONGEST = 8_192
SECONDS_A_FILE = 5

with atheris.instrument_imports(include=["sitegen"]):
    from tests.reliability.readers import good_files, offer


def main(name: str, seconds: str, place: str) -> None:
    """Fuzz, and leave the process as atheris does."""
    corpus = Path(place) / name.replace(" ", "-") / "corpus"
    corpus.mkdir(parents=True)
    work = corpus.parent / "good"
    work.mkdir()
    for number, data in enumerate(good_files(work)[name]):
        (corpus / f"good-{number}").write_bytes(data)
    options = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", f"-timeout={SECONDS_A_FILE}", "-rss_limit_mb=2048"]

    def one_input(data: bytes) -> None:
        offer(name, data)

    atheris.Setup([sys.argv[0], *options, f"-artifact_prefix={corpus.parent}/", str(corpus)], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
