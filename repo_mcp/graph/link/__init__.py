"""Links files: evaluates their symbolic code and finds what each name means, across files."""
