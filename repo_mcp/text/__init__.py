"""Files, lines, words and terms of text: the same for the index and for queries."""
