"""What each tree-sitter language needs beyond its query file; loaded by the language's name."""
