# Prints without end.
yes "$say"
