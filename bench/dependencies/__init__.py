"""Uses of installed packages, beside where each language's own tools find their declarations."""
