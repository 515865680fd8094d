"""Terms of a field that contain a text, over all segments."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from index_format.generation.snapshot import Snapshot
from index_format.query.term_search import terms_holding


def list_containing_terms(
    snapshot: Snapshot, field: int, text: bytes, most: int
) -> Iterator[tuple[bytes, int]]:
    """Terms in byte order with their counts of chunks, segment after segment.

    Of each segment, the first `most` that hold the text; a term comes once for each segment that
    holds it, and chunks of dead files count, too.
    """
    for segment in snapshot.segments:
        terms = segment.reader.field(field).terms
        found = list(islice(terms_holding(terms, text), most))
        chunks = terms.columns(np.array([number for number, _ in found], np.int64))[0]
        yield from zip((term for _, term in found), chunks.tolist(), strict=True)
