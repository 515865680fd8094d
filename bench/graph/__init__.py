"""Measures the symbol graph against compilers and type checkers, which are not part of this one."""
