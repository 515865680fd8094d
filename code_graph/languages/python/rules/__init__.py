"""Python in the linker: imports, decorators, typing, and what builtins give."""
