"""Makes indexes of a repository's files and keeps them up to date."""
