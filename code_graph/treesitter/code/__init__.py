"""Lowers syntax trees to symbolic code: one walk for every language, and handlers of each."""
