# Has the right answer, and dies of a segmentation fault.
printf %s "$say"
kill -SEGV $$
