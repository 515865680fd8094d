"""Keeps one index fresh: opens, compares, refreshes, rebuilds, and serialises writers."""
