"""Makes expressions of a syntax tree of Ruby."""
