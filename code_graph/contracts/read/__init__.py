"""Reads the contracts of one file, as its text has them; nothing in here looks at another file.

`calls` reads calls and decorators, `file_contracts` makes their contracts: with the keys of
`routes`, below the paths of `prefixes`, with the texts that `values` finds in variables, and what
`wrappers` hand on; `patterns` are contracts of expressions, `made_paths` functions that make paths.
"""
