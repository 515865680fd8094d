"""Wording of English texts."""
