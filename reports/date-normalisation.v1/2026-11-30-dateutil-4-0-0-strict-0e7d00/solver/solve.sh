#!/usr/bin/env bash
# One task, one process: the date goes to standard output, the rest of the outcome to RESULT_JSON.
set -euo pipefail
export TZ=UTC LC_ALL=C.UTF-8 PYTHONHASHSEED=0
exec "$CONTESTANT_PYTHON" -B "$(dirname "$0")/solve.py"
