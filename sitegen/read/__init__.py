"""Bytes → records. Nothing is believed yet: a record here is well-formed, not true."""
