"""Finds the chunks of a segment that may contain a needle, by the segment's dictionary.

Words are split at underscores and capitals, and the dictionary has the parts as well as the words:
a needle within one part is searched in terms without underscores, an eighth of all bytes. These
terms are cached after a number of searches; until then, and for needles across parts, the whole
dictionary is scanned.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from itertools import accumulate
from typing import Final
from weakref import WeakKeyDictionary, proxy

import numpy as np
import numpy.typing as npt

from index_format import Edge, SegmentReader, TermColumns, TermLines, TermSearch, TermText
from repo_mcp.search.dictionary.needles import Needle
from repo_mcp.text.counting import LONG_TERM
from repo_mcp.text.files import decode, fingerprint
from repo_mcp.text.words import MAX_WORD

I64 = npt.NDArray[np.int64]
Read = Callable[[str], bytes | None]
# called at intervals; raises when the request was cancelled
Check = Callable[[], None]

# searches before terms of the first segment are cached; each further segment needs one more
CACHE_AFTER: Final = 2
# cost of lookups, in file reads that take the same time
_BYTES_PER_FILE: Final = 40_000
_TERMS_PER_FILE: Final = 1_800
_CACHED_TERMS_PER_FILE: Final = 4_200
_POSTINGS_PER_FILE: Final = 2_000
_A_FEW_FILES: Final = 15
# terms that cost one file read in a cached dictionary; file reads per term in a full scan
_TERMS_GATHERED: Final = 30
_FILES_PER_TERM_OF_PASS: Final = 10
# terms that are looked up whatever they cost
_LEAST_TERMS: Final = 16
# cached long words of a segment: bytes of all, and matches of one needle
_MOST_LONG_BYTES: Final = 8 << 20
_MOST_LONG_WORDS: Final = 10_000
_UNDERSCORE: Final = b"_"
# the ASCII letter that folds to a non-ASCII lower-case letter: s and the long s
_FOLDED_BEYOND_ASCII: Final = "s"
_WORD: Final = re.compile(rf"\w{{{MAX_WORD + 1},}}")
_BLANKED: Final = bytes(
    at if at < 0x80 and (chr(at).isalnum() or at == 0x5F) else 0x20 for at in range(256)
)


def no_check() -> None:
    """A check that never raises."""


class SegmentWords:
    """The words of the chunks of one segment."""

    def __init__(self, reader: SegmentReader, field: int, cache_after: int, read: Read) -> None:
        """Opens the dictionary; fills caches after `cache_after` searches."""
        self._reader = reader
        self._search = TermSearch(reader, field)
        self._count = reader.chunk_count
        self._read = read
        self._lock = threading.RLock()
        self._cache_after = cache_after
        self._non_ascii: TermLines | None = None
        self._parts: TermLines | None = None
        self._long: LongWords | None = None

    def begin(self) -> None:
        """Counts a search; after enough of them the caches are filled."""
        self._cache_after -= 1

    @property
    def file_count(self) -> int:
        """Number of files in the segment."""
        return self._reader.file_count

    def cost(self, needle: Needle) -> float:
        """Estimated cost of `chunks`, in file reads that take the same time."""
        if not needle.text or not needle.text.isascii():
            return _A_FEW_FILES
        if Edge.OPEN not in {needle.left, needle.right}:
            entry = self._search.entry(needle.text.encode())
            return 1 + (entry.chunks if entry is not None else 0) / _POSTINGS_PER_FILE
        if needle.left != Edge.OPEN:
            return _A_FEW_FILES
        if not needle.whole and self._parts is not None:
            return self._parts.size / _BYTES_PER_FILE
        per_file = _CACHED_TERMS_PER_FILE if self._search.is_gathered else _TERMS_PER_FILE
        return len(self._search) / per_file

    def chunks(self, needle: Needle, most: int, check: Check = no_check) -> I64 | None:
        """The chunks that may contain a needle; None if that costs more than `most` file reads.

        `check` is called at intervals and raises when the request was cancelled.
        """
        terms = self._find_terms(needle, most, check) if needle.text else self._search.equal(())
        if terms is None or terms.postings > self._count:
            return None
        marked = np.zeros(self._count, dtype=np.bool_)
        self._search.mark(marked, terms)
        if needle.long:
            marked[self._chunks_with_long_words(needle, check)] = True
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
        elif not needle.whole and (parts := self._part_terms(check)) is not None:
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
        if needle.whole:
            self._part_terms(check)
            each = most * _TERMS_GATHERED
            if not self._search.is_gathered:
                each = most // _FILES_PER_TERM_OF_PASS
            return self._search.containing(what, max(each, _LEAST_TERMS), check=check)

        def keep(term: bytes) -> bool:
            return not term.isascii() or (_UNDERSCORE not in term and what.fits(term))

        least = max(most // _FILES_PER_TERM_OF_PASS, _LEAST_TERMS)
        return self._search.containing(TermText(needle.text), least, keep, check)

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

    def _chunks_with_long_words(self, needle: Needle, check: Check) -> I64:
        """Chunks with words that are too long to index."""
        with self._lock:
            if self._long is None:
                marks = np.zeros(self._count, dtype=np.bool_)
                self._search.mark(marks, self._search.equal([LONG_TERM]))
                marked = marks.nonzero()[0]
                if self._cache_after > 0:
                    return marked
                self._long = LongWords(self._reader, marked, self._read, check)
            return self._long.chunks(needle, check)

    def _non_ascii_terms(self, check: Check) -> TermLines:
        """Terms that are not ASCII, cached."""
        with self._lock:
            if self._non_ascii is None:
                self._non_ascii = self._search.beyond_ascii(check)
            return self._non_ascii

    def _part_terms(self, check: Check) -> TermLines | None:
        """Terms that may be parts of words, cached; None until enough searches were made."""
        with self._lock:
            if self._parts is None and self._cache_after <= 0:
                kinds = (_is_part, _is_non_ascii)
                self._parts, self._non_ascii = self._search.gather(kinds, check)
            return self._parts


class LongWords:
    """The words of one segment that are too long to index, with the files that contain them.

    They are few, but any may contain a needle. After some searches they are read once from the
    unchanged files, so that later searches need not read all of these files.
    """

    def __init__(
        self, reader: SegmentReader, chunks: I64, read: Read, check: Check = no_check
    ) -> None:
        """Reads the files of these chunks; a changed file counts as containing every needle."""
        self._chunks = chunks
        self._owners = np.searchsorted(reader.files.bounds, chunks, side="right") - 1
        self._files = np.unique(self._owners)
        self._unknown = np.zeros(len(self._files), dtype=np.bool_)
        words: list[bytes] = []
        counts: list[int] = []
        room = _MOST_LONG_BYTES
        for at, number in enumerate(self._files.tolist()):
            check()
            found = _long_words(reader, number, read) if room > 0 else None
            self._unknown[at] = found is None
            words += found or []
            counts.append(len(found or []))
            room -= sum(map(len, found or []))
        self._lines = TermLines(words)
        self._edges = np.array([*accumulate(counts)], dtype=np.int64)

    def chunks(self, needle: Needle, check: Check = no_check) -> I64:
        """The chunks whose long words may contain a needle."""
        marked = self._unknown.copy()
        numbers = None
        if needle.text:
            numbers = self._lines.containing(_whole_word_text(needle), _MOST_LONG_WORDS, check)
        if numbers is None:
            return self._chunks
        marked[np.searchsorted(self._edges, numbers, side="right")] = True
        return self._chunks[np.isin(self._owners, self._files[marked])]


class Dictionaries:
    """The `SegmentWords` of all open segments, each kept while its segment is open."""

    def __init__(self, read: Read, cache_after: int = CACHE_AFTER) -> None:
        """`read` gives the current content of a file."""
        self._read = read
        self._cache_after = cache_after
        self._known: WeakKeyDictionary[SegmentReader, SegmentWords] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def segment_words(self, reader: SegmentReader, field: int) -> SegmentWords:
        """The words of a segment; each gets another cache threshold, so no search fills all."""
        with self._lock:
            known = self._known.get(reader)
            if known is None:
                cache_after = self._cache_after + len(self._known)
                # the caller keeps the segment open; a value that held its key would do so for ever
                held = proxy(reader)
                known = self._known[reader] = SegmentWords(held, field, cache_after, self._read)
            return known


def _whole_word_text(needle: Needle) -> TermText:
    """The needle as searched in unsplit words: without its edges if they are edges of a part."""
    any_case = needle.folded or not needle.text.isascii()
    if not needle.whole:
        return TermText(needle.text, any_case=any_case)
    return TermText(needle.text, needle.left, needle.right, any_case=any_case)


def _has_no_underscore(term: bytes) -> bool:
    return _UNDERSCORE not in term


def _is_part(term: bytes) -> bool:
    """Whether an ASCII term may be a part of a word."""
    return _UNDERSCORE not in term and term.isascii()


def _is_non_ascii(term: bytes) -> bool:
    return not term.isascii()


def _long_words(reader: SegmentReader, number: int, read: Read) -> list[bytes] | None:
    """The distinct long words of a file in lower case; None if the file changed."""
    record = reader.files.record(number)
    data = read(record.path)
    if data is None or fingerprint(data) != record.fingerprint:
        return None
    if data.isascii():
        words = data.translate(_BLANKED).split()
        return [*dict.fromkeys(word.lower() for word in words if len(word) > MAX_WORD)]
    text = decode(data)
    if text is None:
        return None
    long = dict.fromkeys(word.lower() for word in _WORD.findall(text.content))
    return [word.encode("utf-8", "surrogatepass") for word in long]
