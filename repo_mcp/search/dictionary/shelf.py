"""Some terms of a dictionary, one a line, so that one pass finds those that hold a needle."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import re2  # type: ignore[import-untyped]  # it brings no types

from index_format.codec.terms import Page, TermDictionary, TermEntry
from repo_mcp.search.dictionary.needles import Edge, Needle

I64 = npt.NDArray[np.int64]
U32 = npt.NDArray[np.uint32]

# raises where nobody waits for the answer any more
Check = Callable[[], None]

# pages of a dictionary that are read at once
_PAGES_AT_ONCE: Final = 64
# bytes that are searched without asking whether to go on
_BYTES_AT_ONCE: Final = 1 << 20
# places in a dictionary that are looked up at once: each may be on a page of its own
_PLACES_AT_ONCE: Final = 64
_UNDERSCORE: Final = b"_"
_LAST: Final = b"\xff"
_BEYOND_ASCII: Final = b"\x80"
_LEFT: Final = {Edge.OPEN: "", Edge.SOFT: r"[\n\x{80}-\x{10ffff}]", Edge.CLOSED: r"\n"}
_RIGHT: Final = {Edge.OPEN: "", Edge.SOFT: r"(?:\n|[\x{80}-\x{10ffff}])", Edge.CLOSED: r"\n"}


def unchecked() -> None:
    """Somebody waits, however long it takes."""


class TermPattern:
    """What a term that holds a needle looks like; in any case, letters stand for others."""

    def __init__(self, needle: Needle, *, edges: bool, any_case: bool) -> None:
        """With `edges`, what stands beside the needle counts: terms stand in lines then."""
        text = re2.escape(needle.text)
        text = f"(?i:{text})" if any_case else text
        if edges:
            text = f"{_LEFT[needle.left]}{text}{_RIGHT[needle.right]}"
        options = re2.Options()
        options.log_errors = False
        if not any_case and Edge.SOFT not in {needle.left, needle.right}:
            options.encoding = re2.Options.Encoding.LATIN1
        self._regex: Any = re2.compile(text.encode("utf-8", "surrogatepass"), options)
        # a character that stands for another one may have more bytes, but no more than four
        self._longest = 4 * len(needle.text) + 8
        re2.purge()

    def matches(self, term: bytes) -> bool:
        """Whether one term is such a term."""
        return self._regex.search(b"\n" + term + b"\n") is not None

    def places(self, text: memoryview, most: int, check: Check = unchecked) -> list[int] | None:
        """Where in a text it begins; None when there are more than so many places."""
        found: list[int] = []
        at = 0
        while (match := self._next(text, at, check)) is not None:
            if len(found) == most:
                return None
            found.append(match.start())
            at = match.start() + 1
        return found

    def last_bytes(self, lines: bytes, most: int, check: Check = unchecked) -> list[int] | None:
        """The last byte of the first match in each line; None when there are too many."""
        found: list[int] = []
        at = 0
        while (match := self._next(lines, at, check)) is not None:
            if len(found) == most:
                return None
            last = match.end() - 1
            found.append(last)
            at = lines.find(b"\n", last)
        return found

    def _next(self, text: bytes | memoryview, at: int, check: Check) -> Any:  # noqa: ANN401 re2 brings no types
        """The first match from a place on; asked piece by piece, which overlap by a match."""
        while True:
            check()
            end = at + _BYTES_AT_ONCE
            match = self._regex.search(text, at, end)
            if match is not None or end >= len(text):
                return match
            at = end - self._longest


class Shelf:
    """Ascending terms, one a line, between line feeds."""

    def __init__(self, terms: Sequence[bytes], check: Check = unchecked) -> None:
        """Write the lines."""
        self._lines = b"\n" + b"\n".join(terms) + b"\n"
        check()
        lengths = np.fromiter(map(len, terms), dtype=np.int64, count=len(terms))
        self._starts = (np.cumsum(lengths + 1) - lengths).astype(np.uint32)
        self.count = len(terms)

    @property
    def size(self) -> int:
        """How many bytes a question goes through."""
        return len(self._lines)

    def holding(
        self, pattern: TermPattern, most: int, check: Check = unchecked
    ) -> list[int] | None:
        """The terms that match; None when they are more than so many."""
        last = pattern.last_bytes(self._lines, most, check)
        if last is None:
            return None
        places = np.array(last, dtype=np.int64)
        numbers: list[int] = (np.searchsorted(self._starts, places, side="right") - 1).tolist()
        return numbers

    def beginning(self, text: bytes) -> range:
        """The terms that begin with a text."""
        every = range(self.count)
        first = bisect_left(every, text, key=self.term)
        return range(first, bisect_left(every, text + _LAST, lo=first, key=self.term))

    def term(self, number: int) -> bytes:
        """One of the terms."""
        begin = int(self._starts[number])
        return self._lines[begin : self._lines.index(b"\n", begin)]


class EntryShelf:
    """A shelf of plain ASCII terms that knows what the dictionary says of each."""

    def __init__(
        self, terms: Sequence[bytes], columns: Sequence[U32], check: Check = unchecked
    ) -> None:
        """Take what `gathered` found."""
        self._shelf = Shelf(terms, check)
        check()
        self._columns: U32 = np.hstack([np.zeros((5, 0), np.uint32), *columns])

    @property
    def size(self) -> int:
        """How many bytes a question goes through."""
        return self._shelf.size

    def entries(
        self, needle: Needle, most: int, check: Check = unchecked
    ) -> list[TermEntry] | None:
        """What the dictionary says of the terms that hold a needle, if they are not too many."""
        numbers: Sequence[int] | None
        if needle.left != Edge.OPEN:  # before an ASCII term there is nothing
            numbers = self._shelf.beginning(needle.text.encode())
        else:
            pattern = TermPattern(needle, edges=True, any_case=False)
            numbers = self._shelf.holding(pattern, most, check)
        if numbers is None or len(numbers) > most:
            return None
        rows: list[list[int]] = self._columns[:, list(numbers)].T.tolist()
        return [
            TermEntry(chunks, occurrences, block, (tail, length), (0, 0))
            for chunks, occurrences, block, tail, length in rows
        ]


def gathered(dictionary: TermDictionary, check: Check = unchecked) -> tuple[EntryShelf, Shelf]:
    """All terms that may be parts of words in ASCII, and all with other characters."""
    parts: list[bytes] = []
    foreign: list[bytes] = []
    columns: list[U32] = []
    for page in _pages(dictionary):
        check()
        whole = [at for at, term in enumerate(page.terms) if _UNDERSCORE not in term]
        chosen = [at for at in whole if page.terms[at].isascii()]
        parts += [page.terms[at] for at in chosen]
        columns.append(_columns(page)[:, chosen].astype(np.uint32))
        foreign += [term for term in page.terms if not term.isascii()]
    return EntryShelf(parts, columns, check), Shelf(foreign, check)


def foreign_terms(dictionary: TermDictionary, check: Check = unchecked) -> list[bytes]:
    """In order: those that begin in ASCII, then all that follow these."""
    later: list[bytes] = []
    for page in _pages(dictionary, backwards=True):
        check()
        begin = bisect_left(page.terms, _BEYOND_ASCII)
        later[:0] = page.terms[begin:]
        if begin:
            break
    places = _beyond_ascii(dictionary, sum(map(len, later)), check)
    held: list[bytes] = []
    for begin in range(0, len(places), _PLACES_AT_ONCE):
        check()
        found = dictionary.terms_at(places[begin : begin + _PLACES_AT_ONCE])
        held += found[1:] if found[:1] == held[-1:] else found
    return held + later


def _beyond_ascii(dictionary: TermDictionary, later: int, check: Check) -> I64:
    """Where characters beyond ASCII begin in the dictionary's text, but for its last bytes."""
    found = [np.zeros(0, np.int64)]
    at, before = 0, False
    for piece in dictionary.texts(_BYTES_AT_ONCE):
        check()
        beyond = np.frombuffer(piece, dtype=np.uint8) > 0x7F
        last = bool(beyond[-1])
        # a term that begins in ASCII ends a row of other bytes before it
        beyond[1:] &= ~beyond[:-1]
        beyond[0] &= not before
        found.append(np.flatnonzero(beyond) + at)
        at, before = at + len(piece), last
    places = np.concatenate(found)
    return places[places < at - later]


def _pages(dictionary: TermDictionary, *, backwards: bool = False) -> Iterator[Page]:
    count = dictionary.page_count
    firsts = range(0, count, _PAGES_AT_ONCE)
    for first in reversed(firsts) if backwards else firsts:
        yield dictionary.span(first, min(first + _PAGES_AT_ONCE, count))


def _columns(page: Page) -> I64:
    """Chunks, occurrences, first block, tail and its length of each term."""
    return np.vstack(
        [
            page.chunks,
            page.occurrences,
            page.starts[4] + page.blocks[:-1],
            page.starts[2] + page.tails[:-1],
            np.diff(page.tails),
        ]
    )
