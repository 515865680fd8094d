"""The declarations in installed packages that uses of a project lead to.

The file with the uses is linked once more, together with the packages that it imports: what it
means by a name is decided as for any other name, re-exports and inherited members included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from code_graph.identity import file_id
from code_graph.model import CalledSignature, EdgeType
from code_graph.paths.installed import is_package
from code_graph.query.edges import EdgeFilter, edges_of_rows, known_edges
from code_graph.query.model import TYPES, PlacedEdge, Symbol
from code_graph.query.names import node_text
from code_graph.query.snapshot import GraphSnapshot
from code_graph.recent import RecentValues
from code_graph.store.terms import last_name
from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.dependencies.catalog import ecosystem_of
from repo_mcp.dependencies.dependencies import Dependencies
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.manager import Indexes
from repo_mcp.model import QuestionFiles
from repo_mcp.place.place import Place
from repo_mcp.repository.outside import OutsideUse, use_of
from repo_mcp.repository.symbol_places import SymbolPlace, cited_place

# files with uses of which one answer has places, and packages that one of them is linked with
_MOST_FILES: Final = 4
_MOST_PACKAGES: Final = 24
# seconds for linking one file, and for indexing packages that no one has asked before
_LINKING: Final = 4.0
_INDEXING: Final = 8.0
_REMEMBERED: Final = 32
# kinds of symbols that have a declaration for each signature
_SEVERAL: Final = frozenset({"function", "method", "constructor"})
_ALL: Final = ".*."
_IMPORTS: Final = EdgeFilter((EdgeType.IMPORTS,))
_ANY: Final = EdgeFilter()

# what a file was linked with: its path, the packages, and the generation of all texts
_Linking = tuple[str, tuple[str, ...], int]


class PackagePlaces:
    """Finds declarations in packages; files that were linked for it are remembered."""

    def __init__(
        self,
        opened: Callable[[], Dependencies],
        *,
        linking: float = _LINKING,
        indexing: float = _INDEXING,
    ) -> None:
        """`opened` gives the packages of the project that asks; times are in seconds."""
        self._opened = opened
        self._linking = linking
        self._indexing = indexing
        self._graphs: RecentValues[_Linking, _LinkedUses] = RecentValues(_REMEMBERED)

    def __call__(
        self, graph: GraphSnapshot, edges: Sequence[PlacedEdge], budget: Budget
    ) -> Mapping[OutsideUse, tuple[Symbol, SymbolPlace]]:
        """The declarations of what edges lead to, as far as they are found in time."""
        found: dict[OutsideUse, tuple[Symbol, SymbolPlace]] = {}
        for path in [*dict.fromkeys(edge.path for edge in edges)][:_MOST_FILES]:
            wanted = [edge for edge in edges if edge.path == path]
            linked = self._linked(graph, path, wanted, budget)
            if linked is not None:
                found.update(linked.matches(path, wanted))
        dependencies = self._opened()
        for symbol, _ in found.values():
            dependencies.remember([node_text(symbol.id)], [symbol.path.partition("/")[0]])
        return found

    def _linked(
        self, graph: GraphSnapshot, path: str, wanted: Sequence[PlacedEdge], budget: Budget
    ) -> _LinkedUses | None:
        """The graph of a file and the packages that it uses; None if there are none, or no time."""
        dependencies = self._opened()
        packages = dependencies.packages
        ecosystem = ecosystem_of(graph.facts(path).language)
        imported = (edge.external for edge in known_edges(graph, file_id(path), _IMPORTS))
        mounts: dict[str, None] = {}
        for name in (*imported, *(edge.external for edge in wanted)):
            # behind a name that everything is imported from, another may stand by itself
            for part in dict.fromkeys((name, name.rpartition(_ALL)[2])) if ecosystem else ():
                mounts.update(dict.fromkeys(packages.of_import(part, ecosystem, path)))
        mounts.update(dict.fromkeys(packages.seen_without_import(ecosystem, path)))
        if not mounts:
            return None
        for mount in packages.needed_by([*mounts], path):
            mounts.setdefault(mount)
        chosen = [*mounts][:_MOST_PACKAGES]
        own = path.partition("/")[0]
        around = Place(packages=(own,)) if is_package(own) else Place(tuple(dependencies.roots))
        chosen = [mount for mount in chosen if mount not in around.mounts]
        together = around._replace(packages=(*around.packages, *chosen))
        try:
            view = dependencies.view(together)
            limit = budget.within(self._indexing)
            for mount in chosen:
                if mount in view.roots.opened:
                    # with all declarations: files are found by these
                    view.roots.opened[mount].background.refresh(limit)
            manager = view.repository.manager
            text = manager.snapshot()
            if text is None:
                return None

            key = path, tuple(chosen), text.generation
            return self._graphs.get(key, lambda _: self._link(manager, text, path, budget))
        except Problem as problem:
            if problem.code == "cancelled":
                raise
            return None

    def _link(self, manager: Indexes, text: Snapshot, path: str, budget: Budget) -> _LinkedUses:
        """The graph of a file; raises a `Problem` if it can't be linked in time."""
        made = manager.on_demand.link(text, QuestionFiles([path]), self._linking, budget)
        if made is None:
            raise Problem("graph_missing")
        return _LinkedUses(GraphSnapshot(made.snapshot), made.signatures.get(path, ()))


class _LinkedUses:
    """A file that is linked with packages: its graph, and which signatures its calls call."""

    def __init__(self, graph: GraphSnapshot, signatures: Iterable[CalledSignature]) -> None:
        self._graph = graph
        self._signatures = {(each.line, each.column, each.path): each.first for each in signatures}

    def matches(
        self, path: str, wanted: Iterable[PlacedEdge]
    ) -> Iterator[tuple[OutsideUse, tuple[Symbol, SymbolPlace]]]:
        """The symbols of packages at the places of these edges."""
        at: dict[tuple[str, int, int], list[PlacedEdge]] = {}
        for edge in edges_of_rows(self._graph, path, _ANY):
            if not edge.external:
                at.setdefault(edge.place, []).append(edge)
        for edge in wanted:
            symbols = [self._graph.symbol(other.target) for other in at.get(edge.place, ())]
            outside = [item for item in symbols if item is not None and _is_in_package(item)]
            if outside:
                name = last_name(edge.external)
                is_call = edge.type is EdgeType.CALLS
                best = min(outside, key=lambda item: _rank(item, name, is_call=is_call))
                yield use_of(edge), (best, self._place(edge, best))

    def _place(self, edge: PlacedEdge, symbol: Symbol) -> SymbolPlace:
        """The place of a symbol; of a function with several signatures, the one that is called."""
        place = cited_place(self._graph, symbol)
        first = self._signatures.get((edge.line, edge.column, symbol.path))
        if edge.type is not EdgeType.CALLS or first is None:
            return place
        if symbol.node_type not in _SEVERAL and not place.first <= first <= place.last:
            return place  # that of the type of a variable
        return place._replace(first=first, last=max(first, place.last))


def _is_in_package(symbol: Symbol) -> bool:
    return is_package(symbol.path.partition("/")[0])


def _rank(symbol: Symbol, name: str, *, is_call: bool) -> tuple[bool, bool, bool, str, int]:
    """The symbol of the name first, then the constructor that is called, then its class."""
    is_made = is_call and symbol.node_type == "constructor"
    kind = not is_made, symbol.node_type not in TYPES
    return symbol.simple_name != name, *kind, symbol.path, symbol.start_line
