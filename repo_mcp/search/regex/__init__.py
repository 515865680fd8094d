"""Regular expressions: parsed once, for the words that they require and for the RE2 engine."""
