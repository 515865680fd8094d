"""Java in the linker: packages and imports, functional interfaces, collections and streams."""
