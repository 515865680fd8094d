"""Measures what other revisions of a checkout cost."""
