"""Keeps the indexes of a root on the disk: opens, refreshes, merges, checks and repairs them."""
