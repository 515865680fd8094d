"""Terms that begin with given bytes, or contain them: their texts and chunks, and the frequent."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from typing import Final

import numpy as np

from index_format.codec.bits import I64, U32
from index_format.codec.terms import TermDictionary, TermPage
from index_format.generation.shard import BySegment
from index_format.generation.snapshot import LiveSegment, SegmentPostings, Snapshot
from index_format.query.term_scores import TermCounts
from index_format.query.term_search import terms_holding
from index_format.query.term_view import decode_chunks
from index_format.segment.reader import SegmentReader

# dictionary pages that are decoded together
_PAGES_AT_ONCE: Final = 512
# a term may be frequent in all segments together that is not in one of them
_SPARE: Final = 4


def list_prefix_terms(
    snapshot: Snapshot, field: int, prefix: bytes
) -> Iterator[tuple[list[bytes], I64]]:
    """Terms in byte order with their counts of chunks, by the thousand, segment after segment.

    A term comes once for each segment that holds it; chunks of dead files count, too.
    """
    if snapshot.is_distributed:
        for found in snapshot.ask(PrefixTerms(field, (prefix,))).values():
            yield from found[prefix]
        return
    for segment in snapshot.segments:
        yield from _terms_of_segment(segment, field, prefix)


class PrefixTerms(BySegment[dict[bytes, list[tuple[list[bytes], I64]]]]):
    """The result of `list_prefix_terms` for a segment, for several prefixes."""

    def __init__(self, field: int, prefixes: tuple[bytes, ...]) -> None:
        self._field = field
        self._prefixes = prefixes

    def of_segment(self, segment: LiveSegment) -> dict[bytes, list[tuple[list[bytes], I64]]]:
        """The terms of each prefix, with their chunks."""
        return {
            prefix: list(_terms_of_segment(segment, self._field, prefix))
            for prefix in self._prefixes
        }


def _terms_of_segment(
    segment: LiveSegment, field: int, prefix: bytes
) -> Iterator[tuple[list[bytes], I64]]:
    for page in pages_with_prefix(segment.reader.field(field).terms, prefix):
        yield page.terms, page.chunks


def list_prefix_chunks(snapshot: Snapshot, field: int, prefix: bytes) -> Iterator[I64]:
    """Chunks that hold such a term, in any order, some of them often; dead ones too."""
    for segment in snapshot.segments:
        for chunks in chunks_of_segment(segment, field, prefix, is_prefix=True):
            yield chunks + segment.base


def chunks_of_segment(
    segment: LiveSegment, field: int, text: bytes, *, is_prefix: bool
) -> Iterator[I64]:
    """The chunks of a segment that hold a term, or one that begins so, by their numbers in it."""
    reader = segment.reader.field(field)
    if is_prefix:
        for page in pages_with_prefix(reader.terms, text):
            yield reader.lists.batch(page).chunks.astype(np.int64)
        return
    postings = reader.find(text)
    if postings is not None:
        yield decode_chunks([SegmentPostings(segment, postings)]) - segment.base


def list_prefix_postings(
    snapshot: Snapshot, field: int, prefix: bytes
) -> Iterator[tuple[list[bytes], I64, I64, U32]]:
    """Terms in byte order, how many chunks each has, their chunks and frequencies.

    By the thousand, segment after segment; chunks of dead files too.
    """
    for segment in snapshot.segments:
        reader = segment.reader.field(field)
        for page in pages_with_prefix(reader.terms, prefix):
            batch = reader.lists.batch(page)
            chunks = batch.chunks.astype(np.int64) + segment.base
            yield page.terms, page.chunks, chunks, batch.frequencies


def list_segment_postings(
    reader: SegmentReader, field: int
) -> Iterator[tuple[list[bytes], I64, U32, U32]]:
    """All terms of a segment in byte order, with the same; chunks by their numbers in it."""
    found = reader.field(field)
    for first in range(0, found.terms.page_count, _PAGES_AT_ONCE):
        page = found.terms.span(first, min(first + _PAGES_AT_ONCE, found.terms.page_count))
        batch = found.lists.batch(page)
        yield page.terms, page.chunks, batch.chunks, batch.frequencies


def frequent_prefix_terms(snapshot: Snapshot, field: int, prefix: bytes, limit: int) -> list[bytes]:
    """The terms that most live chunks hold, at most `limit`; of equal ones the first in order."""
    candidates: set[bytes] = set()
    for terms, chunks in list_prefix_terms(snapshot, field, prefix):
        first = np.argsort(-chunks, kind="stable")[: limit * _SPARE].tolist()
        candidates.update(terms[at] for at in first)
    named = tuple((field, term) for term in candidates)
    counts = snapshot.ask(TermCounts(named)) if named else ()
    counted = ((-count, term) for count, (_, term) in zip(counts, named, strict=True))
    return [term for _, term in sorted(item for item in counted if item[0])[:limit]]


def pages_with_prefix(terms: TermDictionary, prefix: bytes) -> Iterator[TermPage]:
    """The terms as pages of any size; none of them is empty."""
    end = prefix[:-1] + bytes([prefix[-1] + 1])  # no byte of UTF-8 is the last there is
    first, last = terms.pages_between(prefix, end)
    for at in range(first, last, _PAGES_AT_ONCE):
        page = terms.span(at, min(at + _PAGES_AT_ONCE, last))
        part = page.part(bisect_left(page.terms, prefix), bisect_left(page.terms, end))
        if part.terms:
            yield part


def list_containing_terms(
    snapshot: Snapshot, field: int, text: bytes, most: int
) -> Iterator[tuple[bytes, int]]:
    """Terms in byte order with their counts of chunks, segment after segment.

    Of each segment, the first `most` that hold the text; a term comes once for each segment that
    holds it, and chunks of dead files count, too.
    """
    for found in snapshot.ask(ContainingTerms(field, text, most)).values():
        yield from found


class ContainingTerms(BySegment[list[tuple[bytes, int]]]):
    """The result of `list_containing_terms` for a segment."""

    def __init__(self, field: int, text: bytes, most: int) -> None:
        self._field = field
        self._text = text
        self._most = most

    def of_segment(self, segment: LiveSegment) -> list[tuple[bytes, int]]:
        """Terms and their counts of chunks."""
        terms = segment.reader.field(self._field).terms
        found = list(islice(terms_holding(terms, self._text), self._most))
        if not found:
            return []
        chunks = terms.columns(np.array([number for number, _ in found], np.int64))[0]
        return list(zip((term for _, term in found), chunks.tolist(), strict=True))
