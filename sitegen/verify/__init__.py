"""Records → verified records, or refusals. Everything is recomputed; stated numbers are only compared."""
