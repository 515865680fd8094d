"""The command line: its options, and the commands."""
