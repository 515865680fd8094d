"""Links files: evaluates their symbolic code and finds what each name means, across files.

`linker` links one file: `families` makes the evaluation of its language, `places` its edges,
`contracts` those that a text leads to, `symbols` the ids and names of its declarations, `exports`
the keys that others may depend on.
"""

from typing import Final

# the function that makes the linker of a tree, as "module:name": workers import it themselves
LINKER: Final = "code_graph.link.linker:GraphLinker"
# raise it when equal facts give other symbols or edges
VERSION: Final = 46
# raise it when an equal file shares other names
SHARED_VERSION: Final = 17
