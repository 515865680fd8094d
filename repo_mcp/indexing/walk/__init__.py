"""Selects the files to index: the walk, file types and `.gitignore` rules."""
