"""`python -m sitegen` is the `sitegen` command."""

from __future__ import annotations

import sys

from sitegen.cli import main

if __name__ == "__main__":
    sys.exit(main())
