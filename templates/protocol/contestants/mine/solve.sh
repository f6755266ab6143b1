# One task, one process. TASK_JSON names a file with the task, the working folder holds its files.
# The answer goes to standard output, exactly as it shall be compared. How it went goes to RESULT_JSON:
# abstained (true or false), and as far as you know them retries, tool_calls, tools_used, route, tokens_in, tokens_out, cost_usd.
# Replace what follows by a call of your agent. Until then its null pack fails, since it passes no must_pass row.
set -eu
printf '{"abstained": true, "retries": 0, "tool_calls": 0}' >"$RESULT_JSON"
