"""The command line: options and commands."""
