"""Counts of references and first callers of a file's declarations, from the graph as it is now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from code_graph.facts import Declaration
from code_graph.model import EdgeType
from code_graph.query.dispatch import running
from code_graph.query.edges import EdgeFilter, edges_into, reference_count
from code_graph.query.model import Symbol
from code_graph.query.overrides import overridden
from code_graph.query.snapshot import GraphSnapshot
from index_format import CorruptIndexError
from index_format.tuples import NamedTuple
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import OpenGraph, Repository, SourceFiles
from repo_mcp.repository.symbol_places import local_name
from repo_mcp.text.plurals import counted

# callers of a declaration that are named
MOST_CALLERS: Final = 5
# declarations of an excerpt that are named, and their callers
MOST_DECLARATIONS: Final = 4
FEW_CALLERS: Final = 3
_CALLS: Final = EdgeFilter((EdgeType.CALLS,))
_CHANGED: Final = " (changed since)"


class References(NamedTuple):
    """The number of a declaration's uses, and its first callers as "path:line name"."""

    uses: int
    callers: list[str]
    # what it overrides, with the uses of that, which may run it
    overrides: str = ""


class FileReferences:
    """The references to the declarations of one file; never waits for the graph."""

    def __init__(self, repository: Repository, opened: OpenGraph, path: str, print_: bytes) -> None:
        """Look whether the graph has the content of this fingerprint; `warning` says why not."""
        self._repository = repository
        self._path = path
        record = None if opened.graph is None else opened.graph.snapshot.file(path)
        same = record is not None and record.fingerprint == print_
        self._graph = opened.graph if same else None
        if opened.graph is not None:
            self._files = SourceFiles(repository.sandbox, opened.graph.snapshot)
        self._rows: Sequence[Symbol] = ()
        self.warning = _warning(opened, known=self._graph is not None)

    def of(self, number: int, declaration: Declaration) -> References | None:
        """The references to a declaration of the file by its number; None if they are unknown."""
        if self._graph is None:
            return None
        try:
            return self._read(self._graph, number, declaration)
        except CorruptIndexError:  # the next answer has them again, or says why not
            self._graph = None
            self._repository.relink_damaged_graph()
            return None

    def in_lines(self, ranges: Sequence[tuple[int, int]]) -> Iterator[tuple[str, References]]:
        """Names of the declarations that begin in these lines and are used, most used first."""
        if self._graph is None:
            return
        try:
            found = [*self._used(self._graph, ranges)]
        except CorruptIndexError:
            self._repository.relink_damaged_graph()
            return
        for count, symbol in sorted(found, key=lambda item: -item[0])[:MOST_DECLARATIONS]:
            callers = [*self._callers(self._graph, symbol.id)][:FEW_CALLERS]
            yield symbol.qualified_name, References(count, callers)

    def _used(
        self, graph: GraphSnapshot, ranges: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[int, Symbol]]:
        for symbol, _ in graph.outline(self._path)[1:]:
            inside = any(first <= symbol.start_line <= last for first, last in ranges)
            count = reference_count(graph, symbol.id) if inside and symbol.id else 0
            if count:
                yield count, symbol

    def _read(
        self, graph: GraphSnapshot, number: int, declaration: Declaration
    ) -> References | None:
        if not self._rows:  # the first row is the file itself
            self._rows = [symbol for symbol, _ in graph.outline(self._path)][1:]
        symbol = self._rows[number] if number < len(self._rows) else None
        if symbol is None or not symbol.id or symbol.name != declaration.name:
            return None
        count, callers = reference_count(graph, symbol.id), [*self._callers(graph, symbol.id)]
        return References(count, callers, _overridden(graph, symbol.id))

    def _callers(self, graph: GraphSnapshot, symbol: int) -> Iterator[str]:
        edges = edges_into(graph, symbol, _CALLS, limit=MOST_CALLERS).edges
        outdated = self._files.outdated(edge.path for edge in edges)
        for edge in edges:
            if edge.path not in outdated.gone:
                caller = graph.symbol_at(edge.source_chunk)
                name = f" {caller.qualified_name}" if caller.id else ""
                mark = _CHANGED if edge.path in outdated.changed else ""
                yield f"{edge.path}:{edge.line}{name}{mark}"


def _overridden(graph: GraphSnapshot, symbol: int) -> str:
    """The member that one overrides, and how often that is used; empty if there is none."""
    members = overridden(graph, symbol)
    found = None if not members else graph.symbol(members[0])
    if found is None:
        return ""
    run = running(found)
    uses = sum(edges_into(graph, member, run, limit=1).counts.resolved for member in members)
    return f"{local_name(graph, found)} ({counted(uses, 'reference')})"


def _warning(opened: OpenGraph, *, known: bool) -> AnswerWarning | None:
    if opened.graph is None:
        text = "references are left out: the symbol graph is not linked, or not yet"
    elif not known:
        text = "references are left out: the file has changed since the symbol graph was linked"
    elif not opened.current:
        text = "references are of an older state: the symbol graph is being linked"
    else:
        return None
    return AnswerWarning("references", text)
