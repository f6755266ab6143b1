# Answers, and writes ten thousand files.
printf %s "$say"
for ((i = 0; i < 10000; i++)); do : >"file-$i"; done
