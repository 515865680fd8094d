"""Makes the index's documents: chunks with counted terms, and the file's facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from code_graph import PROSE, language_named
from code_graph.facts import (
    MODULE,
    DeclarationColumns,
    Facts,
    columns_of,
    encode,
    normalize_name,
)
from code_graph.store.schema import FACTS
from index_format import Chunk, Document, Tokens, Vocabulary
from index_format.analysis.counting import Analyser, CountedText
from index_format.records import Record, replace
from index_format.tuples import NamedTuple
from repo_mcp.indexing.build.chunking import ChunkIds, Span, chunk_spans
from repo_mcp.model import Windows
from repo_mcp.stored import BODY, DOC, NAME, PAIR, PATH, SYMBOL, SYMBOL_ROWS, VECTORS, WORDS_ONLY
from repo_mcp.vectors import symbol_rows
from repo_mcp.vectors.embedder import ChunkText, Embedder, count_paths

if TYPE_CHECKING:
    import numpy.typing as npt

_LINE_FEED: Final = 10
# kinds that queries name half as often as functions and types: their names are counted once
_MINOR_KINDS: Final = frozenset(
    {"case", "constant", "enumerator", "event", "extension", "field", "getter", "impl", "import"}
    | {"member", "module", "namespace", "object", "package", "property", "prototype", "section"}
    | {"setter", "using", "variable"}
)
# files named for their folder
_FOLDER_FILES: Final = frozenset({"__init__", "index", "lib", "mod"})
_FUNCTIONS: Final = frozenset({"function", "method", "constructor"})
_PACKAGE: Final = "package"

Piece = str | bytes
I64: TypeAlias = "npt.NDArray[np.int64]"


class TextFile(Record):
    """A text file that was read; without facts it is cut into windows and has no symbols."""

    path: str
    text: str
    fingerprint: bytes
    size: int
    facts: Facts | None = None


def make_documents(
    sources: Sequence[TextFile],
    windows: Windows,
    analyser: Analyser,
    vocabulary: Vocabulary,
    embedder: Embedder | None = None,
    *,
    words_only: bool = False,
) -> list[Document]:
    """One document for each source; a batch takes less time than single calls.

    With an embedder, documents have the vectors of their chunks, and rows of their declarations.
    With `words_only` they have neither these nor pairs, and a mark that says so.
    """
    cut = [_CutSource(source, windows) for source in sources]
    pieces: list[Piece] = []
    for item in cut:
        pieces += item.pieces()
    counted = iter(analyser.count_texts(pieces, vocabulary))
    if words_only:
        return [item.document(counted, None) for item in cut]
    pairs = iter(analyser.count_pairs([item.stretches() for item in cut], vocabulary))
    made = [item.document(counted, pairs) for item in cut]
    if embedder is not None:
        ends = count_paths([source.path for source in sources], analyser, vocabulary)
        texts = [text for item, end in zip(cut, ends, strict=True) for text in item.texts(end)]
        vectors = iter(embedder.embed(texts, vocabulary))
        declared = [[*item.declared()] for item in cut]
        rows = iter(_declared_rows([*chain(*declared)], analyser, vocabulary, embedder))
        made = [
            _with_vectors(document, vectors, b"".join(islice(rows, len(own))))
            for document, own in zip(made, declared, strict=True)
        ]
    return made


def _with_vectors(document: Document, vectors: Iterator[bytes], rows: bytes) -> Document:
    attached = {**document.attachments, VECTORS: b"".join(islice(vectors, len(document.chunks)))}
    if rows:
        attached[SYMBOL_ROWS] = rows
    return replace(document, attachments=attached)


def _declared_rows(
    declared: Sequence[_DeclaredText],
    analyser: Analyser,
    vocabulary: Vocabulary,
    embedder: Embedder,
) -> list[bytes]:
    """A row for each declaration."""
    pieces = [piece for item in declared for piece in (item.text, item.name)]
    counted = iter(analyser.count_texts(pieces, vocabulary))
    given = [ChunkText(item.text, "", (next(counted), next(counted))) for item in declared]
    vectors = embedder.embed_declarations(given, vocabulary)
    return [
        symbol_rows.row(vector, item.text, *item.span)
        for vector, item in zip(vectors, declared, strict=True)
    ]


class _DeclaredText(NamedTuple):
    """A declaration that has a row: its text, its name, which counts once more, and its lines."""

    text: Piece
    name: Piece
    span: Span


class _CutSource:
    """A source with its chunks."""

    def __init__(self, source: TextFile, windows: Windows) -> None:
        self._source = source
        body: Piece = source.text.encode("ascii") if source.text.isascii() else source.text
        lines = _Lines(body)
        cuts = source.facts.cuts if source.facts is not None else ()
        self._lines = lines
        self._spans = chunk_spans(lines.count, cuts, windows)
        self._bodies = [lines.between(first, last) for first, last in self._spans]

    def pieces(self) -> Iterator[Piece]:
        """The path, the name, then each chunk's body, and its symbols and docs if it has any."""
        path = self._source.path
        yield path
        yield path.rpartition("/")[2]
        yield from self._bodies
        self._symbols_and_docs = _symbols_and_docs(self._source, self._spans)
        for symbols, docs in self._symbols_and_docs.values():
            yield symbols
            yield docs

    def stretches(self) -> tuple[Piece, I64]:
        """The text, and where in it each chunk begins and ends."""
        return self._lines.text, self._lines.edges(self._spans)

    def document(self, counted: Iterator[CountedText], pairs: Iterator[Tokens] | None) -> Document:
        """Builds the document from the counts of `pieces` and `stretches`, in the same order.

        Without `pairs` it is marked as one of words only.
        """
        path, name = next(counted).tokens, next(counted).tokens
        self._counted = [next(counted) for _ in self._spans]
        fields = [{BODY: body.tokens, PATH: path, NAME: name} for body in self._counted]
        if pairs is not None:
            for field, found in zip(fields, islice(pairs, len(fields)), strict=True):
                if len(found.words):
                    field[PAIR] = found
        for at in self._symbols_and_docs:
            fields[at].update({SYMBOL: next(counted).tokens, DOC: next(counted).tokens})
        source = self._source
        ids = ChunkIds(source.path)
        chunks = [
            Chunk(first, last, field, ids.next(_encode(body)))
            for (first, last), field, body in zip(self._spans, fields, self._bodies, strict=True)
        ]
        attached = {} if source.facts is None else {FACTS: encode(source.facts)}
        if pairs is None:
            attached[WORDS_ONLY] = b"\1"
        return Document(source.path, chunks, source.fingerprint, source.size, attached)

    def declared(self) -> Iterator[_DeclaredText]:
        """The declarations that have rows."""
        facts = self._source.facts
        if facts is None or facts.language in PROSE:
            return
        columns = columns_of(facts.declarations)
        named = [
            (name, (first, last))
            for name, first, last in zip(
                columns.names, columns.start_lines, columns.end_lines, strict=True
            )
            if symbol_rows.has_row(first, last)
        ]
        texts = (
            symbol_rows.cut_text(self._lines.within(first, symbol_rows.last_line(first, last)))
            for _, (first, last) in named
        )
        bounded = symbol_rows.bounded(texts, len(self._source.text))
        for text, (name, span) in zip(bounded, named, strict=False):
            yield _DeclaredText(text, name, span)

    def texts(self, path_end: CountedText) -> Iterator[ChunkText]:
        """The chunks to embed, once there is a document."""
        for text, counted in zip(self._bodies, self._counted, strict=True):
            yield ChunkText(text, self._source.path, (counted, path_end))


