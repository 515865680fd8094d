"""The chunks of many terms at once: what is short of them is decoded together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from index_format.codec import postings
from index_format.codec.terms import TermEntry
from index_format.codec.wire import MalformedError
from index_format.layout import BLOCK
from index_format.segment.posting_lists import PostingLists

I64 = npt.NDArray[np.int64]

# tails that lie closer than this are read in one go
_READ_THROUGH: Final = 16_384
# for fewer, it does not pay
_MANY: Final = 8


def mark_chunks(
    held: npt.NDArray[np.bool_], lists: PostingLists, entries: Sequence[TermEntry]
) -> None:
    """Set the place of each chunk that holds one of the terms."""
    short = [entry for entry in entries if entry.chunks < BLOCK]
    if len(short) < _MANY or not _mark_tails(held, lists, short):
        short = []
    tails = set(short)
    for entry in entries:
        if entry not in tails:
            held[lists.term(entry).all()[0]] = True


def _mark_tails(held: npt.NDArray[np.bool_], lists: PostingLists, entries: list[TermEntry]) -> bool:
    """False for bytes that no writer stores: whoever reads them one by one finds the error."""
    entries.sort(key=_place)
    counts = np.array([entry.chunks for entry in entries], dtype=np.int64)
    lengths = np.array([entry.tail[1] for entry in entries], dtype=np.int64)
    data = b"".join(_tails(lists, entries))
    try:
        gaps, _ = postings.decode_tails(data, lengths, counts)
    except MalformedError:
        return False
    last = np.full(len(entries), -1, dtype=np.int64)
    chunks = postings.chunks_of_tails(gaps, counts, last)
    if int(chunks.max()) >= len(held):
        return False
    held[chunks] = True
    return True


def _tails(lists: PostingLists, entries: Sequence[TermEntry]) -> Iterator[bytes]:
    """The bytes of each tail; the tails ascend."""
    begin = end = 0
    near: list[TermEntry] = []
    for entry in entries:
        start, length = entry.tail
        if near and start - end > _READ_THROUGH:
            yield from _cut(lists, near, begin, end)
            near = []
        if not near:
            begin = start
        near.append(entry)
        end = start + length
    if near:
        yield from _cut(lists, near, begin, end)


def _cut(
    lists: PostingLists, entries: Sequence[TermEntry], begin: int, end: int
) -> Iterator[bytes]:
    whole = TermEntry(1, 1, 0, (begin, end - begin), (0, 0))
    data = bytes(lists.tail_bytes(whole))
    for entry in entries:
        start, length = entry.tail
        yield data[start - begin : start - begin + length]


def _place(entry: TermEntry) -> tuple[int, int]:
    return entry.tail
