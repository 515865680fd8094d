"""Query syntax: parses a text into ranked words and a condition on files.

`filter` finds the files that fulfil a condition.
"""
