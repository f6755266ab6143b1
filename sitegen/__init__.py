"""A static report site generator for agent benchmark numbers.

A build re-verifies every report against its sealed protocol and renders only what the evidence gives. From Python,
:func:`read_library`, :func:`verify_library` and :func:`scorecards` give the same records (:mod:`sitegen.api`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sitegen.api import VerifiedLibrary, read_library, scorecards, verify_library
    from sitegen.refusals import Refused

__version__ = "0.1.0"
__all__ = ["Refused", "VerifiedLibrary", "__version__", "read_library", "scorecards", "verify_library"]


def __getattr__(name: str) -> Any:
    """Load the Python interface when one of its names is first used, so that the command starts fast."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("sitegen.api"), name)
