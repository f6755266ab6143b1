# Has the answer, and never ends.
printf %s "$say"
while :; do sleep 60; done
