"""Child processes of this program: starting them, the pipe to them, and their end."""
