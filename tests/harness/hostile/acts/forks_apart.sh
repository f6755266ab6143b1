# A fork bomb in which every process leaves its session and group.
setsid bash "$SOLVER_DIR/act-forks_apart.sh" &
setsid bash "$SOLVER_DIR/act-forks_apart.sh" &
sleep 60