def _symbols_and_docs(source: TextFile, chunks: Sequence[Span]) -> dict[int, tuple[str, str]]:
    """Names declared in each chunk and their docs, by chunk number.

    Where chunks overlap, a declaration belongs to the last one in which it begins.
    """
    found: dict[int, tuple[list[str], list[str]]] = {}
    facts = source.facts
    if facts is None or not facts.declarations or not chunks:
        return {}
    columns = columns_of(facts.declarations)
    module = _module(source.path, facts.language, columns)
    starts = [first for first, _ in chunks]
    places = np.searchsorted(starts, columns.start_lines, side="right").tolist()
    for place, group in groupby(range(len(places)), key=places.__getitem__):
        numbers = [*group]
        names, docs = found.setdefault(max(place - 1, 0), ([], []))
        names += _words(columns, numbers[0], numbers[-1] + 1, module)
        docs += filter(None, columns.docs[numbers[0] : numbers[-1] + 1])
    return {at: ("\n".join(names), "\n".join(docs)) for at, (names, docs) in sorted(found.items())}


def _words(columns: DeclarationColumns, begin: int, end: int, module: str) -> Iterator[str]:
    """The names of some declarations, more often of those that queries name more often.

    The words of a name are joined, too, so that naming styles match: `parse_header` is found by
    parseHeader, and the other way round.
    """
    names, traits, parents = columns.names, columns.traits, columns.parents
    major = [at for at in range(begin, end) if traits[at][0] not in _MINOR_KINDS]
    words = [*names[begin:end], *map(names.__getitem__, major)]
    yield from words
    joined = [word for word in words if "_" in word.strip("_") or "." in word]
    for at in major:
        parent = parents[at]
        if parent == MODULE:
            qualifier = module
        else:
            qualifier = "" if traits[parent][0] in _FUNCTIONS else names[parent]
        if qualifier:
            joined.append(qualifier + names[at])
    yield normalize_name("\n".join(joined).replace(".", ""))


