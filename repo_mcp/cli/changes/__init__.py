"""The command about a change, and what it writes for other programs."""
