"""Inverts documents in memory: from words per chunk to sorted terms with postings.

A word is compared as text once a batch; after that it is its rank among the words of its field.
Entries come in the order of their chunks, and of their positions within one: so inverting is one
stable radix sort by rank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from index_format.codec.bits import I64, U32, exclusive_sum, steps
from index_format.codec.chunks import length_codes
from index_format.codec.fingerprints import FINGERPRINT_BYTES, FileColumns
from index_format.codec.postings import Batch
from index_format.errors import InvalidInputError
from index_format.model import Chunk, Document, Schema, Vocabulary
from index_format.segment.term_order import rank_words
from index_format.segment.token_columns import TokenColumn, make_column, refuse
from index_format.segment.writer import ChunkColumns, SegmentContent, TermSlice

if TYPE_CHECKING:
    import numpy.typing as npt

# postings per slice for the writer; bounds the memory of encoding
SLICE_POSTINGS: Final = 1 << 16
_BYTE: Final = 0xFF


def invert(documents: Sequence[Document], schema: Schema, vocabulary: Vocabulary) -> SegmentContent:
    """Columns of a segment that holds these documents, which are checked; paths differ."""
    ordered = sorted(documents, key=lambda document: encode_path(document.path))
    chunks = [chunk for document in ordered for chunk in document.chunks]
    fields = _columns(ordered, schema)
    if not _are_sound(ordered, chunks, fields, len(vocabulary)):
        for document in ordered:
            check_document(document, schema, vocabulary)
    lengths = [column.occurrences() for column in fields]
    columns = ChunkColumns(
        np.array([chunk.start_line for chunk in chunks], dtype=np.uint32),
        np.array([chunk.end_line for chunk in chunks], dtype=np.uint32),
        np.array([chunk.chunk_id for chunk in chunks], dtype=np.uint64),
        [length_codes(counts) for counts in lengths],
    )

    def slices(number: int) -> Callable[[], Iterator[TermSlice]]:
        return lambda: _slices(fields[number], vocabulary)

    kinds = sorted({k for document in ordered for k, data in document.attachments.items() if data})
    return SegmentContent(
        _file_columns(ordered, lengths),
        columns,
        [slices(number) for number in range(len(schema.fields))],
        {kind: _read_attachments(ordered, kind) for kind in kinds},
    )


def encode_path(path: str) -> bytes:
    """A path's bytes, by which files are sorted."""
    return path.encode("utf-8", "surrogatepass")


def check_document(document: Document, schema: Schema, vocabulary: Vocabulary) -> int:
    """Count of the document's entries; refuses a document that can't be stored."""
    if not document.path or len(document.fingerprint) != FINGERPRINT_BYTES:
        msg = f"{document.path!r}: a document must have a path and a fingerprint of 16 bytes"
        raise InvalidInputError(msg)
    if not 0 <= document.size < 1 << 63:
        msg = f"{document.path}: a size is from 0 to 2**63, not {document.size}"
        raise InvalidInputError(msg)
    known = {field.name for field in schema.fields}
    for name, given in document.columns.items():
        if name not in known or len(given.counts) != len(document.chunks):
            msg = (
                f"{document.path}: {name!r}: a column has a known field and a count for each chunk"
            )
            raise InvalidInputError(msg)
        if any(name in chunk.fields for chunk in document.chunks):
            msg = f"{document.path}: {name!r}: a field is in a column or in chunks"
            raise InvalidInputError(msg)
    for chunk in document.chunks:
        lines = chunk.end_line - chunk.start_line
        numbers = (chunk.start_line, chunk.end_line, lines, chunk.chunk_id >> 32)
        if not known.issuperset(chunk.fields) or not 0 <= min(numbers) <= max(numbers) < 1 << 32:
            fields = f"fields of {known}"
            msg = f"{document.path}: a chunk has ascending lines, an id below 2**64, {fields}"
            raise InvalidInputError(msg)
    columns = _columns([document], schema)
    for column in columns:
        refuse(document.path, column, len(vocabulary))
    return sum(int(column.counts.sum()) for column in columns)


def _columns(documents: Sequence[Document], schema: Schema) -> list[TokenColumn]:
    return [make_column(field.name, documents, stored=field.positions) for field in schema.fields]


def _are_sound(
    documents: Sequence[Document],
    chunks: Sequence[Chunk],
    fields: Sequence[TokenColumn],
    words: int,
) -> bool:
    """True if all can surely be stored; if not, `check_document` finds the reason."""
    try:
        starts = np.array([chunk.start_line for chunk in chunks], dtype=np.int64)
        ends = np.array([chunk.end_line for chunk in chunks], dtype=np.int64)
        np.array([chunk.chunk_id for chunk in chunks], dtype=np.uint64)
        sizes = np.array([document.size for document in documents], dtype=np.int64)
    except OverflowError:
        return False
    return (
        bool((starts >= 0).all() and (starts <= ends).all() and (ends < 1 << 32).all())
        and bool((sizes >= 0).all())
        and {len(document.fingerprint) for document in documents} == {FINGERPRINT_BYTES}
        and all(document.path for document in documents)
        and all(
            len(column.counts) == len(document.chunks)
            for document in documents
            for column in document.columns.values()
        )
        and sum(len(chunk.fields) for chunk in chunks)
        + sum(len(document.columns) for document in documents)
        == sum(len(item.items) for item in fields)
        and not any(column.problem(words) for column in fields)
    )


