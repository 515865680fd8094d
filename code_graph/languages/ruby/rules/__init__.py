"""Ruby in the linker: constants by their scopes, classes of several files, methods of objects."""
