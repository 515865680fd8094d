"""Terms of a field that contain a text, over all segments."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from index_format.generation.snapshot import Snapshot
from index_format.query.term_search import offsets_of


def list_containing_terms(
    snapshot: Snapshot, field: int, text: bytes, most: int
) -> Iterator[tuple[bytes, int]]:
    """Terms in byte order with their counts of chunks, segment after segment.

    Of each segment, the terms at the first `most` places of the text; a term comes once for each
    segment that holds it, and chunks of dead files count, too.
    """
    for segment in snapshot.segments:
        terms = segment.reader.field(field).terms
        offsets = list(islice(offsets_of(terms, text), most))
        for term, entry in terms.entries_at(np.array(offsets, np.int64)):
            if text in term:  # a match across two terms is in neither
                yield term, entry.chunks
