"""Asks segments which files may hold a text in any letter case, one segment after the other."""

from __future__ import annotations

import threading
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from index_format.codec.terms import TermEntry
from index_format.segment.reader import SegmentReader
from repo_mcp.search.dictionary.long_words import Read
from repo_mcp.search.dictionary.needles import Clause, Needle
from repo_mcp.search.dictionary.scan import SegmentWords
from repo_mcp.search.dictionary.shelf import Check, unchecked
from repo_mcp.search.keywords.shelf import LONG_S_FOLDED, KeywordShelf
from repo_mcp.search.regex.needles import clauses
from repo_mcp.search.regex.tree import literal

I64 = npt.NDArray[np.int64]

# searches of a segment after which its dictionary is kept in memory
PATIENCE: Final = 2
# with more terms than these, reading the files is as quick as looking them all up
_MOST_TERMS: Final = 20_000
# so many are sooner looked at than another word is looked up
_FEW_CHUNKS: Final = 12


def required(word: str) -> tuple[Clause, ...]:
    """What the words of a line must be for it to hold this text, whatever the letter case."""
    return clauses(literal(word, folded=True), left=False, right=False)


def _length(clause: Clause) -> int:
    """How long the longest word is that each branch requires."""
    return min(max((len(needle.text) for needle in branch), default=0) for branch in clause)


class KeywordWords(SegmentWords):
    """The words of one segment; its dictionary is kept in memory once it was asked some times."""

    def __init__(self, reader: SegmentReader, field: int, patience: int, read: Read) -> None:
        """Read nothing yet."""
        super().__init__(reader, field, patience, read)
        self._bounds = reader.files.bounds
        self._shelf: KeywordShelf | None = None

    def holding(self, wanted: tuple[Clause, ...], check: Check = unchecked) -> I64 | None:
        """The chunks that may hold such a line; None for any chunk.

        What is long is rare, mostly: it is asked for first, and the rest of what is left is quicker
        looked at. `check` is called now and then, and raises where nobody waits any more.
        """
        found: I64 | None = None
        for clause in sorted(wanted, key=_length, reverse=True):
            held = self._of_clause(clause, check)
            if held is not None:
                found = held if found is None else np.intersect1d(found, held, assume_unique=True)
                if len(found) <= _FEW_CHUNKS:
                    break
        return found

    def owners(self, chunks: I64) -> I64:
        """The file of each of these chunks."""
        return np.searchsorted(self._bounds, chunks, side="right") - 1

    def every_file(self) -> I64:
        """The numbers of all files."""
        return np.arange(self.file_count)

    def _of_clause(self, clause: Clause, check: Check) -> I64 | None:
        """The chunks with all needles of any branch."""
        found: I64 | None = None
        for branch in clause:
            held: I64 | None = None
            for needle in branch:
                chunks = self.chunks(needle, _MOST_TERMS, check)
                if chunks is not None:
                    held = chunks if held is None else np.intersect1d(held, chunks)
            if held is None:
                return None
            found = held if found is None else np.union1d(found, held)
        return found

    def _entries(self, needle: Needle, most: int, check: Check) -> list[TermEntry] | None:
        """Terms with the needle in them."""
        shelf = self._kept() if needle.text.isascii() else None
        if shelf is None:
            return super()._entries(needle, most, check)
        found = shelf.entries(needle, most, self._count)
        if found is None or not (
            needle.folded and LONG_S_FOLDED in needle.text and shelf.is_uneven
        ):
            return found
        more = self._of_foreign(needle, most, check)
        return None if more is None else found + more

    def prepare(self) -> None:
        """Take the dictionary into memory."""
        with self._lock:
            if self._shelf is None:
                self._shelf = KeywordShelf(self._field.terms)

    def _kept(self) -> KeywordShelf | None:
        """The dictionary in memory, once it pays."""
        with self._lock:
            if self._patience <= 0:
                self.prepare()
            return self._shelf


class KeywordDictionaries:
    """The words of all open segments; what was made for one is kept as long as it is open."""

    def __init__(self, read: Read, patience: int = PATIENCE) -> None:
        """Read files by this, as they are now."""
        self._read = read
        self._patience = patience
        self._known: WeakKeyDictionary[SegmentReader, KeywordWords] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def of(self, reader: SegmentReader, field: int) -> KeywordWords:
        """The words of one segment, asked once more."""
        known = self._of(reader, field)
        known.begin()
        return known

    def prepare(self, reader: SegmentReader) -> None:
        """Make what makes searches of a segment quick that was searched before."""
        known = self._known.get(reader)
        if known is not None:
            known.prepare()

    def _of(self, reader: SegmentReader, field: int) -> KeywordWords:
        with self._lock:
            known = self._known.get(reader)
            if known is None:
                patience = self._patience + len(self._known)  # so that they don't all begin at once
                known = self._known[reader] = KeywordWords(reader, field, patience, self._read)
            return known
