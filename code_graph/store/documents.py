"""Makes the graph's documents: one chunk for the file, then one for each of its declarations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from operator import attrgetter
from types import MappingProxyType
from typing import Final, TypeVar

import numpy as np

from code_graph.facts import MODULE, Facts, decode_declarations, encode
from code_graph.identity import external_id
from code_graph.model import FILE, GraphEdge, LinkedFile, Strategy, UnresolvedUse
from code_graph.store import terms
from code_graph.store.records import (
    PRIMARY,
    PUBLIC,
    StoredSymbol,
    pack_edges,
    pack_exports,
    pack_symbols,
)
from code_graph.store.schema import (
    DECLARATIONS,
    DEPENDENCY,
    EDGES,
    EXACT_NAME,
    EXPORTS,
    FACET,
    PROJECT_EXPORTS_PATH,
    QUALIFIED_NAME,
    SYMBOL_ID,
    SYMBOL_NAME,
    SYMBOLS,
    TARGET,
    UNLINKED,
)
from index_format import Chunk, ChunkTokens, Document, Tokens, Vocabulary
from index_format.analysis.counting import Analyser
from index_format.records import Record, replace

# each takes a kilobyte of memory until its segment is written
_MOST_DECLARATIONS: Final = 20_000

_NO_FIELDS: Final[Mapping[str, Tokens]] = MappingProxyType({})

Terms = Iterator[list[bytes]]
_Item = TypeVar("_Item", GraphEdge, UnresolvedUse)


class LinkedSource(Record):
    """A linked file with the facts it was linked from, and the number of its last line.

    `declarations` are those of the facts as they are stored, if they are.
    """

    linked: LinkedFile
    facts: Facts
    last_line: int
    declarations: bytes = b""


def make_documents(
    sources: Sequence[LinkedSource], analyser: Analyser, vocabulary: Vocabulary
) -> list[Document]:
    """One document for each file; a batch takes less time than single calls."""
    files = [_File(source) for source in sources]
    names = analyser.count_groups([file.names for file in files], vocabulary)
    qualified = analyser.count_groups([file.qualified_names for file in files], vocabulary)
    return [
        file.document({SYMBOL_NAME: name, QUALIFIED_NAME: whole}, vocabulary)
        for file, name, whole in zip(files, names, qualified, strict=True)
    ]


def make_project_exports(exports: Sequence[tuple[int, int]], print_: bytes) -> Document:
    """The document with the exports of paths and manifests; it has no chunk and no symbols."""
    attachments = {EXPORTS: pack_exports([*exports])}
    return Document(PROJECT_EXPORTS_PATH, [], print_, attachments=attachments)


def make_placeholder(path: str, exports: bytes) -> Document:
    """A file to link again: only its last exports are kept."""
    symbols = pack_symbols("", "", [StoredSymbol()])
    attachments = {SYMBOLS: symbols, EDGES: pack_edges(1, [], [], []), EXPORTS: exports}
    attachments[DECLARATIONS] = encode(Facts(""))
    return Document(path, [Chunk(1, 1, {})], attachments=attachments)


class _File:
    """A linked file in the order in which it is stored."""

    def __init__(self, source: LinkedSource) -> None:
        source = _bound(source)
        linked = source.linked
        self._linked = linked
        self._declarations = source.declarations
        self._facts = source.facts
        self._spans = _spans(source)
        self._ids, self._rows = _symbol_rows(source)
        self._edges = _edges(linked)
        uses = {use._replace(source=use.source + 1) for use in linked.unresolved}
        self._unresolved = sorted(uses, key=_use_key)

    @property
    def names(self) -> list[str]:
        """The name of each row."""
        return [row.name for row in self._rows]

    @property
    def qualified_names(self) -> list[str]:
        """The qualified name of each row."""
        return [row.qualified_name for row in self._rows]

    def document(self, counted: Mapping[str, ChunkTokens], vocabulary: Vocabulary) -> Document:
        """The document, with the words of its names."""
        columns: dict[str, Terms] = {
            SYMBOL_ID: self._id_terms(),
            EXACT_NAME: self._exact_names(),
            FACET: self._facets(),
            TARGET: _by_row(len(self._rows), self._edges, _target),
            UNLINKED: self._unlinked(),
            DEPENDENCY: self._dependencies(),
        }
        chunks = [
            Chunk(first, last, _NO_FIELDS, number)
            for (first, last), number in zip(self._spans, self._ids, strict=True)
        ]
        linked = self._linked
        return Document(
            linked.path,
            chunks,
            linked.fingerprint,
            attachments=self._attachments(),
            columns={
                **counted,
                **{name: _number(column, vocabulary) for name, column in columns.items()},
            },
        )

    def _attachments(self) -> dict[str, bytes]:
        linked, facts = self._linked, self._facts
        names = [use.name for use in linked.external]
        exports = dict(sorted(linked.exports))
        return {
            SYMBOLS: pack_symbols(linked.language, linked.project, self._rows),
            EDGES: pack_edges(len(self._rows), self._edges, names, self._unresolved),
            EXPORTS: pack_exports([*exports.items()]),
            DECLARATIONS: self._declarations
            or encode(Facts(facts.language, facts.status, facts.declarations)),
        }

    def _id_terms(self) -> Iterator[list[bytes]]:
        for number, row in zip(self._ids, self._rows, strict=True):
            times = 2 if row.flags & PRIMARY else 1
            yield [terms.id_term(number)] * times if number else []

    def _exact_names(self) -> Iterator[list[bytes]]:
        for row in self._rows:
            yield [terms.exact_term(row.qualified_name)] if row.qualified_name else []

    def _facets(self) -> Iterator[list[bytes]]:
        linked = self._linked
        shared = [terms.language_term(linked.language), terms.project_term(linked.project)]
        kinds = {row.node_type for row in self._rows}
        facets = {kind: [terms.kind_term(kind), *shared] for kind in kinds}
        mark = [] if linked.is_complete else [terms.INCOMPLETE]
        for number, row in zip(self._ids, self._rows, strict=True):
            facet = facets[row.node_type]
            yield ([*facet, *mark] if mark else facet) if number else []
            mark = []  # the file's own symbol is the first

    def _dependencies(self) -> Iterator[list[bytes]]:
        yield [terms.id_term(key) for key in sorted({*self._linked.dependencies})]
        yield from [[]] * (len(self._rows) - 1)

    def _unlinked(self) -> Iterator[list[bytes]]:
        rows = len(self._rows)
        external = {UnresolvedUse(use.source + 1, *use[1:]) for use in self._linked.external}
        outside = _by_row(rows, sorted(external, key=_use_key), _external)
        inside = _by_row(rows, self._unresolved, _unresolved)
        return (first + second for first, second in zip(inside, outside, strict=True))


_row_of = attrgetter("source")


def _number(column: Terms, vocabulary: Vocabulary) -> ChunkTokens:
    """The tokens of all rows; numbering them at once takes less time."""
    rows = [*column]
    numbers = np.array(vocabulary.numbers(chain.from_iterable(rows)), dtype=np.uint32)
    return ChunkTokens(Tokens(numbers), [len(words) for words in rows])


def _target(edge: GraphEdge) -> bytes:
    return terms.target_term(edge.type, terms.CONFIDENCES[edge.strategy], edge.target)


def _unresolved(use: UnresolvedUse) -> bytes:
    return terms.unresolved_term(use.type, use.name)


def _external(use: UnresolvedUse) -> bytes:
    return terms.external_term(use.type, use.name)


def _use_key(use: UnresolvedUse) -> tuple[int, int, int, int, str]:
    return use.source, use.line, use.column, use.type, use.name


def _by_row(rows: int, items: Sequence[_Item], term: Callable[[_Item], bytes]) -> Terms:
    """The terms of each row's items, which are in order of their rows."""
    found = {row: [term(item) for item in part] for row, part in groupby(items, _row_of)}
    return (found.get(row, []) for row in range(rows))


