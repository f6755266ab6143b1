#!/usr/bin/env bash
# Answers with the number of words in the task's prompt; abstains where there is no prompt.
set -euo pipefail

prompt=$(sed -n 's/.*"prompt": *"\(\([^"\\]\|\\.\)*\)".*/\1/p' "$TASK_JSON")

if [[ -z $prompt ]]; then
  printf '{"abstained": true, "retries": 0, "tool_calls": 0, "tools_used": []}' >"$RESULT_JSON"
  exit 0
fi

printf '{"retries": 0, "tool_calls": 0, "tools_used": []}' >"$RESULT_JSON"
wc -w <<<"$prompt" | tr -d ' \n'
