"""Scala in the linker: packages, imports, companions, lists of parameters, implicit classes."""
