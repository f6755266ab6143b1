# Tries more often than it may.
printf '{"retries": 2}' >"$RESULT_JSON"
printf %s "$say"
