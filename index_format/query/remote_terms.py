"""Prefetches the terms of a query together where segments are remote.

A query reads a group of a dictionary's pages, a page, what that says of a term, and its postings:
four reads one after another for each term, field and segment. Remote parts are asked for in
four rounds for all of them, each segment beside the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from index_format.codec.frame import Section
from index_format.errors import CorruptIndexError
from index_format.generation.snapshot import Snapshot
from index_format.segment.posting_lists import TermPostings
from index_format.segment.reader import FieldReader, SegmentReader

Part = tuple[Section, int, int]
# more rows than this are read as they are needed: some blocks may be skipped
_MOST_ROW_BYTES: Final = 1 << 18


def prefetch_terms(snapshot: Snapshot, terms: Sequence[tuple[int, bytes]]) -> None:
    """These terms, by field, are read next."""
    remote = [item.reader for item in snapshot.segments if item.reader.frame.is_remote]
    with ThreadPoolExecutor(len(remote)) as pool:
        for _ in pool.map(lambda reader: _expect(reader, terms), remote):
            pass


def _expect(reader: SegmentReader, terms: Sequence[tuple[int, bytes]]) -> None:
    try:
        fields = [(reader.field(number), term) for number, term in terms]
        lengths = [reader.chunks.codes_part(number) for number in {number for number, _ in terms}]
        groups = [field.terms.group_part(term) for field, term in fields]
        reader.frame.expect([*lengths, *(part for part in groups if part is not None)])
        reader.frame.expect(part for field, term in fields for part in field.terms.parts_for(term))
        entries = [(field, field.terms.find(term)) for field, term in fields]
        held = [(field, entry) for field, entry in entries if entry is not None]
        reader.frame.expect(part for field, entry in held for part in field.lists.parts_for(entry))
        found = [(field, field.lists.term(entry)) for field, entry in held]
        reader.frame.expect(_rows(found))
    except CorruptIndexError:
        return  # who reads the term gets the error


def _rows(found: Sequence[tuple[FieldReader, TermPostings]]) -> Iterator[Part]:
    for field, postings in found:
        for part in field.lists.row_parts_for(postings):
            if part[2] <= _MOST_ROW_BYTES:
                yield part
