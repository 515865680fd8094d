"""The command `search`: ranked and exact search for people and scripts.

`command.py` runs it. A kind of search has a module that plans it and formats its hits: `ranked.py`,
`exact.py` with `lines.py`, `files.py`.
"""
