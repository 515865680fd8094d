"""Joins the two sides of contracts: an edge from each use of a text to the files that give it.

Both sides are looked for by key, and so is what was not there: a file is linked again when another
one begins to give a text that it uses. `edges` makes the edges of a file, `spelling` finds the text
of a use, `givers` what gives it, with `mounts` below paths of other files and `nearest` among
several; `handlers` are the declarations that a contract names, `given` the contracts of files.
"""
