"""The package itself: a version, and the Python interface that is loaded when it is first used."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest

import sitegen


def test_the_version_is_the_packages() -> None:
    assert version("sitegen") == sitegen.__version__


def test_importing_it_loads_nothing_heavy() -> None:
    code = "import sys, sitegen; sys.exit(any(name in sys.modules for name in ('msgspec', 'yaml', 'jinja2', 'altair')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_name_that_it_does_not_offer_is_no_attribute() -> None:
    with pytest.raises(AttributeError):
        _ = sitegen.no_such_name  # type: ignore[attr-defined]
