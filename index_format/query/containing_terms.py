"""Terms of a field that contain a text, over all segments."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from index_format.generation.shard import BySegment
from index_format.generation.snapshot import LiveSegment, Snapshot
from index_format.query.term_search import terms_holding


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
        chunks = terms.columns(np.array([number for number, _ in found], np.int64))[0]
        return list(zip((term for _, term in found), chunks.tolist(), strict=True))
