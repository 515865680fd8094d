"""Which files are indexed: the walk, file types, and the rules of `.gitignore`."""