def _read_attachments(documents: Sequence[Document], kind: str) -> Callable[[], Iterator[bytes]]:
    return lambda: (document.attachments.get(kind, b"") for document in documents)


def _file_columns(documents: Sequence[Document], lengths: Sequence[I64]) -> FileColumns:
    counts = np.array([len(document.chunks) for document in documents], dtype=np.int64)
    edges = exclusive_sum(counts)
    totals = np.zeros((len(lengths), len(documents)), dtype=np.uint32)
    for number, column in enumerate(lengths):
        running = exclusive_sum(column)
        totals[number] = steps(running[edges])
    return FileColumns(
        [encode_path(document.path) for document in documents],
        [document.fingerprint for document in documents],
        np.array([document.size for document in documents], dtype=np.uint64),
        counts,
        totals,
    )


def _slices(column: TokenColumn, vocabulary: Vocabulary) -> Iterator[TermSlice]:
    words = column.words
    if not len(words):
        return
    try:
        terms, ranks = rank_words(vocabulary.words, words)
    except ValueError as error:
        raise InvalidInputError(*error.args) from None
    if column.stored:
        batch, places = _locate_words(ranks, column.edges, column.positions())
        yield from cut_slices(TermSlice(terms, batch, places))
    else:
        batch = _count_words(ranks, column.edges, column.frequencies())
        yield from cut_slices(TermSlice(terms, batch, None))


def _count_words(ranks: U32, edges: I64, frequencies: U32) -> Batch:
    """Postings of words with counts; `edges` are those of the chunks."""
    counts, chunks, frequencies = _in_order(ranks, edges, frequencies)
    new = _begins(counts, chunks)
    if new.all():
        return Batch(counts, chunks, frequencies)
    first = new.nonzero()[0]
    sums = steps(exclusive_sum(frequencies)[np.concatenate([first, [len(new)]])])
    return Batch(_count_each(new, counts), chunks[first], sums.astype(np.uint32))


def _locate_words(ranks: U32, edges: I64, places: U32) -> tuple[Batch, U32]:
    """Postings with positions, which ascend in each chunk."""
    counts, chunks, places = _in_order(ranks, edges, places)
    new = _begins(counts, chunks)
    first = new.nonzero()[0]
    frequencies = steps(np.concatenate([first, [len(new)]])).astype(np.uint32)
    return Batch(_count_each(new, counts), chunks[first], frequencies), places


def _in_order(ranks: U32, edges: I64, values: U32) -> tuple[I64, U32, U32]:
    """Entries of each term, and their chunks and values by term, chunk and place."""
    chunks = np.repeat(np.arange(len(edges) - 1, dtype=np.uint32), steps(edges))
    order = _stable_order(ranks)
    return np.bincount(ranks), chunks[order], values[order]


def _begins(counts: I64, chunks: U32) -> npt.NDArray[np.bool_]:
    """A mask of new terms and chunks; `counts` are the entries of each term, none is 0."""
    new = np.empty(len(chunks), dtype=np.bool_)
    np.not_equal(chunks[1:], chunks[:-1], out=new[1:])
    new[exclusive_sum(counts)[:-1]] = True
    return new


def _count_each(new: npt.NDArray[np.bool_], counts: I64) -> I64:
    """The number of each term's entries that begin a new run."""
    return steps(exclusive_sum(new.view(np.uint8))[exclusive_sum(counts)])


def _stable_order(ranks: U32) -> I64:
    """The order of a stable sort of ranks: radix, low bits first."""
    order = np.argsort((ranks & 0xFFFF).astype(np.uint16), kind="stable")
    high = ranks >> 16
    most = int(high.max(initial=0))
    if most:
        digits = high.astype(np.uint8 if most <= _BYTE else np.uint16)
        order = order[np.argsort(digits[order], kind="stable")]
    return order


def cut_slices(whole: TermSlice) -> Iterator[TermSlice]:
    """Slices of bounded size, each of at least one term."""
    edges = exclusive_sum(whole.batch.counts)
    places = whole.positions
    token_edges = None if places is None else exclusive_sum(whole.batch.frequencies)
    begin = 0
    while begin < len(whole.terms):
        limit = int(edges[begin]) + SLICE_POSTINGS
        end = max(begin + 1, int(np.searchsorted(edges, limit, side="right")) - 1)
        a, b = int(edges[begin]), int(edges[end])
        batch = Batch(
            whole.batch.counts[begin:end],
            whole.batch.chunks[a:b],
            whole.batch.frequencies[a:b],
        )
        part = None
        if places is not None and token_edges is not None:
            part = places[int(token_edges[a]) : int(token_edges[b])]
        yield TermSlice(whole.terms[begin:end], batch, part)
        begin = end
