"""Query syntax: parses a text into ranked words and a condition on files.

`search/filter` finds the files that fulfil a condition.
"""
