"""Joins the two sides of contracts: an edge from each use of a text to the files that give it.

Both sides are looked for by key, and so is what was not there: a file is linked again when another
one begins to give a text that it uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from code_graph.contracts.keys import wanted_keys
from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.dependencies import language_key
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import NONE, Contract, ContractRole
from code_graph.link.evaluators import Finder
from code_graph.link.places import Places
from code_graph.link.shared_names import given_by
from code_graph.model import FILE, EdgeType, Strategy

# of each kind, the type of its edges and how they are said to be found
KINDS: Final = {
    "route": (EdgeType.CALLS, Strategy.ROUTE),
    "message": (EdgeType.CALLS, Strategy.MESSAGE),
    "rpc": (EdgeType.CALLS, Strategy.RPC),
    "native": (EdgeType.CALLS, Strategy.NATIVE),
    "table": (EdgeType.REFERENCES, Strategy.TABLE),
    "setting": (EdgeType.REFERENCES, Strategy.SETTING),
}
# a text that more places give is no sign of one of them
_MOST_GIVING: Final = 8

# what finds the definitions in files of a language
FindDefinitions = Callable[[str], Finder | None]


class ContractEdges:
    """Makes the edges of contracts; `finder` gives what finds the definitions of a language."""

    def __init__(self, engine: Engine, finder: FindDefinitions) -> None:
        self._engine = engine
        self._finder = finder

    def add(self, file: SourceFile, places: Places) -> None:
        """Add the edges of one file, as far as its limits allow."""
        for item in file.code.contracts:
            if item.role == ContractRole.GIVES:
                continue
            if not self._engine.begin_place():
                return
            if item.role == ContractRole.RUNS:
                place = item.handler_line, item.handler_column
                for found in self._handlers(file, item, Strategy.FRAMEWORK):
                    places.add(item.declaration, found, EdgeType.CALLS, place)
            elif item.kind in KINDS:
                kind, strategy = KINDS[item.kind]
                for found in self._given(item, strategy):
                    if (found.path, found.declaration) != (file.path, item.declaration):
                        places.add(item.declaration, found, kind, (item.line, item.column))

    def _given(self, use: Contract, strategy: Strategy) -> list[Definition]:
        """The declarations that give what is used."""
        for keys in wanted_keys(use.kind, use.key):
            found: dict[tuple[str, int], Definition] = {}
            for key in keys:
                self._engine.depend_on("", language_key(use.kind, key))
                for path in self._engine.files.declaring(use.kind, key):
                    other = self._engine.file(path)
                    for item in () if other is None else _given_in(other, use.kind, key):
                        for each in self._target(other, item, strategy):
                            found[each.path, each.declaration] = each
            if found:
                return [*found.values()] if len(found) <= _MOST_GIVING else []
        return []

    def _target(
        self, file: SourceFile | None, item: Contract, strategy: Strategy
    ) -> Iterator[Definition]:
        """The handler that is named; else the declaration that gives, or the file."""
        if file is None:
            return
        named = [*self._handlers(file, item, strategy)]
        yield from named or [Definition(file.path, item.declaration, strategy)]

    def _handlers(
        self, file: SourceFile, item: Contract, strategy: Strategy
    ) -> Iterator[Definition]:
        """The declarations that the name of a handler means."""
        place = item.handler_line, item.handler_column
        own = file.cached("heads", _heads).get(place)
        if own is not None:
            yield Definition(file.path, own, strategy)
            return
        number = file.name_at.get(place, NONE)
        finder = self._finder(file.language) if number != NONE else None
        for found in () if finder is None else finder.of(file, number):
            if found.declaration != FILE:
                yield Definition(found.path, found.declaration, strategy)


def _heads(file: SourceFile) -> dict[tuple[int, int], int]:
    """The declarations of a file by the places of their names."""
    rows = enumerate(file.declarations)
    return {(item.name_line, item.name_column): number for number, item in rows}


def _given_in(file: SourceFile, kind: str, key: str) -> list[Contract]:
    return file.cached("contracts given", lambda it: given_by(it.code)).get((kind, key), [])
