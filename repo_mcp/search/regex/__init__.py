"""Regular expressions: parsed once, for the words they require and for the engine that matches."""
