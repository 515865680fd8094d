"""Keeps one index fresh: opens, compares, refreshes and rebuilds it; serialises writers."""
