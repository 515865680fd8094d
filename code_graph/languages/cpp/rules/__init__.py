"""What the linker knows of C++."""
