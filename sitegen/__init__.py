"""A static report site generator for agent benchmark numbers.

A build re-verifies every report against its sealed protocol and renders only what the evidence gives.
"""

__version__ = "0.1.0"
