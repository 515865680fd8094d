"""From a question to lines of files."""
