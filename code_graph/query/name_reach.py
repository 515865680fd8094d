"""Tells which places the name of a declaration reaches: by scopes, and by imports.

A declaration in a function is seen in the function alone. One of a module is seen in another file
by an import of its name, which has an edge, unless something holds the module as a value.
"""

from __future__ import annotations

import re
from typing import Final

from code_graph.facts import MODULE, PARTIAL, Declaration
from code_graph.language_table import language_named
from code_graph.query.model import FUNCTIONS, TYPES, Symbol
from code_graph.query.module_names import needs_import
from code_graph.query.snapshot import GraphSnapshot
from code_graph.word_places import NameKind
from index_format.tuples import NamedTuple

# the word before a name that declares it; others stand before a value
_DECLARING: Final = re.compile(
    r"\b(?:function|class|const|let|var|def|interface|type|enum|fn|struct|func|trait|record)\s*\*?\s*$"
)
_KINDS: Final = {"method": NameKind.METHOD, "constructor": NameKind.CONSTRUCTOR}


class NameReach(NamedTuple):
    """The places that the name of a symbol reaches."""

    kind: NameKind
    path: str
    # the lines of the function around it, if one is
    first: int = 0
    last: int = 0
    # a file without an edge of an import can't mean it
    needs_import: bool = False

    def has_line(self, path: str, line: int) -> bool:
        """True if a line is where the name is seen."""
        return not self.last or (path == self.path and self.first <= line <= self.last)

    def kind_in(self, graph: GraphSnapshot, path: str) -> NameKind:
        """The kind of the declaration in a file, whose names are bound if all of it is linked."""
        if path in graph.all_incomplete:
            return NameKind.ANY
        if self.kind == NameKind.FREE and graph.facts(path).status == PARTIAL:
            return NameKind.ANY
        return self.kind


def name_reach(graph: GraphSnapshot, symbol: Symbol, line: str) -> NameReach:
    """The places that the name of a symbol reaches; `line` is the text of that with its name."""
    kind = _KINDS.get(symbol.node_type, NameKind.ANY)
    if kind != NameKind.ANY or symbol.declaration < 0:
        return NameReach(kind, symbol.path)
    declarations = graph.facts(symbol.path).declarations
    own = declarations[symbol.declaration]
    holder = declarations[own.parent] if own.parent != MODULE else None
    if symbol.node_type in FUNCTIONS | TYPES and _is_declared(own, line):
        if holder is None:
            needed = needs_import(graph, symbol)
            return NameReach(NameKind.FREE, symbol.path, needs_import=needed)
        if own.scope_kind == "function" and language_named(symbol.language).binds_names:
            return NameReach(NameKind.FREE, symbol.path, holder.start_line, holder.end_line)
    return NameReach(kind, symbol.path)


def _is_declared(own: Declaration, line: str) -> bool:
    """True if a word declares the name where it stands: what is assigned may be seen elsewhere.

    What is declared in a block of a module may be one of the whole program: `declare global`.
    """
    is_in_block = own.parent == MODULE and line[:1].isspace()
    return not is_in_block and _DECLARING.search(line[: own.name_column]) is not None
