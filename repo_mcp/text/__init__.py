"""From text to terms, the same for the index and for questions."""
