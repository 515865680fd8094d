"""Indexes a repository's files and keeps the index fresh."""
