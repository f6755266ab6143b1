# Says "false" where false is meant.
printf %s "$say"
printf '{"abstained": "false"}' >"$RESULT_JSON"
