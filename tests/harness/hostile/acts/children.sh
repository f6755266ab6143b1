# Answers, and leaves children behind: in the background, in a session of their own, as orphans, deaf to signals.
printf %s "$say"
sleep 86399 &
setsid sleep 86399 &
(setsid setsid sleep 86399 >/dev/null 2>&1 &)
(trap '' TERM HUP INT; exec setsid sleep 86399) &
