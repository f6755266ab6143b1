# Answers, and writes a file that is larger than any may be.
printf %s "$say"
head -c 300M /dev/zero >large
