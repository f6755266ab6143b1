# Abstains, and answers.
printf '{"abstained": true}' >"$RESULT_JSON"
printf %s "${say:-an answer}"
