"""Python by its own parser; by tree-sitter and line rules where that refuses a text."""
