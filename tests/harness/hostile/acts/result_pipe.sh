# Makes a named pipe of its result file: whoever opens it waits.
printf %s "$say"
mkfifo "$RESULT_JSON"
