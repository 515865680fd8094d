"""Terms of one field of one segment that contain, begin with or equal a text, and their chunks.

A dictionary's bytes are searched in one pass, its pages are decoded only where something was found.
Who asks often splits off kinds of terms first (`TermLines`), which are an eighth of all bytes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from index_format.codec import postings
from index_format.codec.bits import distinct, ranges
from index_format.codec.terms import SplitTerms, TermDictionary, TermEntry
from index_format.codec.wire import MalformedError
from index_format.layout import BLOCK
from index_format.query import Edge
from index_format.segment.reader import SegmentReader
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    import numpy.typing as npt

I64: TypeAlias = "npt.NDArray[np.int64]"
U32: TypeAlias = "npt.NDArray[np.uint32]"
Bits: TypeAlias = "npt.NDArray[np.bool_]"

# called now and then; raises if the query was cancelled
Check = Callable[[], None]
# a kind of terms
Keep = Callable[[bytes], bool]

# bytes that are searched without asking whether to go on
_BYTES_AT_ONCE: Final = 1 << 20
# places in a dictionary that are looked up at once: each may be on a page of its own
_PLACES_AT_ONCE: Final = 2048
# pages that are read for terms that begin with a text
_MOST_PAGES: Final = 64
# terms that hold a text, per term of a kind that is looked for
_LOOKED_AT_PER_TERM: Final = 2
# tails that lie closer than this are read in one go
_READ_THROUGH: Final = 16_384
_LAST: Final = b"\xff"
# bytes of a number
_U32: Final = 4
_BEYOND_ASCII: Final = 0x80
_NO_PLACE: Final = (0, 0)


def unchecked() -> None:
    """A check that never raises."""


_LEFT: Final = {Edge.OPEN: "", Edge.SOFT: r"[\n\x{80}-\x{10ffff}]", Edge.CLOSED: r"\n"}
_RIGHT: Final = {Edge.OPEN: "", Edge.SOFT: r"(?:\n|[\x{80}-\x{10ffff}])", Edge.CLOSED: r"\n"}


class TermText(NamedTuple):
    """A text that terms contain, and its edges; ignores case, by Unicode's rules."""

    text: str
    left: Edge = Edge.OPEN
    right: Edge = Edge.OPEN
    any_case: bool = False

    @property
    def data(self) -> bytes:
        """The text as terms are stored."""
        return self.text.encode("utf-8", "surrogatepass")

    def fits(self, term: bytes) -> bool:
        """True if a term holds the text in its own letter case, with these edges."""
        data = self.data
        at = term.find(data)
        while at >= 0:
            if _fits(self.left, term[:at][-1:]) and _fits(self.right, term[at + len(data) :][:1]):
                return True
            at = term.find(data, at + 1)
        return False


def _fits(edge: Edge, beside: bytes) -> bool:
    if edge == Edge.OPEN or not beside:
        return True
    return edge == Edge.SOFT and beside[0] >= _BEYOND_ASCII


class TermColumns(NamedTuple):
    """Dictionary columns of some terms: chunk counts, and offsets of their postings."""

    chunks: I64
    blocks: I64
    tails: I64
    lengths: I64

    @classmethod
    def of(cls, entries: Sequence[TermEntry]) -> TermColumns:
        """The columns of some entries."""
        rows = [(entry.chunks, entry.first_block, *entry.tail) for entry in entries]
        table = np.array(rows, dtype=np.int64).reshape(-1, 4)
        return cls(table[:, 0], table[:, 1], table[:, 2], table[:, 3])

    @property
    def postings(self) -> int:
        """The total number of chunks over all entries."""
        return int(self.chunks.sum())

    def joined(self, others: TermColumns) -> TermColumns:
        """These and others."""
        pairs = zip(self, others, strict=True)
        return TermColumns(*(np.concatenate(pair) for pair in pairs))


