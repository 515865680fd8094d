"""Lowers Python's syntax trees to symbolic code."""
