# Never ends.
while :; do sleep 60; done
