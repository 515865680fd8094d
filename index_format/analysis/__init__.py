"""Turns text into terms: one way, which a caller of the index may choose.

The index stores any terms. These are words and parts of identifiers, folded, counted by
compiled code where there is some, and pairs of common words.
"""
