"""Finds the chunks of a segment that may contain a needle, by the segment's dictionary.

Words are split at underscores and capitals, and the dictionary has the parts as well as the words:
a needle within one part is searched in terms without underscores, an eighth of all bytes. These
terms are split off for the first such needle. For needles across parts, and without compiled code,
the whole dictionary is scanned. What a lookup gives does not depend on earlier ones.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias
from weakref import WeakKeyDictionary, proxy

import numpy as np

from index_format import Edge, SegmentReader, TermColumns, TermLines, TermSearch, TermText
from index_format.analysis.counting import LONG_TERM
from repo_mcp.search.dictionary.needles import Needle

if TYPE_CHECKING:
    import numpy.typing as npt

I64: TypeAlias = "npt.NDArray[np.int64]"
# called at intervals; raises when the request was cancelled
Check = Callable[[], None]

# cost of lookups, in file reads that take the same time
_TERMS_PER_FILE: Final = 20_000
_PART_TERMS_PER_FILE: Final = 15_000
# the same where all terms are read for it alone
_TERMS_READ_PER_FILE: Final = 400
_POSTINGS_PER_FILE: Final = 2_000
_A_FEW_FILES: Final = 15
# terms whose postings are found in the time of one file read
_TERMS_GATHERED: Final = 30
_KEPT_ANSWERS: Final = 16
# terms that are looked up whatever they cost
_LEAST_TERMS: Final = 16
_UNDERSCORE: Final = b"_"
# the ASCII letter that folds to a non-ASCII lower-case letter: s and the long s
_FOLDED_BEYOND_ASCII: Final = "s"


def no_check() -> None:
    """A check that never raises."""


class SegmentWords:
    """The words of the chunks of one segment."""

    def __init__(self, reader: SegmentReader, field: int, *, once: bool = False) -> None:
        """Opens the dictionary; `once`: for one search, which alone pays for what is cached."""
        self._once = once
        self._reader = reader
        self._search = TermSearch(reader, field)
        self._count = reader.chunk_count
        self._lock = threading.RLock()
        self._non_ascii: TermLines | None = None
        self._parts: TermLines | None = None
        self._long: I64 | None = None
        self._found: dict[tuple[Needle, int], tuple[I64 | None]] = {}

    @property
    def file_count(self) -> int:
        """Number of files in the segment."""
        return self._reader.file_count

    def cost(self, needle: Needle) -> float:
        """Estimated cost of `chunks`, in file reads that take the same time."""
        if not needle.text or not needle.text.isascii():
            return _A_FEW_FILES
        if self._once and self._parts is None and self._needs_all_terms(needle):
            return len(self._search) / _TERMS_READ_PER_FILE
        if Edge.OPEN not in {needle.left, needle.right}:
            entry = self._search.entry(needle.text.encode())
            return 1 + (entry.chunks if entry is not None else 0) / _POSTINGS_PER_FILE
        if needle.left != Edge.OPEN:
            return _A_FEW_FILES
        is_quick = not needle.whole and self._search.can_split
        return len(self._search) / (_PART_TERMS_PER_FILE if is_quick else _TERMS_PER_FILE)

    @staticmethod
    def _needs_all_terms(needle: Needle) -> bool:
        """True if all terms are read for it, to find those that contain it or are not ASCII."""
        return needle.left == Edge.OPEN or Edge.SOFT in {needle.left, needle.right}

    def chunks(self, needle: Needle, most: int, check: Check = no_check) -> I64 | None:
        """The chunks that may contain a needle; None if that costs more than `most` file reads.

        `check` is called at intervals and raises when the request was cancelled. The last few
        answers are kept, as one request asks up to three times: for lines, to estimate how many
        files match, and to count them.
        """
        asked = needle, most
        known = self._found.get(asked)
        if known is None:
            if len(self._found) >= _KEPT_ANSWERS:
                self._found.clear()
            known = self._found[asked] = (self._chunks(needle, most, check),)
        return known[0]

    def _chunks(self, needle: Needle, most: int, check: Check) -> I64 | None:
        terms = self._find_terms(needle, most, check) if needle.text else self._search.equal(())
        if terms is None or terms.postings > self._count:
            return None
        marked = np.zeros(self._count, dtype=np.bool_)
        self._search.mark(marked, terms)
        if needle.long:
            marked[self._chunks_with_long_words()] = True
        return marked.nonzero()[0]

    def _find_terms(self, needle: Needle, most: int, check: Check) -> TermColumns | None:
        text = needle.text.encode("utf-8", "surrogatepass")
        found: TermColumns | None
        non_ascii = needle.folded and _FOLDED_BEYOND_ASCII in needle.text
        edges = {needle.left, needle.right}
        if not text.isascii():
            found, non_ascii = self._search.equal(()), True
        elif Edge.OPEN not in edges:
            found = self._search.equal([text])
            non_ascii |= Edge.SOFT in edges
        elif not needle.whole and (parts := self._known_parts(check)) is not None:
            found = self._find_in_parts(parts, needle, most, check)
            non_ascii = True
        elif needle.left != Edge.OPEN:
            keep = None if needle.whole else _has_no_underscore
            found = self._search.beginning(text, max(most, _LEAST_TERMS), keep)
            non_ascii |= needle.left == Edge.SOFT
        else:
            found = self._find_containing(needle, most, check)
        if found is None or not non_ascii:
            return found
        more = self._find_in_non_ascii(needle, max(most, _LEAST_TERMS), check)
        return None if more is None else found.joined(more)

    def _find_containing(self, needle: Needle, most: int, check: Check) -> TermColumns | None:
        """Terms that contain the needle, by a scan of all terms."""
        what = TermText(needle.text, needle.left, needle.right)
        most = max(most * _TERMS_GATHERED, _LEAST_TERMS)
        if needle.whole:
            return self._search.containing(what, most, check=check)

        def keep(term: bytes) -> bool:
            return not term.isascii() or (_UNDERSCORE not in term and what.fits(term))

        return self._search.containing(TermText(needle.text), most, keep, check)

    def _find_in_parts(
        self, parts: TermLines, needle: Needle, most: int, check: Check
    ) -> TermColumns | None:
        """Terms that may be parts of words and contain the needle."""
        most = max(most * _TERMS_GATHERED, _LEAST_TERMS)
        lines: I64 | None
        if needle.left != Edge.OPEN:  # the needle begins the term
            lines = parts.beginning(needle.text.encode())
        else:
            what = TermText(needle.text, needle.left, needle.right)
            lines = parts.containing(what, most, check)
        if lines is None or len(lines) > most:
            return None
        return self._search.on_lines(parts, lines)

    def _find_in_non_ascii(self, needle: Needle, most: int, check: Check) -> TermColumns | None:
        lines = self._non_ascii_terms(check)
        found = lines.containing(_whole_word_text(needle), most, check)
        return None if found is None else self._search.on_lines(lines, found)

    def _chunks_with_long_words(self) -> I64:
        """Chunks with words that are too long to index: any may hold a needle."""
        with self._lock:
            if self._long is None:
                marks = np.zeros(self._count, dtype=np.bool_)
                self._search.mark(marks, self._search.equal([LONG_TERM]))
                self._long = marks.nonzero()[0]
            return self._long

    def _non_ascii_terms(self, check: Check) -> TermLines:
        """Terms that are not ASCII, cached."""
        with self._lock:
            self._part_terms(check)  # it splits off these, too, if there is compiled code
            if self._non_ascii is None:
                self._non_ascii = self._search.beyond_ascii(check)
            return self._non_ascii

    def _known_parts(self, check: Check) -> TermLines | None:
        """Terms that may be parts of words; None for a search that gains nothing from them."""
        return None if self._once else self._part_terms(check)

    def _part_terms(self, check: Check) -> TermLines | None:
        """Terms that may be parts of words, cached; None without compiled code."""
        with self._lock:
            if self._parts is None and (kinds := self._search.split(check)) is not None:
                self._parts, self._non_ascii = kinds
            return self._parts


class Dictionaries:
    """The `SegmentWords` of all open segments, each kept while its segment is open."""

    def __init__(self, *, once: bool = False) -> None:
        """`once`: for one search alone."""
        self._once = once
        self._known: WeakKeyDictionary[SegmentReader, SegmentWords] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def segment_words(self, reader: SegmentReader, field: int) -> SegmentWords:
        """The words of a segment."""
        with self._lock:
            known = self._known.get(reader)
            if known is None:
                # the caller keeps the segment open; a value that held its key would do so for ever
                held = proxy(reader)
                known = self._known[reader] = SegmentWords(held, field, once=self._once)
            return known


def _whole_word_text(needle: Needle) -> TermText:
    """The needle as searched in unsplit words: without its edges if they are edges of a part."""
    any_case = needle.folded or not needle.text.isascii()
    if not needle.whole:
        return TermText(needle.text, any_case=any_case)
    return TermText(needle.text, needle.left, needle.right, any_case=any_case)


def _has_no_underscore(term: bytes) -> bool:
    return _UNDERSCORE not in term