def _bound(source: LinkedSource) -> LinkedSource:
    """The source with a bounded number of declarations; edges of further ones become the file's."""
    declarations = source.facts.declarations
    if len(declarations) <= _MOST_DECLARATIONS:
        return source
    if source.declarations:
        declarations = decode_declarations(source.declarations).declarations
    kept = tuple(
        replace(item, parent=MODULE) if item.parent >= _MOST_DECLARATIONS else item
        for item in declarations[:_MOST_DECLARATIONS]
    )
    linked = source.linked

    def holder(number: int) -> int:
        return number if number < _MOST_DECLARATIONS else FILE

    bounded = replace(
        linked,
        symbols=[item for item in linked.symbols if item.declaration < _MOST_DECLARATIONS],
        edges=[item._replace(source=holder(item.source)) for item in linked.edges],
        external=[item._replace(source=holder(item.source)) for item in linked.external],
        unresolved=[item._replace(source=holder(item.source)) for item in linked.unresolved],
    )
    return LinkedSource(bounded, replace(source.facts, declarations=kept), source.last_line)


def _spans(source: LinkedSource) -> list[tuple[int, int]]:
    """First and last lines of the file and of its declarations."""
    declared = [(item.start_line, item.end_line) for item in source.facts.declarations]
    last = max([source.last_line, 1, *(end for _, end in declared)])
    return [(1, last), *((first, max(first, end)) for first, end in declared)]


def _symbol_rows(source: LinkedSource) -> tuple[list[int], list[StoredSymbol]]:
    """The file and each declaration with its id; 0 where it is no symbol."""
    names = ["", *(item.name for item in source.facts.declarations)]
    rows: list[StoredSymbol | None] = [None] * len(names)
    ids = [0] * len(rows)
    for symbol in source.linked.symbols:
        row = symbol.declaration + 1
        if ids[row]:
            continue
        flags = PUBLIC * symbol.is_public_api + PRIMARY * symbol.is_primary
        name = names[row] or _file_name(symbol.qualified_name, source.linked.path)
        ids[row] = symbol.id
        rows[row] = StoredSymbol(symbol.qualified_name, name, symbol.node_type, flags)
    pairs = zip(rows, names, strict=True)
    return ids, [StoredSymbol(name=name) if row is None else row for row, name in pairs]


def _file_name(qualified_name: str, path: str) -> str:
    """The name of a file: its path or the name of its module."""
    by_path = qualified_name == path
    return path.rpartition("/")[2] if by_path else terms.last_name(qualified_name)


def _edges(linked: LinkedFile) -> list[GraphEdge]:
    """All edges by source and place, those to symbols outside among them; the surest of equals."""
    best: dict[tuple[int, int, int, int, int], int] = {}
    for edge in (*linked.edges, *_external_edges(linked)):
        key = edge.source + 1, edge.line, edge.column, edge.type, edge.target
        best[key] = min(best.get(key, edge.strategy), edge.strategy)
    return [
        GraphEdge(source, target, kind, strategy, line, column)
        for (source, line, column, kind, target), strategy in sorted(best.items())
    ]


def _external_edges(linked: LinkedFile) -> Iterable[GraphEdge]:
    for use in linked.external:
        target = external_id(use.name)
        yield GraphEdge(use.source, target, use.type, Strategy.IMPORT, use.line, use.column)
