"""Which chunks and files hold a text, by the words of the index's dictionary."""
