"""Protocol versions and reports side by side: what may be said of two of them, and no more."""
