"""Asks a segment's dictionary which chunks hold a needle.

Words are cut at underscores and capitals, and the parts are in the dictionary like the words: a
needle within one part is looked for among terms without underscores, an eighth of all bytes. They
are put on a shelf once it pays; until then, and for needles across parts, the whole dictionary is
gone through.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from index_format.codec.terms import TermEntry
from index_format.segment.reader import FieldReader, SegmentReader
from repo_mcp.search.dictionary.long_words import LongWords, Read
from repo_mcp.search.dictionary.needles import Edge, Needle
from repo_mcp.search.dictionary.postings import mark_chunks
from repo_mcp.search.dictionary.shelf import (
    Check,
    EntryShelf,
    Shelf,
    TermPattern,
    foreign_terms,
    gathered,
    unchecked,
)
from repo_mcp.text.counting import LONG_TERM

I64 = npt.NDArray[np.int64]
Entries = list[TermEntry]

# searches after which the first shelf is made; others follow one by one
PATIENCE: Final = 2
# what questions cost, in files that could be read in their time
_BYTES_PER_FILE: Final = 40_000
_TERMS_PER_FILE: Final = 1_800
_POSTINGS_PER_FILE: Final = 2_000
_A_FEW_FILES: Final = 15
_FILES_PER_TERM_OF_PASS: Final = 10
# so many terms are looked up in any case
_LEAST_TERMS: Final = 16
# pages of the dictionary that are read for terms that begin with a needle
_MOST_PAGES: Final = 64
# places in the dictionary's bytes per term that is looked for: some lie across two terms
_PLACES_PER_TERM: Final = 2
_UNDERSCORE: Final = b"_"
_LAST: Final = b"\xff"
# the one ASCII letter that stands for another one, folded, whose small form is not ASCII
_FOLDED_BEYOND_ASCII: Final = "s"


class SegmentWords:
    """The words of the chunks of one segment."""

    def __init__(self, reader: SegmentReader, field: int, patience: int, read: Read) -> None:
        """Read nothing yet; be content with what takes no preparation for so many searches."""
        self._reader = reader
        self._field: FieldReader = reader.field(field)
        self._count = reader.chunk_count
        self._read = read
        self._lock = threading.RLock()
        self._patience = patience
        self._foreign: Shelf | None = None
        self._parts: EntryShelf | None = None
        self._long: LongWords | None = None

    def begin(self) -> None:
        """Begin a search; after enough of them, what makes them quick is made."""
        self._patience -= 1

    @property
    def file_count(self) -> int:
        """How many files there are."""
        return self._reader.file_count

    def cost(self, needle: Needle) -> float:
        """About what `chunks` takes, in files that could be read in that time."""
        if not needle.text or not needle.text.isascii():
            return _A_FEW_FILES
        if Edge.OPEN not in {needle.left, needle.right}:
            entry = self._field.terms.find(needle.text.encode())
            return 1 + (entry.chunks if entry is not None else 0) / _POSTINGS_PER_FILE
        if needle.left != Edge.OPEN:
            return _A_FEW_FILES
        if not needle.whole and self._parts is not None:
            return self._parts.size / _BYTES_PER_FILE
        return len(self._field.terms) / _TERMS_PER_FILE

    def chunks(self, needle: Needle, most: int, check: Check = unchecked) -> I64 | None:
        """The chunks that may hold it; None when it takes more than reading so many files.

        `check` is called now and then, and raises where the answer is no longer wanted.
        """
        entries = self._entries(needle, most, check) if needle.text else []
        if entries is None or sum(entry.chunks for entry in entries) > self._count:
            return None
        held = np.zeros(self._count, dtype=np.bool_)
        mark_chunks(held, self._field.lists, entries)
        if needle.long:
            held[self._of_long_words(needle, check)] = True
        return held.nonzero()[0]

    def _entries(self, needle: Needle, most: int, check: Check) -> Entries | None:
        text = needle.text.encode("utf-8", "surrogatepass")
        of_pass = max(most // _FILES_PER_TERM_OF_PASS, _LEAST_TERMS)
        most = max(most, _LEAST_TERMS)
        found: Entries | None = []
        foreign = needle.folded and _FOLDED_BEYOND_ASCII in needle.text
        if not text.isascii():
            foreign = True
        elif Edge.OPEN not in {needle.left, needle.right}:
            found = self._found([text])
            foreign |= Edge.SOFT in {needle.left, needle.right}
        elif not needle.whole and (parts := self._shelf_of_parts(check)) is not None:
            found = parts.entries(needle, most, check)
            foreign = True
        elif needle.left != Edge.OPEN:
            found = self._beginning(needle, text, most)
            foreign |= needle.left == Edge.SOFT
        else:
            found = self._holding(needle, of_pass, check)
        if found is None or not foreign:
            return found
        more = self._of_foreign(needle, most, check)
        return None if more is None else found + more

    def _holding(self, needle: Needle, most: int, check: Check) -> Entries | None:
        """Terms with the needle anywhere in them, by a pass over all terms' bytes."""
        terms = self._field.terms
        pattern = TermPattern(needle, edges=False, any_case=False)
        places = pattern.places(terms.text(), most * _PLACES_PER_TERM, check)
        if places is None:
            return None
        # what lies across two terms is in none of them
        fits = TermPattern(needle, edges=True, any_case=False).matches
        held = terms.terms_at(np.array(places, np.int64))
        if needle.whole:
            held = [term for term in held if fits(term)]
        else:
            held = [term for term in held if _may_be_part(term, fits)]
        return self._found(held) if len(held) <= most else None

    def _beginning(self, needle: Needle, text: bytes, most: int) -> Entries | None:
        """Terms that begin with the needle: they follow each other."""
        found: Entries = []
        for number, (page, begin) in enumerate(self._field.terms.pages_from(text)):
            end = bisect_left(page.terms, text + _LAST)
            for at in range(begin, end):
                if needle.whole or _UNDERSCORE not in page.terms[at]:
                    found.append(page.entry(at))
            if end < len(page.terms):
                break
            if len(found) > most or number == _MOST_PAGES:
                return None
        return found

    def _of_foreign(self, needle: Needle, most: int, check: Check) -> Entries | None:
        shelf = self._shelf_of_foreign(check)
        any_case = needle.folded or not needle.text.isascii()
        # where such a word is cut depends on letters that the pattern does not show
        pattern = TermPattern(needle, edges=needle.whole, any_case=any_case)
        numbers = shelf.holding(pattern, most, check)
        return None if numbers is None else self._found(map(shelf.term, numbers))

    def _of_long_words(self, needle: Needle, check: Check) -> I64:
        """Chunks with words that are in no dictionary."""
        with self._lock:
            if self._long is None:
                found = self._found([LONG_TERM])
                chunks = [self._field.lists.term(entry).all()[0] for entry in found]
                held = np.concatenate([*chunks, np.zeros(0, np.uint32)]).astype(np.int64)
                if self._patience > 0:
                    return held
                self._long = LongWords(self._reader, held, self._read, check)
            return self._long.chunks(needle, check)

    def _found(self, terms: Iterable[bytes]) -> Entries:
        found = map(self._field.terms.find, terms)
        return [entry for entry in found if entry is not None]

    def _shelf_of_foreign(self, check: Check) -> Shelf:
        """Terms with characters beyond ASCII."""
        with self._lock:
            if self._foreign is None:
                self._foreign = Shelf(foreign_terms(self._field.terms, check), check)
            return self._foreign

    def _shelf_of_parts(self, check: Check) -> EntryShelf | None:
        """Terms that may be parts of words, once it pays to gather them."""
        with self._lock:
            if self._parts is None and self._patience <= 0:
                self._parts, self._foreign = gathered(self._field.terms, check)
            return self._parts


class Dictionaries:
    """The words of all open segments; what was made for one is kept as long as it is open."""

    def __init__(self, read: Read, patience: int = PATIENCE) -> None:
        """Read files by this, as they are now."""
        self._read = read
        self._patience = patience
        self._known: WeakKeyDictionary[SegmentReader, SegmentWords] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def of(self, reader: SegmentReader, field: int) -> SegmentWords:
        """The words of one segment; no search has to make the shelves of all of them."""
        with self._lock:
            known = self._known.get(reader)
            if known is None:
                patience = self._patience + len(self._known)
                known = self._known[reader] = SegmentWords(reader, field, patience, self._read)
            return known


def _may_be_part(term: bytes, fits: Callable[[bytes], bool]) -> bool:
    """Whether a term that holds a needle somewhere may be a part that holds it."""
    return not term.isascii() or (_UNDERSCORE not in term and fits(term))
