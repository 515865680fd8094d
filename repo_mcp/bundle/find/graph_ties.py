"""The symbol graph of a bundle: its links, unless there is none or it proves damaged."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from index_format import CorruptIndexError, Snapshot
from repo_mcp.bundle.model import Ties

if TYPE_CHECKING:  # most servers have no graph
    from code_graph.query.snapshot import GraphSnapshot
    from repo_mcp.bundle.find.links import SymbolLinks

T = TypeVar("T")


class GraphTies:
    """The links of a graph; none from the moment when it proves damaged."""

    def __init__(self, graph: GraphSnapshot | None, snapshot: Snapshot) -> None:
        self.links: SymbolLinks | None = None
        self.is_damaged = False
        # true if the graph is of all files
        self.is_complete = graph is not None and graph.progress.complete
        self._damage: tuple[type[Exception], ...] = ()
        if graph is not None:
            from code_graph.store.records import DamagedGraphError  # noqa: PLC0415 most servers have no graph
            from repo_mcp.bundle.find.links import SymbolLinks  # noqa: PLC0415 as above

            self._damage = (CorruptIndexError, DamagedGraphError)
            self.links = SymbolLinks(graph, snapshot)

    def read(self, find: Callable[[SymbolLinks | None], T]) -> T:
        """The result with the links; without them if the graph is damaged."""
        try:
            return find(self.links)
        except self._damage:
            self.links, self.is_damaged = None, True
        return find(None)

    @property
    def missing(self) -> int:
        """The number of files that were asked for and are not linked as they are."""
        return 0 if self.links is None else len(self.links.missing)

    @property
    def kind(self) -> Ties:
        """The way in which declarations are tied."""
        if self.links is None:
            return "names"
        return "both" if self.links.missing else "graph"
