"""Charts: specifications made with Altair, drawn to static SVG, tidied, and kept by content."""