def _module(path: str, language: str, columns: DeclarationColumns) -> str:
    """The module name that qualifies a file's functions elsewhere, or ""."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    row = language_named(language)
    if row.qualifies_by_package:
        named = zip(columns.traits, columns.names, strict=True)
        return next((name for traits, name in named if traits[0] == _PACKAGE), "")
    if row.qualifies_by_file and stem in _FOLDER_FILES:
        return folder.rpartition("/")[2]
    return stem if row.qualifies_by_file else ""


class _Lines:
    """The lines of a text, by the offsets of their ends."""

    def __init__(self, text: Piece) -> None:
        self.text = text
        if isinstance(text, bytes):
            ends = (np.frombuffer(text, dtype=np.uint8) == _LINE_FEED).nonzero()[0] + 1
        else:
            rows = text.split("\n")[:-1]
            ends = np.cumsum(np.fromiter(map(len, rows), dtype=np.int64, count=len(rows)) + 1)
        known = int(ends[-1]) if len(ends) else 0
        self._ends = ends if known == len(text) else np.concatenate([ends, [len(text)]])
        self.count = len(self._ends)

    def between(self, first: int, last: int) -> Piece:
        """The lines from `first` to `last` with their line feeds."""
        begin = int(self._ends[first - 2]) if first > 1 else 0
        return self.text[begin : int(self._ends[last - 1])]

    def edges(self, spans: Sequence[Span]) -> I64:
        """Offsets of stretches of lines: begin and end of each."""
        lines = np.array(spans, dtype=np.int64).reshape(-1, 2)
        ends = np.concatenate([[0], self._ends]).astype(np.int64)
        return np.stack([ends[lines[:, 0] - 1], ends[lines[:, 1]]], axis=1)

    def within(self, first: int, last: int) -> Piece:
        """The same of lines of which there may be fewer."""
        return self.between(min(first, self.count), min(last, self.count)) if self.count else ""


def _encode(piece: Piece) -> bytes:
    return piece if isinstance(piece, bytes) else piece.encode("utf-8", "surrogatepass")
