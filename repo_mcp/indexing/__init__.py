"""From the repository's files to the index."""
