"""Finds what an import means: one finder for each language, over the same tree and projects."""
