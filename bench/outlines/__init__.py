"""Outlines beside the declarations that the parsers of the languages themselves see."""
