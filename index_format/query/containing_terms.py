"""Terms of a field that contain a text, over all segments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from index_format.codec.terms import TermDictionary
from index_format.generation.snapshot import Snapshot

# bytes of a dictionary that are searched in one go
_BYTES_AT_ONCE: Final = 1 << 20


def list_containing_terms(
    snapshot: Snapshot, field: int, text: bytes, most: int
) -> Iterator[tuple[bytes, int]]:
    """Terms in byte order with their counts of chunks, segment after segment.

    Of each segment, the terms at the first `most` places of the text; a term comes once for each
    segment that holds it, and chunks of dead files count, too.
    """
    for segment in snapshot.segments:
        terms = segment.reader.field(field).terms
        for term, entry in terms.entries_at(np.array(_places(terms, text, most), np.int64)):
            if text in term:  # a match across two terms is in neither
                yield term, entry.chunks


def _places(terms: TermDictionary, text: bytes, most: int) -> list[int]:
    found: list[int] = []
    passed, rest = 0, b""
    for piece in terms.texts(_BYTES_AT_ONCE):
        data = rest + bytes(piece)
        at = data.find(text)
        while at >= 0 and len(found) < most:
            found.append(passed - len(rest) + at)
            at = data.find(text, at + 1)
        if len(found) == most:
            break
        passed += len(piece)
        rest = data[max(0, len(data) - len(text) + 1) :]
    return found
