"""Answers questions about the graph; every answer is of one generation of it.

`snapshot` finds symbols by id, name and file, `search` by words, `edges` gives what leads to a
symbol and from it. On these stand `paths` (what reaches a symbol, and why two are connected),
`cycles`, which goes through many files and has a budget. What reads lines of files, or only one
room of the server asks, is in that room.
"""
