"""Kotlin in the linker: packages, imports, extensions, receivers, collections."""
