"""Puts the occurrences of imported indexes in the place of edges, where the linker has both.

At a place with occurrences of symbols that are declared here, edges to these are kept as exact, and
edges to others give way to them. What an index says nothing about stays. Symbols that no document
defines change nothing: indexes call parts of the same repository external as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from code_graph.evaluate.dependencies import symbol_key, text_hash
from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import NONE, BindingKind, Op
from code_graph.facts import INTERFACES
from code_graph.identity import file_id
from code_graph.model import (
    CONFIDENCE_OF,
    FILE,
    Confidence,
    EdgeType,
    GraphEdge,
    LinkedFile,
    Strategy,
)
from code_graph.recent import RecentValues
from code_graph.scip.matching import DocumentMatch, find_declarations, match
from code_graph.scip.occurrences import ScipOccurrences
from code_graph.scip.symbols import is_local
from index_format.records import replace
from index_format.tuples import NamedTuple

_FILES: Final = 256
_TYPES: Final = frozenset(
    {
        *("class", "struct", "record", "enum", "union", "actor", "object"),
        *("interface", "protocol", "trait", "annotation", "type", "typedef", "delegate"),
    }
)
# a type with one value, which nobody makes
_VALUE: Final = "object"
_FUNCTIONS: Final = frozenset(
    {"function", "method", "constructor", "operator", "prototype", "macro", "destructor"}
)
# edges that the name at their place does not decide
_OTHERS: Final = frozenset({EdgeType.CONTAINS, EdgeType.OVERRIDES})
_ABOUT_TYPES: Final = frozenset(
    {EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.EXTENDS, EdgeType.ACCEPTS}
)
_BASES: Final = frozenset({EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.EXTENDS})
Place = tuple[int, int]


class SymbolTarget(NamedTuple):
    """A symbol as declared here: the id of its declaration, and that one's kind and name."""

    id: int
    kind: str
    name: str


# the name of the target of one of our edges; empty if it is a file
NameOf = Callable[[int], str]


class ScipOverlay:
    """The imported indexes of a tree, as the linker asks them."""

    def __init__(
        self,
        index: ScipOccurrences,
        file_of: Callable[[str], SourceFile | None],
        ids: Callable[[str], list[int]],
    ) -> None:
        """Nothing is compared yet."""
        self._index = index
        self._file_of = file_of
        self._ids = ids
        self._matches: RecentValues[str, DocumentMatch | None] = RecentValues(_FILES)
        self._answers: RecentValues[str, dict[str, SymbolTarget]] = RecentValues(_FILES)

    def match(self, path: str) -> DocumentMatch | None:
        """The matched document of a file; None if it has none of the same text."""
        return self._matches.get(path, self._match)

    def apply(self, linked: LinkedFile, file: SourceFile, name_of: NameOf) -> LinkedFile:
        """The linked file with the edges of its document, its dependencies and its exports."""
        exports = [*linked.exports, *self._exports(file.path)]
        found = self.match(file.path)
        if found is None:
            return replace(linked, exports=tuple(sorted(exports)))
        work = _Overlay(linked, file, found, self.targets, name_of)
        work.run()
        return replace(
            linked,
            edges=tuple(sorted(work.edges)),
            external=tuple(item for item in linked.external if item[2:] not in work.known),
            unresolved=tuple(item for item in linked.unresolved if item[2:5] not in work.known),
            dependencies=tuple(sorted({*linked.dependencies, *work.dependencies})),
            exports=tuple(sorted(exports)),
        )

    def _match(self, path: str) -> DocumentMatch | None:
        known = self._index.fingerprint(path)
        file = self._file_of(path) if known else None
        if file is None or file.fingerprint != known:
            return None
        document = self._index.document(path)
        return None if document is None else match(document, file)

    def _exports(self, path: str) -> Iterator[tuple[int, int]]:
        for symbol, target in self._answers.get(path, self._answer).items():
            if not is_local(symbol):
                yield symbol_key(symbol), text_hash(path, target)

    def _answer(self, path: str) -> dict[str, SymbolTarget]:
        """The declarations in a file of the symbols that its document defines."""
        document, file = self._index.document(path), self._file_of(path)
        if document is None or file is None:
            return {}
        found = self.match(path)
        if found is not None:
            rows: Iterable[tuple[str, int]] = found.declarations.items()
        else:
            defined = (
                symbol for symbol in document.symbols if path in self._index.definers(symbol)
            )
            rows = find_declarations(file, defined)
        ids = self._ids(path)
        answers: dict[str, SymbolTarget] = {}
        for symbol, number in rows:
            if number == FILE:
                answers[symbol] = SymbolTarget(file_id(path), "file", "")
            else:
                item = file.declarations[number]
                answers[symbol] = SymbolTarget(ids[number], item.kind, item.name)
        return answers

    def targets(self, path: str, symbol: str) -> list[SymbolTarget]:
        """The declarations of a symbol that occurs in the document of a file."""
        paths = [path] if is_local(symbol) else self._index.definers(symbol)
        found: list[SymbolTarget] = []
        for each in paths:
            target = self._answers.get(each, self._answer).get(symbol)
            if target is not None and target not in found:
                found.append(target)
        return found


