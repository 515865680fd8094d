"""Rules of each tree-sitter language; modules are imported by the language's name."""
