"""One generation of the graph, open for queries: symbols by id, name and file."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

import numpy as np

from code_graph.facts import Declaration, Facts, decode_declarations
from code_graph.language_table import naming
from code_graph.paths.path_kinds import is_test
from code_graph.query.id_postings import IdPostings, IdSearch
from code_graph.query.model import Symbol
from code_graph.recent import RecentValues
from code_graph.store.records import PRIMARY, PUBLIC, FileEdges, FileSymbols
from code_graph.store.schema import (
    DECLARATIONS,
    EDGES,
    EXACT_NAME,
    FACET,
    GRAPH_FIELDS,
    SYMBOL_ID,
    SYMBOLS,
    GraphProgress,
)
from code_graph.store.terms import INCOMPLETE, exact_term, kind_term, language_term
from index_format import Snapshot
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    import numpy.typing as npt

I64: TypeAlias = "npt.NDArray[np.int64]"
U32: TypeAlias = "npt.NDArray[np.uint32]"
U64: TypeAlias = "npt.NDArray[np.uint64]"
Mask: TypeAlias = "npt.NDArray[np.bool_]"

_Number = TypeVar("_Number", np.int64, np.uint64)

# rows of a file that declares something: the file is one
_WITH_DECLARATIONS: Final = 2
# files and symbols that are kept decoded
_FILES: Final = 256
_OUTLINES: Final = 128
_SYMBOLS: Final = 4096
_MASKS: Final = 16
# ids that are read one by one: to read those of a large graph takes as long as hundreds
_FEW_IDS: Final = 200
# files without all edges that are named
_MOST_NAMED: Final = 3
# parts of a symbol, or symbols of a name, that are looked at
MOST_PARTS: Final = 1000
_NONE: Final[I64] = np.zeros(0, dtype=np.int64)
_NO_COUNTS: Final[U32] = np.zeros(0, dtype=np.uint32)


def distinct(values: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
    """Each number once, ascending; `numpy.unique` would load masked arrays, which takes longer."""
    ordered = np.sort(values)
    new = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return ordered[new]


class GraphFile(NamedTuple):
    """A file, and the number of its first chunk in the snapshot; chunks follow its rows."""

    path: str
    first_chunk: int
    symbols: FileSymbols


class GraphSnapshot:
    """Answers questions about symbols; `edges`, `search` and others work on it."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Nothing is read yet."""
        self.snapshot = snapshot
        self.progress = GraphProgress.of(snapshot)
        self._files: RecentValues[int, GraphFile] = RecentValues(_FILES)
        self._edges: RecentValues[int, FileEdges] = RecentValues(_FILES)
        self._symbols: RecentValues[int, Symbol | None] = RecentValues(_SYMBOLS)
        self._outlines: RecentValues[str, Facts] = RecentValues(_OUTLINES)
        self._tests: RecentValues[int, bool] = RecentValues(_SYMBOLS)
        self._ids_in: dict[str, IdSearch] = {}
        self._outlined: RecentValues[str, Sequence[tuple[Symbol, Declaration | None]]]
        self._outlined = RecentValues(_OUTLINES)
        self._masks: RecentValues[bytes, Mask] = RecentValues(_MASKS)
        self._naming: RecentValues[str, Mask] = RecentValues(_MASKS)
        counts = (item.entry.files for item in snapshot.segments)
        self._first_files = [*accumulate(counts, initial=0)][:-1]

    @cached_property
    def ids(self) -> U64:
        """The symbol of each chunk; 0 for chunks without one and for dead files."""
        parts = [item.reader.chunks.all_ids() for item in self.snapshot.segments]
        ids = np.concatenate([np.zeros(0, dtype=np.uint64), *parts])
        ids[~self.alive] = 0
        return ids

    def ids_of(self, chunks: Sequence[int] | I64) -> list[int]:
        """The symbols of some chunks; a few are read alone until all are loaded."""
        if "ids" in vars(self) or len(chunks) > _FEW_IDS:
            ids: list[int] = self.ids[chunks].tolist()
            return ids
        return [self._id_at(int(chunk)) for chunk in chunks]

    def _ids_between(self, first: int, end: int) -> list[int]:
        """The symbols of the chunks of a file that is alive, `end` not included."""
        segment, begin = self.snapshot.segment_of(first)
        ids: list[int] = segment.reader.chunks.ids_between(begin, begin + end - first).tolist()
        return ids

    def _id_at(self, chunk: int) -> int:
        segment, own = self.snapshot.segment_of(chunk)
        if segment.dead_files and not self.alive[chunk]:
            return 0
        return segment.reader.chunks.chunk_id(own)

    @cached_property
    def file_ids(self) -> U64:
        """The symbols of all files, ascending."""
        return np.sort(self.ids[self.facet_mask(kind_term("file"))])

    @cached_property
    def by_id(self) -> I64:
        """All chunks, by their symbols' ids."""
        return np.argsort(self.ids, kind="stable")

    @cached_property
    def sorted_ids(self) -> U64:
        """The ids of all chunks, ascending."""
        return self.ids[self.by_id]

    @cached_property
    def alive(self) -> Mask:
        """By chunk, true if its file is alive."""
        alive = np.ones(self.snapshot.chunk_span, dtype=np.bool_)
        for segment in self.snapshot.segments:
            if segment.dead_files:
                alive[segment.dead_chunks + segment.base] = False
        return alive

    @cached_property
    def incomplete_files(self) -> int:
        """The number of files whose edges are incomplete."""
        return self.occurrences(FACET, INCOMPLETE)

    @cached_property
    def incomplete_paths(self) -> list[str]:
        """The first paths of such files, in order."""
        return sorted(self.all_incomplete)[:_MOST_NAMED]

    @cached_property
    def all_incomplete(self) -> frozenset[str]:
        """The paths of all such files."""
        chunks, _ = self.postings(FACET, INCOMPLETE)
        return frozenset(self.path_of(int(number)) for number in self.files_of(chunks))

    @cached_property
    def _has_dead(self) -> bool:
        return any(segment.dead_files for segment in self.snapshot.segments)

    def postings(self, field: str, term: bytes) -> tuple[I64, U32]:
        """Live chunks that hold a term, ascending, and how often."""
        found = self.snapshot.postings(GRAPH_FIELDS.index(field), term)
        if not found:
            return _NONE, _NO_COUNTS
        parts = [item.postings.all() for item in found]
        bases = [item.segment.base for item in found]
        chunks = [part[0].astype(np.int64) + base for part, base in zip(parts, bases, strict=True)]
        all_chunks = np.concatenate(chunks)
        counts = np.concatenate([part[1] for part in parts])
        if self._has_dead:
            alive = self.alive[all_chunks]
            return all_chunks[alive], counts[alive]
        return all_chunks, counts

    def holding(self, field: str, ids: U64, heads: bytes = b"") -> IdPostings:
        """Live chunks with the terms of some ids that begin with one of these bytes."""
        search = self._ids_in.get(field)
        if search is None:
            search = self._ids_in[field] = IdSearch(self.snapshot, GRAPH_FIELDS.index(field))
        found = search.find(ids, heads)
        if self._has_dead:
            alive = self.alive[found.chunks]
            return IdPostings(found.which[alive], found.chunks[alive], found.counts[alive])
        return found

    def facet_mask(self, facet: bytes) -> Mask:
        """By chunk, true if it has a facet; not to be changed."""
        return self._masks.get(facet, self._make_mask)

    def naming_mask(self, language: str) -> Mask:
        """By chunk, true if its code may use declarations of a language by their names."""
        return self._naming.get(language, self._make_naming_mask)

    def _make_naming_mask(self, language: str) -> Mask:
        mask = np.zeros(self.snapshot.chunk_span, dtype=np.bool_)
        for user in naming(language):
            mask[self.postings(FACET, language_term(user))[0]] = True
        return mask

    def _make_mask(self, facet: bytes) -> Mask:
        mask = np.zeros(self.snapshot.chunk_span, dtype=np.bool_)
        mask[self.postings(FACET, facet)[0]] = True
        return mask

    def occurrences(self, field: str, term: bytes) -> int:
        """The total number of a term's occurrences in live chunks."""
        snapshot = self.snapshot
        return snapshot.counts(snapshot.postings(GRAPH_FIELDS.index(field), term))[1]

    def file(self, number: int) -> GraphFile:
        """A file by its number."""
        return self._files.get(number, self._read_file)

    def edges(self, number: int) -> FileEdges:
        """The edges of a file by its number."""
        return self._edges.get(number, self._read_edges)

    def is_test(self, number: int) -> bool:
        """True for a file of tests, by its path."""
        return self._tests.get(number, lambda at: is_test(self.path_of(at)))

    def symbol(self, symbol_id: int) -> Symbol | None:
        """The primary part of a symbol; None if there is none here."""
        return self._symbols.get(symbol_id, self._find_symbol)

    def file_of(self, chunk: int) -> int:
        """The number of the file that holds a chunk."""
        return int(np.searchsorted(self.snapshot.file_starts, chunk, side="right")) - 1

    def files_of(self, chunks: I64) -> I64:
        """The numbers of the files that hold these chunks."""
        return np.searchsorted(self.snapshot.file_starts, chunks, side="right") - 1

    def in_path_order(self, items: I64, files: I64) -> I64:
        """Items, by the paths of their files, which ascend by number."""
        if not len(files) or self._segment_of(int(files[0])) == self._segment_of(int(files[-1])):
            return items
        paths = [self.path_of(file) for file in files.tolist()]
        return items[sorted(range(len(paths)), key=paths.__getitem__)]

    def parts(self, symbol_id: int) -> list[int]:
        """The chunks that make a symbol: primary ones first, each by path; not all of very many."""
        _, chunks, counts = self.holding(SYMBOL_ID, np.array([symbol_id], dtype=np.uint64))
        if len(chunks) > MOST_PARTS:
            first = np.sort(np.argsort(-counts.astype(np.int64), kind="stable")[:MOST_PARTS])
            chunks, counts = chunks[first], counts[first]
        found: list[tuple[int, int]] = [*zip(chunks.tolist(), counts.tolist(), strict=True)]
        if len(found) == 1:
            return [found[0][0]]
        keys = sorted((-count, self.snapshot.sort_key(chunk), chunk) for chunk, count in found)
        return [chunk for _, _, chunk in keys]

    def spans(self, symbol_id: int) -> list[Symbol]:
        """The parts of a symbol, primary ones first."""
        return [self.symbol_at(chunk) for chunk in self.parts(symbol_id)]

    def symbol_at(self, chunk: int) -> Symbol:
        """The symbol of a chunk."""
        number = self.file_of(chunk)
        file = self.file(number)
        return self._symbol(file, chunk - file.first_chunk)

    def module_of(self, symbol: Symbol) -> str:
        """The qualified name of the module or package that its file is."""
        file = self.file(self.file_of(symbol.chunk))
        return self._symbol(file, 0).qualified_name

    def lookup(
        self,
        qualified_name: str,
        limit: int,
        *,
        node_types: Collection[str] = (),
        languages: Collection[str] = (),
        projects: Collection[str] = (),
    ) -> list[Symbol]:
        """Symbols of exactly this qualified name by path; an empty filter permits all."""
        if not qualified_name:
            return []
        chunks, _ = self.postings(EXACT_NAME, exact_term(qualified_name))
        found: dict[int, Symbol] = {}
        files = self.files_of(chunks)
        different = distinct(files)
        for file in self.in_path_order(different, different).tolist():
            begin, end = np.searchsorted(files, [file, file + 1]).tolist()
            for chunk in chunks[begin:end].tolist():
                item = self.symbol_at(chunk)
                fits = (
                    item.qualified_name == qualified_name
                    and (not node_types or item.node_type in node_types)
                    and (not languages or item.language in languages)
                    and (not projects or item.project in projects)
                )
                if fits and (item.id not in found or item.is_primary > found[item.id].is_primary):
                    found[item.id] = item
            if len(found) >= limit:
                break
        return [*found.values()][:limit]

    def ids_in(self, path: str) -> list[int]:
        """The symbols of a file and its declarations; empty for an unknown file."""
        record = self.snapshot.file(path)
        if record is None:
            return []
        return self._ids_between(record.first_chunk, record.last_chunk)

    def outline(self, path: str) -> Sequence[tuple[Symbol, Declaration | None]]:
        """The file itself, then its declarations in order; empty for a file that is not linked."""
        return self._outlined.get(path, self._make_outline)

    def _make_outline(self, path: str) -> list[tuple[Symbol, Declaration | None]]:
        record = self.snapshot.file(path)
        if record is None:
            return []
        file = self.file(self.file_of(record.first_chunk))
        declared = () if len(file.symbols) < _WITH_DECLARATIONS else self.facts(path).declarations
        if not self._id_at(record.first_chunk) and not declared:
            return []  # it is to be linked again
        count = len(file.symbols)
        lines = self.snapshot.lines_between(file.first_chunk, file.first_chunk + count)
        ids = self._ids_between(file.first_chunk, file.first_chunk + count)
        symbols = [self._made(file, row, ids[row], *lines[row]) for row in range(count)]
        if not symbols[0].id:  # it could not be linked: its declarations have no symbols
            names = [path, *(item.name for item in declared)]
            symbols = [
                symbol._replace(name=name, qualified_name=name)
                for symbol, name in zip(symbols, names, strict=True)
            ]
        return list(zip(symbols, [None, *declared], strict=True))

    def declaration(self, symbol: Symbol) -> Declaration | None:
        """The stored declaration of a symbol; None for a file."""
        if symbol.declaration < 0:
            return None
        return self.facts(symbol.path).declarations[symbol.declaration]

    def is_linked(self, path: str) -> bool:
        """True if all edges of a file are here."""
        record = self.snapshot.file(path)
        return record is not None and not self.facet_mask(INCOMPLETE)[record.first_chunk]

    def facts(self, path: str) -> Facts:
        """The declarations and the parse status of a linked file."""
        return self._outlines.get(path, self._read_facts)

    def _read_facts(self, path: str) -> Facts:
        return decode_declarations(self.snapshot.attachment(path, DECLARATIONS))

    def _find_symbol(self, symbol_id: int) -> Symbol | None:
        parts = self.parts(symbol_id)
        return self.symbol_at(parts[0]) if parts else None

    def _symbol(self, file: GraphFile, row: int) -> Symbol:
        chunk = file.first_chunk + row
        return self._made(file, row, self.ids_of([chunk])[0], *self.snapshot.lines_of(chunk))

    def _made(self, file: GraphFile, row: int, number: int, first: int, last: int) -> Symbol:
        found = file.symbols.row(row)
        return Symbol(
            number,
            found.name,
            found.qualified_name,
            found.node_type,
            file.symbols.language,
            file.symbols.project,
            file.path,
            first,
            last,
            bool(found.flags & PUBLIC),
            bool(found.flags & PRIMARY),
            row - 1,
            file.first_chunk + row,
        )

    def _read_file(self, number: int) -> GraphFile:
        first = int(self.snapshot.file_starts[number])
        return GraphFile(
            self.path_of(number), first, FileSymbols(self._attachment(number, SYMBOLS))
        )

    def _read_edges(self, number: int) -> FileEdges:
        return FileEdges(self._attachment(number, EDGES))

    def _attachment(self, number: int, kind: str) -> bytes:
        segment = self._segment_of(number)
        reader = self.snapshot.segments[segment].reader
        return reader.attachments.get(number - self._first_files[segment], kind)

    def path_of(self, number: int) -> str:
        """The path of a file by its number."""
        segment = self._segment_of(number)
        paths = self.snapshot.segments[segment].reader.files.paths
        return paths.path(number - self._first_files[segment]).decode("utf-8", "surrogatepass")

    def _segment_of(self, number: int) -> int:
        return bisect_right(self._first_files, number) - 1
