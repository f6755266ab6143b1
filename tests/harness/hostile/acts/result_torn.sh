# Writes half a result file.
printf %s "$say"
printf '{"abstained": tr' >"$RESULT_JSON"
