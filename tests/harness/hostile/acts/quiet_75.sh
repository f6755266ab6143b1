# Abstains by its exit code.
exit 75
