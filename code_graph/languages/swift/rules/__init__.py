"""The linker's rules of Swift."""
