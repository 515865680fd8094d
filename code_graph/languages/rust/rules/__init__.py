"""What the linker knows of Rust."""
