"""The command line: what may be said, and what each command does."""
