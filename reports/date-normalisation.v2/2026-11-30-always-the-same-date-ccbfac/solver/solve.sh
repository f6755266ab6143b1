#!/usr/bin/env bash
# A stub: it answers without looking. Its null pack fails, and that is what it is here to show.
set -euo pipefail
printf '{"abstained": false, "retries": 0, "tool_calls": 0, "tools_used": [], "route": "always-the-same-date"}' >"$RESULT_JSON"
printf '2020-01-01'
