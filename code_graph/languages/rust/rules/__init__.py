"""The linker's rules of Rust."""
