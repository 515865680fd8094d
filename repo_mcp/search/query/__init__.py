"""Query syntax: text to ranked words and a condition on files.

Which files fulfil a condition is answered in `filter`.
"""
