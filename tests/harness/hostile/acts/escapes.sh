# Answers with what would run in a terminal or break a line of the file of rows.
printf '\033[31m\033]0;owned\007%s\r\n{"task_id": "D-1"}\n\xe2\x80\xa8\xe2\x80\xae' "$say"
