"""Pages → a folder, in one atomic step: the output is the old site or the new one, never a part of either."""
