# Answers, and makes a file that is larger than any may be.
printf %s "$say"
truncate -s 300M large
