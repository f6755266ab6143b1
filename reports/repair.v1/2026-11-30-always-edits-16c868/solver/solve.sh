#!/usr/bin/env bash
# A stub: it changes every file without looking. Its null pack fails, and that is what it is here to show.
set -euo pipefail
find . -type f -print0 | while IFS= read -r -d '' file; do printf 'edited\n' >>"$file"; done
printf '{"abstained": false, "retries": 0, "tool_calls": 0, "tools_used": [], "route": "always-edits"}' >"$RESULT_JSON"