class _Overlay:
    """One file while its edges are replaced."""

    def __init__(
        self,
        linked: LinkedFile,
        file: SourceFile,
        found: DocumentMatch,
        targets: Callable[[str, str], list[SymbolTarget]],
        name_of: NameOf,
    ) -> None:
        self._name_of = name_of
        self._file = file
        self._match = found
        self._targets = targets
        self.edges = set(linked.edges)
        self.dependencies: set[int] = set()
        # types of edges with line and column that the index decides
        self.known: set[tuple[int, int, int]] = set()
        self._at: dict[Place, list[GraphEdge]] = {}
        for edge in linked.edges:
            if edge.type not in _OTHERS:
                self._at.setdefault((edge.line, edge.column), []).append(edge)
        self._of_source: dict[int, list[GraphEdge]] = {}
        for edge in linked.edges:
            if edge.type in _BASES or edge.type == EdgeType.OVERRIDES:
                self._of_source.setdefault(edge.source, []).append(edge)

    def run(self) -> None:
        """Replace edges at all places of the document."""
        sources = self._sources()
        for (line, column), symbols in sorted(self._match.uses.items()):
            place = line + 1, column
            found = [target for symbol in symbols for target in self._ask(symbol)]
            if found and place in sources:
                self._replace(place, found, *sources[place])
        for symbol, other in self._match.relations:
            number = self._match.declarations.get(symbol, FILE)
            if number != FILE:
                for target in self._ask(other):
                    self._relate(number, target)

    def _ask(self, symbol: str) -> list[SymbolTarget]:
        if not is_local(symbol):
            self.dependencies.add(symbol_key(symbol))
        return self._targets(self._file.path, symbol)

    def _sources(self) -> dict[Place, tuple[int, EdgeType]]:
        """The declaration around each name, and the type of edge of a plain use."""
        file = self._file
        called = {
            item.of for item in file.expressions if item.op in {Op.CALL, Op.NEW} and item.of != NONE
        }
        found: dict[Place, tuple[int, EdgeType]] = {}
        for number, item in enumerate(file.expressions):
            if item.op in {Op.NAME, Op.MEMBER} and item.line:
                kind = EdgeType.CALLS if number in called else EdgeType.REFERENCES
                owner = file.owner(file.code.scope_of[number])
                found[item.line, item.column] = owner, kind
        for binding in file.code.bindings:
            if binding.kind == BindingKind.IMPORTED and binding.line:
                place = binding.line, binding.column
                found.setdefault(place, (file.owner(binding.scope), EdgeType.IMPORTS))
        return found

    def _replace(
        self, place: Place, found: Sequence[SymbolTarget], owner: int, usual: EdgeType
    ) -> None:
        wanted = {target.id: target for target in found}
        ours = self._at.get(place, [])
        placed: set[int] = set()
        for kind in sorted({edge.type for edge in ours}):
            group = [edge for edge in ours if edge.type == kind]
            agreed = [edge for edge in group if edge.target in wanted]
            if agreed:
                self._confirm(kind, group, wanted)
                placed.update(edge.target for edge in agreed)
                continue
            fitting = [item for item in found if _fits(EdgeType(kind), item)]
            if fitting:
                rivals = [edge for edge in group if self._is_rival(edge, found)]
                self.edges.difference_update(rivals)
                self._add(group[0].source, fitting, EdgeType(kind), place)
                placed.update(item.id for item in fitting)
        left = [item for item in found if item.id not in placed and item.kind != "file"]
        for item in left:
            kind = usual
            if usual is EdgeType.CALLS and not _fits(usual, item):
                kind = EdgeType.REFERENCES
            self._add(owner, [item], kind, place)

    def _confirm(
        self, kind: int, group: Sequence[GraphEdge], wanted: dict[int, SymbolTarget]
    ) -> None:
        """Keep the edges of a type that the index has too.

        Others that are exact stay as well: of a member of a union, indexes give one alone.
        """
        for edge in group:
            if edge.target in wanted:
                self.edges.discard(edge)
                self.edges.add(edge._replace(strategy=Strategy.SCIP))
            elif not _is_exact(edge) and self._is_rival(edge, wanted.values()):
                self.edges.discard(edge)
        self.known.add((kind, group[0].line, group[0].column))

    def _is_rival(self, edge: GraphEdge, found: Iterable[SymbolTarget]) -> bool:
        """True if an edge is about the same name.

        What has another is run by what is named: a constructor, the wrapper of a decorator.
        """
        name = self._name_of(edge.target)
        return any(item.name == name for item in found)

    def _add(
        self, source: int, found: Iterable[SymbolTarget], kind: EdgeType, place: Place
    ) -> None:
        for item in found:
            self.edges.add(GraphEdge(source, item.id, kind, Strategy.SCIP, *place))
        self.known.add((kind, *place))

    def _relate(self, number: int, target: SymbolTarget) -> None:
        """A declaration implements or overrides what its symbol is related to."""
        item = self._file.declarations[number]
        ours = self._of_source.get(number, [])
        same = [edge for edge in ours if edge.target == target.id]
        for edge in same:
            self.edges.discard(edge)
            self.edges.add(edge._replace(strategy=Strategy.SCIP))
        if same:
            return
        if item.kind in _TYPES and target.kind in _TYPES:
            is_interface = target.kind in INTERFACES and item.kind not in INTERFACES
            kind = EdgeType.IMPLEMENTS if is_interface else EdgeType.INHERITS
        elif item.kind not in _TYPES and target.kind not in _TYPES:
            kind = EdgeType.OVERRIDES
        else:
            return
        if not any((edge.type in _BASES) == (kind in _BASES) for edge in ours):
            self._add(number, [target], kind, (item.name_line, item.name_column))


def _is_exact(edge: GraphEdge) -> bool:
    return CONFIDENCE_OF[Strategy(edge.strategy)] == Confidence.EXACT


def _fits(kind: EdgeType, target: SymbolTarget) -> bool:
    """True if an edge of a type may lead to a declaration of this kind."""
    if target.kind == "file":
        return False
    if kind == EdgeType.CALLS:
        return target.kind in _FUNCTIONS or (target.kind in _TYPES and target.kind != _VALUE)
    return kind not in _ABOUT_TYPES or target.kind in _TYPES
