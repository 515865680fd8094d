"""Suggestions for a query that finds nothing: near spellings and similar paths."""
