#!/usr/bin/env bash
# One task, one process: the files are mended in place, the rest of the outcome goes to RESULT_JSON.
set -euo pipefail
export TZ=UTC LC_ALL=C.UTF-8 PYTHONHASHSEED=0
exec "$CONTESTANT_PYTHON" -B "$(dirname "$0")/solve.py"
