"""Compares answers about the past with git's, and measures what they take."""