class TermLines:
    """Ascending terms of one kind, one a line, so that one pass finds those that hold a text."""

    def __init__(self, terms: Sequence[bytes], numbers: U32 | None = None) -> None:
        """`numbers` are those in the dictionary, where they are known."""
        self._lines = b"\n" + b"\n".join(terms) + b"\n"
        lengths = np.fromiter(map(len, terms), dtype=np.int64, count=len(terms))
        self._starts: U32 = (np.cumsum(lengths + 1) - lengths).astype(np.uint32)
        self.numbers = numbers
        self.count = len(terms)

    @classmethod
    def joined(cls, parts: Sequence[SplitTerms], firsts: Sequence[int]) -> TermLines:
        """From terms that were split off, and the numbers from which those of each count."""
        made = cls(())
        made._lines = b"".join([b"\n", *(memoryview(lines)[1:] for lines, _, _ in parts)])
        ends = np.cumsum([0, *(len(numbers) // _U32 for _, _, numbers in parts)]).tolist()
        made._starts = np.empty(ends[-1], np.uint32)
        made.numbers = np.empty(ends[-1], np.uint32)
        before = 0
        for (lines, starts, numbers), first, at, end in zip(
            parts, firsts, ends, ends[1:], strict=False
        ):
            np.add(np.frombuffer(starts, np.uint32), np.uint32(before), made._starts[at:end])
            np.add(np.frombuffer(numbers, np.uint32), np.uint32(first), made.numbers[at:end])
            before += len(lines) - 1
        made.count = len(made.numbers)
        return made

    @property
    def size(self) -> int:
        """The number of bytes that a search scans."""
        return len(self._lines)

    def containing(self, what: TermText, most: int, check: Check = unchecked) -> I64 | None:
        """The lines that hold a text; None when they are more than the limit."""
        if what.any_case or Edge.SOFT in {what.left, what.right}:
            places = _Expression(what).last_bytes(self._lines, most, check)
        else:
            before, after = (b"\n" * (edge == Edge.CLOSED) for edge in (what.left, what.right))
            places = self._places(before + what.data + after, len(before), most, check)
        if places is None:
            return None
        found = np.searchsorted(self._starts, np.array(places, dtype=np.int64), side="right") - 1
        return distinct(found)

    def beginning(self, text: bytes) -> I64:
        """The lines that begin with a text."""
        every = range(self.count)
        first = bisect_left(every, text, key=self.term)
        last = bisect_left(every, text + _LAST, lo=first, key=self.term)
        return np.arange(first, last)

    def term(self, number: int) -> bytes:
        """The term on a line."""
        begin = int(self._starts[number])
        return self._lines[begin : self._lines.index(b"\n", begin)]

    def _places(self, text: bytes, skipped: int, most: int, check: Check) -> list[int] | None:
        """The offsets of the text behind so many bytes, one a line."""
        found: list[int] = []
        lines, at = self._lines, 0
        while at < len(lines):
            check()
            end = min(at + _BYTES_AT_ONCE, len(lines))
            place = lines.find(text, at, end + len(text) - 1)
            while place >= 0:
                if len(found) == most:
                    return None
                found.append(place + skipped)
                at = lines.find(b"\n", place + skipped)
                place = lines.find(text, at, end + len(text) - 1)
            at = max(at, end)
        return found


def terms_holding(
    terms: TermDictionary, text: bytes, check: Check = unchecked
) -> Iterator[tuple[int, bytes]]:
    """Numbers and terms of a dictionary that hold a text, ascending."""
    for number, data, lengths in terms.joined(text):
        check()
        places = np.array([*_places(data, text)], dtype=np.int64)
        if not len(places):
            continue
        ends = np.cumsum(lengths, dtype=np.int64)
        which = np.searchsorted(ends, places, side="right")
        inside = which[places + len(text) <= ends[which]]  # others lie across two terms
        for at in distinct(inside).tolist():
            end = int(ends[at])
            yield number + at, data[end - int(lengths[at]) : end]


def _places(data: bytes, text: bytes) -> Iterator[int]:
    at = data.find(text)
    while at >= 0:
        yield at
        at = data.find(text, at + 1)


class TermSearch:
    """Searches the dictionary of one field of one segment; thread-safe."""

    def __init__(self, reader: SegmentReader, field: int) -> None:
        """Nothing is read yet."""
        found = reader.field(field)
        self._terms = found.terms
        self._lists = found.lists
        self._chunk_count = reader.chunk_count

    def __len__(self) -> int:
        """Count of terms."""
        return len(self._terms)

    @property
    def can_split(self) -> bool:
        """True if `split` is quick enough for a single search."""
        return self._terms.can_split

    def split(self, check: Check = unchecked) -> tuple[TermLines, TermLines] | None:
        """ASCII terms without underscores, and those beyond ASCII; None without compiled code."""
        if not self.can_split:
            return None
        numbers: list[int] = []
        parts: list[SplitTerms] = []
        beyond: list[SplitTerms] = []
        for number, some, others in self._terms.split():
            check()
            numbers.append(number)
            parts.append(some)
            beyond.append(others)
        return TermLines.joined(parts, numbers), TermLines.joined(beyond, numbers)

    def beyond_ascii(self, check: Check = unchecked) -> TermLines:
        """All terms with characters beyond ASCII, without reading all pages."""
        return TermLines(_beyond_ascii_terms(self._terms, check))

    def entry(self, term: bytes) -> TermEntry | None:
        """The dictionary entry of a term."""
        return self._terms.find(term)

    def equal(self, terms: Iterable[bytes]) -> TermColumns:
        """These terms, as far as the dictionary has them."""
        found = map(self._terms.find, terms)
        return TermColumns.of([entry for entry in found if entry is not None])

    def on_lines(self, lines: TermLines, chosen: I64) -> TermColumns:
        """The terms on some lines."""
        if lines.numbers is not None:
            return self._columns(lines.numbers[chosen].astype(np.int64))
        return self.equal(map(lines.term, chosen.tolist()))

    def beginning(self, text: bytes, most: int, keep: Keep | None = None) -> TermColumns | None:
        """Terms of a kind that begin with a text; None when they are more than so many."""
        found: list[TermEntry] = []
        for number, (page, begin) in enumerate(self._terms.pages_from(text)):
            end = bisect_left(page.terms, text + _LAST)
            chosen = range(begin, end)
            found += [page.entry(at) for at in chosen if keep is None or keep(page.terms[at])]
            if end < len(page.terms):
                break
            if len(found) > most or number == _MOST_PAGES:
                return None
        return TermColumns.of(found)

    def containing(
        self, what: TermText, most: int, keep: Keep | None = None, check: Check = unchecked
    ) -> TermColumns | None:
        """Terms of a kind that hold a text in its letter case; None when they are too many."""
        numbers: list[int] = []
        found = terms_holding(self._terms, what.data, check)
        for count, (number, term) in enumerate(found):
            if what.fits(term) and (keep is None or keep(term)):
                numbers.append(number)
            if len(numbers) > most or count > most * _LOOKED_AT_PER_TERM:
                return None
        return self._columns(np.array(numbers, np.int64))

    def _columns(self, numbers: I64) -> TermColumns:
        """The dictionary columns of terms by number."""
        parts = [
            self._terms.columns(numbers[begin : begin + _PLACES_AT_ONCE])
            for begin in range(0, len(numbers), _PLACES_AT_ONCE)
        ]
        none = tuple(np.zeros(0, np.int64) for _ in range(4))
        return TermColumns(*(np.concatenate(column) for column in zip(none, *parts, strict=True)))

    def mark(self, held: Bits, terms: TermColumns) -> None:
        """Set the place of each chunk that holds one of the terms."""
        short = ((terms.chunks > 0) & (terms.chunks < BLOCK)).nonzero()[0]
        if not self._mark_tails(held, terms, short):
            short = short[:0]
        others = np.ones(len(terms.chunks), dtype=np.bool_)
        others[short] = False
        columns = [column[others].tolist() for column in terms]
        for chunks, block, tail, length in zip(*columns, strict=True):
            entry = TermEntry(chunks, chunks, block, (tail, length), _NO_PLACE)
            held[self._lists.term(entry).all()[0]] = True

    def _mark_tails(self, held: Bits, terms: TermColumns, short: I64) -> bool:
        """False for bytes that no writer stores: reading them one by one finds the error."""
        if not len(short):
            return True
        short = short[np.argsort(terms.tails[short], kind="stable")]
        counts, lengths, tails = terms.chunks[short], terms.lengths[short], terms.tails[short]
        try:
            gaps, _ = postings.decode_tails(self._tails(tails, lengths), lengths, counts)
        except MalformedError:
            return False
        chunks = postings.chunks_of_tails(gaps, counts, np.full(len(short), -1, dtype=np.int64))
        if int(chunks.max()) >= self._chunk_count:
            return False
        held[chunks] = True
        return True

    def _tails(self, starts: I64, lengths: I64) -> bytes:
        """The bytes of ascending tails, read in as many goes as they lie apart."""
        ends = starts + lengths
        cuts = [0, *((starts[1:] - ends[:-1] > _READ_THROUGH).nonzero()[0] + 1), len(starts)]
        parts: list[npt.NDArray[np.uint8]] = []
        for first, last in pairwise(map(int, cuts)):
            begin, end = int(starts[first]), int(ends[first:last].max())
            whole = TermEntry(1, 1, 0, (begin, end - begin), _NO_PLACE)
            data = np.frombuffer(self._lists.tail_bytes(whole), dtype=np.uint8)
            parts.append(data[ranges(starts[first:last] - begin, lengths[first:last])])
        return np.concatenate(parts).tobytes()


class _Expression:
    """A text in lines of terms, in any letter case or with soft edges."""

    def __init__(self, what: TermText) -> None:
        import re2  # type: ignore[import-untyped] # noqa: PLC0415 most searches don't need it

        text = re2.escape(what.text)
        text = f"(?i:{text})" if what.any_case else text
        options = re2.Options()
        options.log_errors = False
        whole = f"{_LEFT[what.left]}{text}{_RIGHT[what.right]}"
        self._regex: Any = re2.compile(whole.encode("utf-8", "surrogatepass"), options)
        # a character that stands for another one may have more bytes, but no more than four
        self._longest = 4 * len(what.text) + 8
        re2.purge()

    def last_bytes(self, lines: bytes, most: int, check: Check) -> list[int] | None:
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

    def _next(self, text: bytes, at: int, check: Check) -> Any:  # noqa: ANN401 re2 brings no types
        """The first match from a place on; searches in pieces that overlap by one match."""
        while True:
            check()
            end = at + max(_BYTES_AT_ONCE, 2 * self._longest)
            match = self._regex.search(text, at, end)
            if match is not None or end >= len(text):
                return match
            at = end - self._longest


def _beyond_ascii_terms(dictionary: TermDictionary, check: Check) -> list[bytes]:
    """In order, from the pages that have any."""
    found: list[bytes] = []
    for number in dictionary.pages_beyond_ascii():
        check()
        found += (term for term in dictionary.page(number).terms if not term.isascii())
    return found
