"""What may be opened, shown and logged: the denylist, redaction, and the sandbox below."""
