"""Pass when the artifact is, byte for byte, the oracle.

Nothing is stripped or normalised: a line end, a space or another letter case is a difference. An empty
artifact never passes, not even against an empty oracle.
"""

from __future__ import annotations

from pathlib import Path


def score(result: str, oracle_path: str) -> dict[str, object]:
    """Compare the artifact's UTF-8 bytes with the bytes of the file at `oracle_path`.

    Returns `{"pass": bool, "metric": "exact_bytes"}`. A missing oracle raises `FileNotFoundError`.
    """
    return {"pass": matches(result, Path(oracle_path).read_bytes()), "metric": "exact_bytes"}


def matches(result: str, oracle: bytes) -> bool:
    """Tell whether the artifact is `oracle` and not empty."""
    return result != "" and result.encode("utf-8", "surrogatepass") == oracle
