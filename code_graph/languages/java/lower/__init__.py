"""Makes expressions of a syntax tree of Java."""
