"""What the linker knows of Swift."""
