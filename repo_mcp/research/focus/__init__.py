"""Analyses of a folder, or of what surrounds a symbol: structure, dependencies, patterns, flow."""
