"""Links between declarations, as the symbol graph knows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from code_graph.model import EdgeType
from code_graph.query.edges import EdgeFilter, sources_of
from code_graph.query.snapshot import GraphSnapshot, distinct
from index_format import Snapshot
from index_format.tuples import NamedTuple

# what a declaration calls, its bases and the types it accepts; plain references are too many
_USES: Final = EdgeFilter(
    (
        *(EdgeType.CALLS, EdgeType.INHERITS, EdgeType.IMPLEMENTS),
        *(EdgeType.ACCEPTS, EdgeType.EXTENDS),
    )
)
_CALLS: Final = EdgeFilter((EdgeType.CALLS,))

# first and last line of a declaration
Span = tuple[int, int]


class FileLinks(NamedTuple):
    """Uses by the declarations of one file: of others of the file, and of other files' symbols."""

    inside: Sequence[tuple[Span, Span]]
    outside: Mapping[Span, Sequence[int]]


class LinkedPlace(NamedTuple):
    """Where a symbol is declared."""

    path: str
    first: int
    last: int


class SymbolLinks:
    """The links of files that the graph has with the content that is indexed; others have none."""

    def __init__(self, graph: GraphSnapshot, snapshot: Snapshot) -> None:
        """Nothing is read yet."""
        self._graph = graph
        self._snapshot = snapshot
        # files that were asked for and are not linked as they are
        self.missing: set[str] = set()

    def of_file(self, path: str) -> FileLinks | None:
        """The links of a file's declarations; None for a file that is not linked as it is."""
        ids = self._ids(path)
        if ids is None:
            self.missing.add(path)
            return None
        first, numbers = ids
        edges = self._graph.edges(self._graph.file_of(first))
        rows, columns = edges.of_all_rows()
        chosen = _USES.select(columns)
        chosen = chosen[rows[chosen] > 0]  # row 0 is the file itself
        targets = columns.targets[chosen].tolist()
        own = {number: row for row, number in reversed([*enumerate(numbers)])}
        inside: list[tuple[Span, Span]] = []
        outside: dict[Span, list[int]] = {}
        for row, target in sorted({*zip(rows[chosen].tolist(), targets, strict=True)}):
            span = self._span(first + row)
            if target in own:
                inside.append((span, self._span(first + own[target])))
            elif target not in edges.external:
                outside.setdefault(span, []).append(target)
        return FileLinks(inside, outside)

    def place(self, symbol: int) -> LinkedPlace | None:
        """Where a symbol is declared; None if that file has changed since."""
        found = self._graph.symbol(symbol)
        if found is None or self._first_chunk(found.path) is None:
            return None
        return LinkedPlace(found.path, found.start_line, found.end_line)

    @property
    def graph(self) -> GraphSnapshot:
        """The graph that they are of."""
        return self._graph

    def is_current(self, path: str) -> bool:
        """True for a file that the graph has with the content that is indexed."""
        return self._first_chunk(path) is not None

    def is_outdated(self, path: str) -> bool:
        """True for a file that the graph has with another content than the index."""
        linked = self._graph.snapshot.file(path)
        return linked is not None and self._first_chunk(path) is None

    def callers(self, path: str, span: Span, most: int) -> list[int]:
        """The symbols of other files that call a declaration; none if there are more."""
        ids = self._ids(path)
        if ids is None:
            return []
        first, numbers = ids
        targets = {
            number
            for row, number in enumerate(numbers)
            if row and number and self._span(first + row) == span
        }
        found: set[int] = set()
        for target in sorted(targets):
            chunks, _ = sources_of(self._graph, target, _CALLS)
            found.update(distinct(self._graph.ids[chunks]).tolist())
        found -= {*numbers, 0}
        return sorted(found) if len(found) <= most else []

    def _ids(self, path: str) -> tuple[int, list[int]] | None:
        """The first chunk of a file, and the symbols of its chunks."""
        first = self._first_chunk(path)
        record = self._graph.snapshot.file(path)
        if first is None or record is None:
            return None
        return first, self._graph.ids[first : record.last_chunk].tolist()

    def _span(self, chunk: int) -> Span:
        return self._graph.snapshot.lines_of(chunk)

    def _first_chunk(self, path: str) -> int | None:
        linked, known = self._graph.snapshot.file(path), self._snapshot.file(path)
        if linked is None or known is None or linked.fingerprint != known.fingerprint:
            return None
        return linked.first_chunk
