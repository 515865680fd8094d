"""Conditions under which lines are compiled, and their truth by what a build defines.

`branches_of` reads the conditions of a file out of its text; `MacroTable` says what is defined.
Without definitions only constants are known: `#if 0` is never compiled.
"""
