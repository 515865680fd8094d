"""Which chunks of a segment may hold a needle, by the words in its dictionary.

Words are cut at underscores and capitals, and the parts are in the dictionary like the words: a
needle within one part is looked for among terms without underscores, an eighth of all bytes. These
are gathered in memory once it pays; until then, and for needles across parts, the whole dictionary
is searched.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from itertools import accumulate
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from index_format import Edge, SegmentReader, TermColumns, TermLines, TermSearch, TermText
from repo_mcp.search.dictionary.needles import Needle
from repo_mcp.text.counting import LONG_TERM
from repo_mcp.text.files import decode, fingerprint
from repo_mcp.text.words import MAX_WORD

I64 = npt.NDArray[np.int64]
Read = Callable[[str], bytes | None]
# called now and then; raises where nobody waits for the answer any more
Check = Callable[[], None]

# searches after which the dictionary of the first segment is gathered; others follow one by one
PATIENCE: Final = 2
# what questions cost, in files that could be read in their time
_BYTES_PER_FILE: Final = 40_000
_TERMS_PER_FILE: Final = 1_800
_POSTINGS_PER_FILE: Final = 2_000
_A_FEW_FILES: Final = 15
# terms that cost as much as reading a file: of a gathered dictionary, and of a pass over another
_TERMS_GATHERED: Final = 30
_FILES_PER_TERM_OF_PASS: Final = 10
# so many terms are looked up in any case
_LEAST_TERMS: Final = 16
# long words of a segment that are kept
_MOST_LONG_BYTES: Final = 8 << 20
_MOST_LONG_WORDS: Final = 10_000
_UNDERSCORE: Final = b"_"
# the one ASCII letter that stands for another one, folded, whose small form is not ASCII
_FOLDED_BEYOND_ASCII: Final = "s"
_WORD: Final = re.compile(rf"\w{{{MAX_WORD + 1},}}")
_BLANKED: Final = bytes(
    at if at < 0x80 and (chr(at).isalnum() or at == 0x5F) else 0x20 for at in range(256)
)


def unchecked() -> None:
    """A check that never raises."""


class SegmentWords:
    """The words of the chunks of one segment."""

    def __init__(self, reader: SegmentReader, field: int, patience: int, read: Read) -> None:
        """Read nothing yet; be content with what takes no preparation for so many searches."""
        self._reader = reader
        self._search = TermSearch(reader, field)
        self._count = reader.chunk_count
        self._read = read
        self._lock = threading.RLock()
        self._patience = patience
        self._foreign: TermLines | None = None
        self._parts: TermLines | None = None
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
            entry = self._search.entry(needle.text.encode())
            return 1 + (entry.chunks if entry is not None else 0) / _POSTINGS_PER_FILE
        if needle.left != Edge.OPEN:
            return _A_FEW_FILES
        if not needle.whole and self._parts is not None:
            return self._parts.size / _BYTES_PER_FILE
        return len(self._search) / _TERMS_PER_FILE

    def chunks(self, needle: Needle, most: int, check: Check = unchecked) -> I64 | None:
        """The chunks that may hold it; None when it takes more than reading so many files.

        `check` is called now and then, and raises where the answer is no longer wanted.
        """
        terms = self._terms(needle, most, check) if needle.text else self._search.equal(())
        if terms is None or terms.postings > self._count:
            return None
        held = np.zeros(self._count, dtype=np.bool_)
        self._search.mark(held, terms)
        if needle.long:
            held[self._of_long_words(needle, check)] = True
        return held.nonzero()[0]

    def _terms(self, needle: Needle, most: int, check: Check) -> TermColumns | None:
        text = needle.text.encode("utf-8", "surrogatepass")
        found: TermColumns | None
        foreign = needle.folded and _FOLDED_BEYOND_ASCII in needle.text
        edges = {needle.left, needle.right}
        if not text.isascii():
            found, foreign = self._search.equal(()), True
        elif Edge.OPEN not in edges:
            found = self._search.equal([text])
            foreign |= Edge.SOFT in edges
        elif not needle.whole and (parts := self._gathered_parts(check)) is not None:
            found = self._of_parts(parts, needle, most, check)
            foreign = True
        elif needle.left != Edge.OPEN:
            keep = None if needle.whole else _has_no_underscore
            found = self._search.beginning(text, max(most, _LEAST_TERMS), keep)
            foreign |= needle.left == Edge.SOFT
        else:
            found = self._containing(needle, most, check)
        if found is None or not foreign:
            return found
        more = self._of_foreign(needle, max(most, _LEAST_TERMS), check)
        return None if more is None else found.joined(more)

    def _containing(self, needle: Needle, most: int, check: Check) -> TermColumns | None:
        """Terms with the needle anywhere in them, by a pass over all terms' bytes."""
        what = TermText(needle.text, needle.left, needle.right)
        if needle.whole:
            self._gathered_parts(check)
            each = most * _TERMS_GATHERED
            if not self._search.is_gathered:
                each = most // _FILES_PER_TERM_OF_PASS
            return self._search.containing(what, max(each, _LEAST_TERMS), check=check)

        def keep(term: bytes) -> bool:
            return not term.isascii() or (_UNDERSCORE not in term and what.fits(term))

        least = max(most // _FILES_PER_TERM_OF_PASS, _LEAST_TERMS)
        return self._search.containing(TermText(needle.text), least, keep, check)

    def _of_parts(
        self, parts: TermLines, needle: Needle, most: int, check: Check
    ) -> TermColumns | None:
        """Terms that may be parts of words, and hold the needle."""
        most = max(most * _TERMS_GATHERED, _LEAST_TERMS)
        lines: I64 | None
        if needle.left != Edge.OPEN:  # before an ASCII term there is nothing
            lines = parts.beginning(needle.text.encode())
        else:
            what = TermText(needle.text, needle.left, needle.right)
            lines = parts.containing(what, most, check)
        if lines is None or len(lines) > most:
            return None
        return self._search.on_lines(parts, lines)

    def _of_foreign(self, needle: Needle, most: int, check: Check) -> TermColumns | None:
        lines = self._gathered_foreign(check)
        found = lines.containing(_in_foreign(needle), most, check)
        return None if found is None else self._search.on_lines(lines, found)

    def _of_long_words(self, needle: Needle, check: Check) -> I64:
        """Chunks with words that are in no dictionary."""
        with self._lock:
            if self._long is None:
                marks = np.zeros(self._count, dtype=np.bool_)
                self._search.mark(marks, self._search.equal([LONG_TERM]))
                held = marks.nonzero()[0]
                if self._patience > 0:
                    return held
                self._long = LongWords(self._reader, held, self._read, check)
            return self._long.chunks(needle, check)

    def _gathered_foreign(self, check: Check) -> TermLines:
        """Terms with characters beyond ASCII."""
        with self._lock:
            if self._foreign is None:
                self._foreign = self._search.beyond_ascii(check)
            return self._foreign

    def _gathered_parts(self, check: Check) -> TermLines | None:
        """Terms that may be parts of words, once it pays to gather them."""
        with self._lock:
            if self._parts is None and self._patience <= 0:
                kinds = (_is_part, _is_foreign)
                self._parts, self._foreign = self._search.gather(kinds, check)
            return self._parts


class LongWords:
    """The words of one segment that are too long to be indexed, each with the file it is in.

    They are few, but a needle may lie in any of them. After some searches they are read once from
    the files, as long as these are what was indexed, so that later ones need not look into all.
    """

    def __init__(
        self, reader: SegmentReader, chunks: I64, read: Read, check: Check = unchecked
    ) -> None:
        """Read the files of these chunks; one that is not as it was indexed may hold anything."""
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

    def chunks(self, needle: Needle, check: Check = unchecked) -> I64:
        """The chunks whose long words may hold it."""
        held = self._unknown.copy()
        numbers = None
        if needle.text:
            numbers = self._lines.containing(_in_foreign(needle), _MOST_LONG_WORDS, check)
        if numbers is None:
            return self._chunks
        held[np.searchsorted(self._edges, numbers, side="right")] = True
        return self._chunks[np.isin(self._owners, self._files[held])]


class Dictionaries:
    """The words of all open segments; what was made for one is kept as long as it is open."""

    def __init__(self, read: Read, patience: int = PATIENCE) -> None:
        """Read files by this, as they are now."""
        self._read = read
        self._patience = patience
        self._known: WeakKeyDictionary[SegmentReader, SegmentWords] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def of(self, reader: SegmentReader, field: int) -> SegmentWords:
        """The words of one segment; no search has to gather those of all of them."""
        with self._lock:
            known = self._known.get(reader)
            if known is None:
                patience = self._patience + len(self._known)
                known = self._known[reader] = SegmentWords(reader, field, patience, self._read)
            return known


def _in_foreign(needle: Needle) -> TermText:
    """The needle in words whose parts are not known: edges of parts are not those of words."""
    any_case = needle.folded or not needle.text.isascii()
    if not needle.whole:
        return TermText(needle.text, any_case=any_case)
    return TermText(needle.text, needle.left, needle.right, any_case=any_case)


def _has_no_underscore(term: bytes) -> bool:
    return _UNDERSCORE not in term


def _is_part(term: bytes) -> bool:
    """Whether an ASCII term may be a part of a word."""
    return _UNDERSCORE not in term and term.isascii()


def _is_foreign(term: bytes) -> bool:
    return not term.isascii()


def _long_words(reader: SegmentReader, number: int, read: Read) -> list[bytes] | None:
    """The distinct long words of a file in small letters; None when it is not as indexed."""
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
