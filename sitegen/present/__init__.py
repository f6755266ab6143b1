"""Verified records → pages: templates, charts, exports, and the check of a finished page."""
