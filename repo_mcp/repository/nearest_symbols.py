"""Finds the symbols whose names are most like one that no symbol has."""

from __future__ import annotations

import re
from typing import Final

from code_graph.facts import last_part
from code_graph.query.model import Symbol
from code_graph.query.names import symbols_named
from code_graph.query.snapshot import GraphSnapshot
from code_graph.store.schema import SYMBOL_NAME
from index_format.analysis.words import MAX_WORD, WORD
from repo_mcp import search
from repo_mcp.budget import Budget
from repo_mcp.repository.name_lookup import owner_in
from repo_mcp.repository.open_index import OpenIndex

_WORD: Final = re.compile(WORD)
# between names of several symbols
_SEPARATOR: Final = ","


def near_symbols(graph: GraphSnapshot, name: str, most: int) -> list[Symbol]:
    """Symbols whose name is spelled nearly like this one, then those that have its words."""
    from code_graph.query.search import search_symbols  # noqa: PLC0415 it loads Whoosh

    word = last_part(name.strip())
    if not word:
        return []
    near = search.NearWords(graph.snapshot, Budget(), SYMBOL_NAME).near(word, most)
    named = [
        symbol
        for item in near
        for symbol in symbols_named(graph, item.text, most, in_any_case=True)[0]
    ]
    nearest: dict[str, Symbol] = {}
    for symbol in (*named, *(hit.symbol for hit in search_symbols(graph, name, most))):
        nearest.setdefault(symbol.qualified_name, symbol)
    owner = owner_in(name.strip())
    ordered = sorted(nearest.values(), key=lambda item: last_part(item.owner) != owner)
    return (ordered if owner else [*nearest.values()])[:most]


def is_nowhere(index: OpenIndex, name: str) -> bool:
    """True if no file of a complete index has the word that a name ends with: nothing has it."""
    word = last_part(name.strip())
    if index.snapshot is None or not index.complete or _SEPARATOR in name:
        return False
    if not _WORD.fullmatch(word) or len(word) > MAX_WORD:
        return False
    return not search.NearWords(index.snapshot, Budget()).is_known(word)
