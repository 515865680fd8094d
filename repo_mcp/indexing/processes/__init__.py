"""Processes of this program: starting them, the pipe between, and their end with the parent."""
