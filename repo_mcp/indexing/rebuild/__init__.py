"""Rebuilds stored segments from the files of a checkout, to see whether they hold what these give.

It changes no index: `fresh` does.
"""
