"""The graph of code: what files declare and use, and which declaration each use means.

Text goes in, facts and edges come out; they are kept in an index and answer queries. An adapter of
`languages`, `treesitter` or `prose` turns the text of one file into `facts`, and its code into
`expressions`, which `evaluate` finds the values of by the rules of each language. `projects`
knows the packages of a repository, `link` makes symbols and edges, `store` keeps them, `query` asks
them. `scip` reads indexes that compilers made, `export` writes one.

This is the door; `facts` and `expressions` are doors of their own, and what asks a graph takes the
modules of `query`. It opens no file and knows no protocol and no settings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index_format.late_import import import_on_first_use

if TYPE_CHECKING:
    from code_graph.adapter import Adapter, facts_to_store
    from code_graph.facts import Facts
    from code_graph.hints import identifiers_in
    from code_graph.language_table import (
        LANGUAGES,
        known_as,
        language_named,
        may_name,
        names_with,
        naming,
    )
    from code_graph.link.linker import GraphLinker
    from code_graph.link.source_tree import SourceTree
    from code_graph.prose.notebook import markdown_rows
    from code_graph.query.snapshot import GraphSnapshot
    from code_graph.registry import PROSE, PROSE_ENDINGS, Languages, known_names

_LATE: Final = {
    "adapter": "Adapter facts_to_store",
    "facts": "Facts",
    "hints": "identifiers_in",
    "language_table": "LANGUAGES known_as language_named may_name names_with naming",
    "link.linker": "GraphLinker",
    "link.source_tree": "SourceTree",
    "prose.notebook": "markdown_rows",
    "query.snapshot": "GraphSnapshot",
    "registry": "PROSE PROSE_ENDINGS Languages known_names",
}

__getattr__ = import_on_first_use(__name__, _LATE)
