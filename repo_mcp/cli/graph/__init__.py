"""Commands that ask the symbol graph: who calls what, and what a change affects."""
