"""CMake."""
