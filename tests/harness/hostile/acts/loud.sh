# Answers, and complains for 200 MB.
printf %s "$say"
head -c 200M /dev/zero >&2
