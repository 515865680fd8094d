"""The linker's rules of Rust: paths and modules, external types, the standard library."""
