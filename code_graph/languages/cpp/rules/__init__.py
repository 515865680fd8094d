"""The linker's rules of C++."""
