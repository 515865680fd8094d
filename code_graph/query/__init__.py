"""Answers questions about the graph; every answer is of one generation of it.

`snapshot` finds symbols by id, name and file, `search` by words, `edges` gives what leads to a
symbol and from it. On these stand `paths` (what reaches a symbol, and why two are connected),
`cycles` and `unused`, which go through many symbols and have budgets.
"""
