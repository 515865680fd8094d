"""The command `history`."""
