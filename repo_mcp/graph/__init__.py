"""The symbol graph: who calls, implements, imports and refers to what, and how sure that is.

`model` has symbols and edges, `evaluate` finds what expressions stand for, by the `rules` of each
language, `link` turns the facts of files into edges, `projects` knows the packages of a
repository, `index` keeps edges in an index of their own, `query` answers questions, `picture`
draws. `scip` reads indexes that compilers made, `export` writes one. Linking never reads text:
everything comes from the facts and the code of files.
"""
