"""A segment whose files seem to be in a folder, whose name has words that its paths do not have.

The words are terms of all of its chunks in one field. Their postings are encoded in memory, as a
segment has them, when one of these terms is first looked up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from copy import copy
from functools import cached_property

import numpy as np

from index_format.codec import postings
from index_format.codec.bits import U8, U32, exclusive_sum
from index_format.codec.frame import FramedFile, FrameWriter
from index_format.codec.terms import TermDictionary, TermEntry
from index_format.layout import BLOCK, SectionTag
from index_format.records import Record
from index_format.segment.posting_lists import PostingLists, TermPostings
from index_format.segment.reader import FieldReader, SegmentReader
from index_format.store.memory_store import MemoryStore


class FolderTerms(Record):
    """The terms of a folder's name, each as often as it is in it, and the field that has paths."""

    field: int
    terms: tuple[bytes, ...]


class MountedSegment(SegmentReader):
    """The same segment with its files in a folder."""

    def __init__(self, reader: SegmentReader, folder: bytes, terms: FolderTerms | None) -> None:
        """Share all that is open; `folder` ends with a slash."""
        vars(self).update(vars(reader))
        # it closes the file when it is gone
        self._origin = reader
        self._terms = terms if terms is not None and terms.terms else None
        self._of_paths: FieldReader | None = None
        self.files = copy(reader.files)
        self.files.paths = reader.files.paths.mounted(folder)

    def field(self, number: int) -> FieldReader:
        """The reader of a field."""
        terms = self._terms
        if terms is None or number != terms.field or not self.chunk_count:
            return self._origin.field(number)
        if self._of_paths is None:
            found, codes = self._origin.field(number), self.chunks.codes(number)
            self._of_paths = _FieldInFolder(found.terms, found.lists, Counter(terms.terms), codes)
        return self._of_paths


class _FieldInFolder(FieldReader):
    """A field in which some terms are in all chunks."""

    def __init__(
        self,
        terms: TermDictionary,
        lists: PostingLists,
        added: Mapping[bytes, int],
        codes: U8,
    ) -> None:
        super().__init__(terms, lists)
        self._added = added
        self._codes = codes

    def find(self, term: bytes) -> TermPostings | None:
        """Postings of a term."""
        return self._in_all.get(term) or super().find(term)

    @cached_property
    def _in_all(self) -> Mapping[bytes, TermPostings]:
        """The postings of the added terms, with what is stored of them."""
        terms, count = sorted(self._added), len(self._codes)
        frequencies = np.concatenate([self._frequencies(term) for term in terms])
        batch = postings.Batch(
            np.full(len(terms), count, dtype=np.int64),
            np.tile(np.arange(count, dtype=np.uint32), len(terms)),
            frequencies,
        )
        encoded = postings.encode(batch, self._codes, 0)
        lists = PostingLists(_write(encoded), 0, count, positions=False)
        ends = exclusive_sum(encoded.tail_lengths).tolist()
        sums = frequencies.reshape(len(terms), count).sum(axis=1, dtype=np.int64).tolist()
        found = {}
        for at, term in enumerate(terms):
            tail = ends[at], ends[at + 1] - ends[at]
            entry = TermEntry(count, sums[at], at * (count // BLOCK), tail, (0, 0))
            found[term] = lists.term(entry)
        return found

    def _frequencies(self, term: bytes) -> U32:
        frequencies = np.full(len(self._codes), self._added[term], dtype=np.uint32)
        stored = super().find(term)
        if stored is not None:
            chunks, more = stored.all()
            frequencies[chunks] += more
        return frequencies


def _write(encoded: postings.EncodedBatch) -> FramedFile:
    store = MemoryStore()
    writer = FrameWriter(store)
    for tag, data in (
        (SectionTag.BLOCK_META, encoded.meta.tobytes()),
        (SectionTag.BLOCK_ROWS, encoded.rows),
        (SectionTag.TAILS, encoded.tails),
    ):
        writer.section(tag, 0, [data])
    return FramedFile(store.open(writer.finish().name))
