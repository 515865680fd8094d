"""Turns documents in memory into the sorted columns of a segment.

Tokens lie in the order of chunk and position already, so inverting is one stable radix sort by the
rank of their words, and a word is compared as text once a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np

from index_format.bits import I64, U32, exclusive_sum
from index_format.errors import InvalidInputError
from index_format.fingerprints import FINGERPRINT_BYTES, FileColumns
from index_format.lengths import length_codes
from index_format.model import Document, Schema, Tokens, Vocabulary
from index_format.postings import Batch
from index_format.segment_writer import ChunkColumns, SegmentContent, TermSlice

# postings handed to the writer at once; bounds the memory that encoding takes
SLICE_POSTINGS: Final = 1 << 16
_EMPTY: Final = np.zeros(0, dtype=np.uint32)


def invert(documents: Sequence[Document], schema: Schema, vocabulary: Vocabulary) -> SegmentContent:
    """Columns of a segment that holds these documents; paths differ."""
    ordered = sorted(documents, key=lambda document: encode_path(document.path))
    fields = [
        [chunk.fields.get(field.name) for document in ordered for chunk in document.chunks]
        for field in schema.fields
    ]
    lengths = [_token_counts(column) for column in fields]
    chunks = [chunk for document in ordered for chunk in document.chunks]
    columns = ChunkColumns(
        np.array([chunk.start_line for chunk in chunks], dtype=np.uint32),
        np.array([chunk.end_line for chunk in chunks], dtype=np.uint32),
        np.array([chunk.chunk_id for chunk in chunks], dtype=np.uint64),
        [length_codes(counts) for counts in lengths],
    )

    def slices(number: int) -> Callable[[], Iterator[TermSlice]]:
        stored = schema.fields[number].positions
        return lambda: _slices(fields[number], vocabulary, stored=stored)

    kinds = sorted({k for document in ordered for k, data in document.attachments.items() if data})
    return SegmentContent(
        _file_columns(ordered, lengths),
        columns,
        [slices(number) for number in range(len(schema.fields))],
        {kind: _attached(ordered, kind) for kind in kinds},
    )


def encode_path(path: str) -> bytes:
    """A path's bytes: what files are sorted by."""
    return path.encode("utf-8", "surrogatepass")


def _attached(documents: Sequence[Document], kind: str) -> Callable[[], Iterator[bytes]]:
    return lambda: (document.attachments.get(kind, b"") for document in documents)


def _token_counts(column: Sequence[Tokens | None]) -> I64:
    return np.array([0 if item is None else len(item.words) for item in column], dtype=np.int64)


def _file_columns(documents: Sequence[Document], lengths: Sequence[I64]) -> FileColumns:
    counts = np.array([len(document.chunks) for document in documents], dtype=np.int64)
    edges = exclusive_sum(counts)
    totals = np.zeros((len(lengths), len(documents)), dtype=np.uint32)
    for number, column in enumerate(lengths):
        running = exclusive_sum(column)
        totals[number] = np.diff(running[edges])
    return FileColumns(
        [encode_path(document.path) for document in documents],
        [document.fingerprint for document in documents],
        np.array([document.size for document in documents], dtype=np.uint64),
        counts,
        totals,
    )


def check(document: Document, schema: Schema, vocabulary: Vocabulary) -> int:
    """Count of the document's tokens; refuses what could not be stored."""
    if not document.path or len(document.fingerprint) != FINGERPRINT_BYTES:
        msg = f"{document.path!r}: a document has a path and a fingerprint of 16 bytes"
        raise InvalidInputError(msg)
    if not 0 <= document.size < 1 << 63:
        msg = f"{document.path}: a size is from 0 to 2**63, not {document.size}"
        raise InvalidInputError(msg)
    known = {field.name for field in schema.fields}
    total = 0
    for chunk in document.chunks:
        lines = chunk.end_line - chunk.start_line
        numbers = (chunk.start_line, chunk.end_line, lines, chunk.chunk_id >> 32)
        if not set(chunk.fields) <= known or not all(0 <= n < 1 << 32 for n in numbers):
            fields = f"fields of {known}"
            msg = f"{document.path}: a chunk has ascending lines, an id below 2**64, {fields}"
            raise InvalidInputError(msg)
        for tokens in chunk.fields.values():
            _check_tokens(tokens, document.path, len(vocabulary))
            total += len(tokens.words)
    return total


def _check_tokens(tokens: Tokens, path: str, words: int) -> None:
    if len(tokens.words) and int(tokens.words.max()) >= words:
        msg = f"{path}: a word number beyond the vocabulary's {words}"
        raise InvalidInputError(msg)
    if tokens.positions is None:
        return
    steps = np.diff(tokens.positions.astype(np.int64))
    if len(tokens.positions) != len(tokens.words) or (steps < 0).any():
        msg = f"{path}: positions are as many as words and do not descend"
        raise InvalidInputError(msg)


def _slices(
    column: Sequence[Tokens | None], vocabulary: Vocabulary, *, stored: bool
) -> Iterator[TermSlice]:
    words = _joined([_EMPTY if item is None else item.words for item in column])
    if not len(words):
        return
    used = np.flatnonzero(np.bincount(words, minlength=len(vocabulary)))
    terms = sorted(used.tolist(), key=vocabulary.words.__getitem__)
    rank = np.zeros(len(vocabulary), dtype=np.uint32)
    rank[terms] = np.arange(len(terms), dtype=np.uint32)
    places = _positions(column) if stored else np.zeros(len(words), dtype=np.uint32)
    chunks = np.repeat(np.arange(len(column), dtype=np.uint32), _token_counts(column))
    order = _stable_order(rank[words])
    ranks, chunks, places = rank[words[order]], chunks[order], places[order]
    new = np.ones(len(ranks), dtype=bool)
    new[1:] = (ranks[1:] != ranks[:-1]) | (chunks[1:] != chunks[:-1])
    first = np.flatnonzero(new)
    frequencies = np.diff(first, append=len(ranks)).astype(np.uint32)
    counts = np.bincount(ranks[first], minlength=len(terms))
    texts = [vocabulary.words[word] for word in terms]
    batch = Batch(counts, chunks[first], frequencies)
    yield from cut(TermSlice(texts, batch, places if stored else None))


def cut(whole: TermSlice) -> Iterator[TermSlice]:
    """Slices of bounded size, each of at least one term."""
    edges = exclusive_sum(whole.batch.counts)
    token_edges = exclusive_sum(whole.batch.frequencies)
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
        places = whole.positions
        if places is not None:
            places = places[int(token_edges[a]) : int(token_edges[b])]
        yield TermSlice(whole.terms[begin:end], batch, places)
        begin = end


def _joined(parts: Sequence[U32]) -> U32:
    return np.concatenate(parts) if parts else _EMPTY


def _positions(column: Sequence[Tokens | None]) -> U32:
    parts: list[U32] = []
    for item in column:
        if item is None:
            continue
        if item.positions is None:
            parts.append(np.arange(len(item.words), dtype=np.uint32))
        else:
            parts.append(item.positions)
    return _joined(parts)


def _stable_order(ranks: U32) -> I64:
    """The order that sorts ranks and keeps equals as they stand: radix, 16 bits at a time."""
    order = np.argsort((ranks & 0xFFFF).astype(np.uint16), kind="stable")
    high = (ranks >> 16).astype(np.uint16)
    if high.any():
        order = order[np.argsort(high[order], kind="stable")]
    return order
