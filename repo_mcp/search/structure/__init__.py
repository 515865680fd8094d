"""Structural search: code of the shape of a pattern, in ast-grep's pattern language.

The index gives the files that hold the pattern's literal words; worker processes parse and match
their current text. Lines, pages and counts are those of exact search (`search/exact`).
"""
