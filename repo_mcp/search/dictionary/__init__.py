"""Looks up in the index's dictionary which chunks may contain a text."""
