"""Decides what may be opened, shown and logged: denylist, redaction and sandbox."""
