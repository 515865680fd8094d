"""Go in the linker: packages by folders, methods outside of their types, embedding, builtins."""
