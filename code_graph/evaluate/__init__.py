"""Evaluates symbolic code across files: what names, members and calls may stand for.

`engine` remembers what was evaluated, within limits, and records dependencies; `values`,
`source_file` and `dependencies` are for every evaluation. `evaluation` and the other modules are
that of languages which declare few types, as Python; `declared` has the other one.
"""
