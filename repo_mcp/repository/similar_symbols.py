"""The symbols whose code is most like that of one: the graph names them, the text decides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Final

from code_graph.facts import DamagedFactsError, Facts, decode_declarations
from code_graph.query.model import Symbol
from code_graph.query.snapshot import GraphSnapshot
from code_graph.store.schema import FACTS
from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.repository.open_index import OpenIndex
from repo_mcp.search import Likeness, NearestDeclarations, SimilarDeclaration, SimilarEngine
from repo_mcp.stored import IndexProgress
from repo_mcp.vectors import symbol_rows

if TYPE_CHECKING:
    from code_graph.tree import Linker

# further ones are asked for, since parts of one symbol are shown once
_SPARE: Final = 10
_STALE: Final = AnswerWarning(
    "stale", "some files changed since they were indexed: lines of their symbols may have moved"
)
_NO_WORDS: Final = AnswerWarning("no_words", "the symbol has no words to compare")


class SimilarSymbol(NamedTuple):
    """A symbol that is like another; `likeness` is empty unless it is a near-duplicate."""

    id: int
    name: str
    qualified_name: str
    node_type: str
    language: str
    path: str
    start_line: int
    end_line: int
    similarity: float
    likeness: str


class SimilarSymbols(NamedTuple):
    """Near-duplicates first, then by similarity, and what the answer may lack."""

    symbols: list[SimilarSymbol]
    warnings: list[AnswerWarning]
    # true if the declarations of all files are compared
    complete: bool
    stale_paths: frozenset[str]


class SimilarSearch:
    """Looks for symbols like one."""

    def __init__(
        self, engine: SimilarEngine, graph: GraphSnapshot, symbol: Symbol, limit: int
    ) -> None:
        """Nothing is read yet."""
        self._engine = engine
        self._graph = graph
        self._symbol = symbol
        self._limit = limit

    def find(self, index: OpenIndex, budget: Budget) -> SimilarSymbols:
        """The nearest symbols; raises `Problem` without an index."""
        snapshot = index.snapshot
        if snapshot is None:
            raise Problem("index_missing")
        asked, most = self._symbol, self._limit
        lines = self._lines(snapshot)
        found = self._engine.similar(snapshot, asked.path, lines, most + _SPARE, budget)
        files = _Files(snapshot, (item.path for item in found.found))
        symbols = _Naming(self._graph, files).of(found.found, asked.id, most)
        deep = IndexProgress.of(snapshot).deep
        return SimilarSymbols(symbols, [*_warnings(found)], deep, frozenset(found.stale_paths))

    def _lines(self, snapshot: Snapshot) -> tuple[int, int]:
        """The symbol's lines in the index, which may be newer than the graph."""
        symbol, graph = self._symbol, self._graph
        known = symbol.start_line, symbol.end_line
        declared = graph.declaration(symbol)
        record, linked = snapshot.file(symbol.path), graph.snapshot.file(symbol.path)
        if record is None or declared is None:
            return known
        if linked is not None and record.fingerprint == linked.fingerprint:
            return known
        same = [
            (item.start_line, item.end_line)
            for item in _facts(snapshot, symbol.path).declarations
            if (item.name, item.kind) == (declared.name, declared.kind)
        ]
        return min(same, key=lambda lines: abs(lines[0] - known[0]), default=known)


def _warnings(found: NearestDeclarations) -> Iterator[AnswerWarning]:
    if not found.has_words:
        yield _NO_WORDS
    if found.stale_paths:
        yield _STALE


class _Files:
    """The indexed data of an answer's files."""

    def __init__(self, snapshot: Snapshot, paths: Iterable[str]) -> None:
        self.snapshot = snapshot
        self.facts = {path: _facts(snapshot, path) for path in dict.fromkeys(paths)}
        records = {path: snapshot.file(path) for path in self.facts}
        self.fingerprints = {
            path: b"" if record is None else record.fingerprint for path, record in records.items()
        }


def _facts(snapshot: Snapshot, path: str) -> Facts:
    try:
        return decode_declarations(snapshot.attachment(path, FACTS))
    except DamagedFactsError:
        return Facts("")


class _Naming:
    """Says which symbols declarations are."""

    def __init__(self, graph: GraphSnapshot, files: _Files) -> None:
        self._graph = graph
        self._files = files
        self._numbers: dict[str, list[int]] = {}

    def of(self, found: Iterable[SimilarDeclaration], own: int, limit: int) -> list[SimilarSymbol]:
        """The first ones, each symbol once and without the symbol that was asked about."""
        symbols: dict[int, SimilarSymbol] = {}
        for item in found:
            numbers = self._numbers_of(item.path)
            if len(symbols) < limit and item.row < len(numbers):
                symbol = self._symbol(item, numbers[item.row])
                if symbol.id != own:
                    symbols.setdefault(symbol.id, symbol)
        return list(symbols.values())

    def _numbers_of(self, path: str) -> list[int]:
        """The declarations of a file that have rows."""
        if path not in self._numbers:
            self._numbers[path] = [
                number
                for number, item in enumerate(self._files.facts[path].declarations)
                if symbol_rows.has_row(item.start_line, item.end_line)
            ]
        return self._numbers[path]

    def _symbol(self, found: SimilarDeclaration, number: int) -> SimilarSymbol:
        facts = self._files.facts[found.path]
        node, qualified, kind = self._identity(found.path, number)
        return SimilarSymbol(
            id=node,
            name=facts.declarations[number].name,
            qualified_name=qualified,
            node_type=kind,
            language=facts.language,
            path=found.path,
            start_line=found.start_line,
            end_line=found.end_line,
            similarity=found.similarity,
            likeness="" if found.likeness == Likeness.NONE else found.likeness.name.lower(),
        )

    @cached_property
    def _linker(self) -> Linker:
        """Names the symbols of files that are not linked yet."""
        from code_graph.link.linker import GraphLinker  # noqa: PLC0415 seldom needed
        from code_graph.store.text_tree import TextTree  # noqa: PLC0415 as above

        return GraphLinker(TextTree(self._files.snapshot))

    def _identity(self, path: str, number: int) -> tuple[int, str, str]:
        """Id, qualified name and type: those of the graph, or of what declarations alone tell."""
        linked = self._graph.snapshot.file(path)
        if linked is not None and linked.fingerprint == self._files.fingerprints[path]:
            chunk = linked.first_chunk + 1 + number
            if chunk < linked.last_chunk:
                symbol = self._graph.symbol_at(chunk)
                return symbol.id, symbol.qualified_name, symbol.node_type
        declared = self._linker.declared(path)[number + 1]
        return declared.id, declared.qualified_name, declared.node_type
