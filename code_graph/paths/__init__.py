"""Paths of a repository: globs over them, and what a path says about its file."""
