"""Text: decoding, lines, words, terms and globs, shared by indexing and searching."""
