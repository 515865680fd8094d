"""The names of the graph's commands, and what each is for."""

from __future__ import annotations

from typing import Final

SYMBOLS: Final = "symbols"
CALLERS: Final = "callers"
CALLEES: Final = "callees"
REFS: Final = "refs"
IMPACT: Final = "impact"
PATH: Final = "path"
CYCLES: Final = "cycles"
UNUSED: Final = "unused"
GRAPH: Final = "graph"

COMMAND_MEANINGS: Final = {
    SYMBOLS: "find symbols by the words of their names",
    CALLERS: "show what calls a symbol, and where",
    CALLEES: "show what a symbol calls, and where",
    REFS: "show every use of a symbol",
    IMPACT: "show what a change of a symbol may affect, and which tests reach it",
    PATH: "show why one symbol depends on another: a shortest way, with a place for each step",
    CYCLES: "show files, folders or projects that import each other",
    UNUSED: "show symbols that nothing uses, as far as that can be proved",
    GRAPH: "show or draw the symbols around one, or the packages of the repository",
}
GRAPH_COMMANDS: Final = frozenset(COMMAND_MEANINGS)
