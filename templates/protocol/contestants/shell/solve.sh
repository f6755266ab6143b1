# One task, one process. The working folder holds the task's files; TASK_JSON names the whole task.
# The answer goes to standard output. How it went goes to RESULT_JSON; what is not said there is "not recorded".
set -eu
key=$(cat key.txt)
value=$(sed -n "s/^[[:space:]]*$key[[:space:]]*=[[:space:]]*//p" settings.conf | head -n 1)
if [ -z "$value" ]; then
  printf '{"abstained": true, "retries": 0, "tool_calls": 0}' >"$RESULT_JSON"
else
  printf '{"abstained": false, "retries": 0, "tool_calls": 0}' >"$RESULT_JSON"
  printf '%s' "$value"
fi
