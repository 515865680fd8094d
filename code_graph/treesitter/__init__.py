"""One engine for all tree-sitter grammars: a query file and a few rules for each language."""
