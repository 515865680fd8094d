"""Candidate files of an exact search in path order, filtered by the index's dictionary."""

from __future__ import annotations

import heapq
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from index_format import BySegment, LiveSegment, Snapshot
from repo_mcp.budget import Budget
from repo_mcp.search.dictionary.needles import Branch, Clause, Needle
from repo_mcp.search.dictionary.words import Dictionaries, SegmentWords
from repo_mcp.stored import BODY

if TYPE_CHECKING:
    import numpy.typing as npt

I64: TypeAlias = "npt.NDArray[np.int64]"
# the next path of each begun segment, its place and its other paths; a path is alive in one
# segment only, so that no two tie
_Heads: TypeAlias = list[tuple[bytes, int, Iterator[bytes]]]

# lookups that cost at most so many file reads are made first
_CHEAP: Final = 40
# files that a search with a limit is assumed to read at most, when lookup costs are weighed
_HOPED: Final = 600
# files that a search with a limit reads before it spends more on lookups
_FIRST_FILES: Final = 800

# the clauses of each line of a match
Required = Sequence[Sequence[Clause]]


class Candidates:
    """The files of a snapshot that may match, in path order; for one search.

    A segment's dictionary is read when its first path is next, so a search for few lines reads few
    segments. Unless every file will be read, only cheap lookups are made at first.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        required: Required,
        dictionaries: Dictionaries,
        budget: Budget,
        *,
        every: bool,
        after: str = "",
    ) -> None:
        """`every`: all candidates will be read. Files before the path `after` are left out."""
        self._snapshot = snapshot
        # needles that others have looked up, with `every` or without
        self._looked_up: dict[bool, Mapping[str, list[int] | None]] = {}
        self._field = snapshot.schema.number(BODY) or 0
        self._required = required
        self._dictionaries = dictionaries
        self._budget = budget
        self._every = every
        self._after = after.encode("utf-8", "surrogatepass")
        self._before_more = sys.maxsize if every else _FIRST_FILES
        self._files = self._merge_segments()
        # true if the dictionary excluded any files
        self.is_narrowed = False

    def __iter__(self) -> Iterator[str]:
        """Yields paths."""
        for path in self._files:
            yield path.decode("utf-8", "surrogatepass")

    def by_segment(self, *, every: bool = True) -> list[Sequence[int]]:
        """Numbers of the files of each segment that may match, dead ones too.

        Without `every`, only cheap lookups are made.
        """
        segments = self._snapshot.segments
        return [self._candidate_files(segment, every=every) for segment in segments]

    def count_rest(self, is_meant: Callable[[str], bool] | None = None) -> int:
        """Number of candidates not yielded yet, without further lookups in begun segments."""
        self._before_more = sys.maxsize
        return sum(1 for path in self if is_meant is None or is_meant(path))

    def _merge_segments(self) -> Iterator[bytes]:
        segments = self._snapshot.segments
        waiting = [item for item in segments if item.reader.files.count]
        waiting = [item for item in waiting if _last_path(item) >= self._after]
        if self._every:
            yield from sorted(chain.from_iterable(map(self._segment_paths, waiting)))
            return
        heads: _Heads = []
        for number, segment in enumerate(sorted(waiting, key=_first_path)):
            yield from self._merge_heads(heads, before=_first_path(segment))
            _push(heads, number, self._segment_paths(segment))
        yield from self._merge_heads(heads)

    def _merge_heads(self, heads: _Heads, before: bytes | None = None) -> Iterator[bytes]:
        """The paths of begun segments in order; those `before` the next segment's first one."""
        while heads and (before is None or heads[0][0] < before):
            path, number, rest = heapq.heappop(heads)
            self._before_more -= 1
            yield path
            _push(heads, number, rest)

    def _segment_paths(self, segment: LiveSegment) -> Iterator[bytes]:
        """Live candidates of a segment; looked up again, at more cost, after many files."""
        self._budget.check()
        paths, dead = segment.reader.files.paths, segment.dead_files
        places = range(segment.reader.file_count)
        at = bisect_left(places, self._after, key=paths.path) if self._after else 0
        every = False
        while not every:
            every = self._every = self._every or self._before_more <= 0
            # all paths are read for many, which takes longer than to read a few
            path_of = paths.all.__getitem__ if every else paths.path
            for number in self._candidate_files(segment, every=every):
                if number < at or number in dead:
                    continue
                if not every and self._before_more <= 0:
                    break
                at = number + 1
                yield path_of(number)
            else:
                return

    def _candidate_files(self, segment: LiveSegment, *, every: bool) -> Sequence[int]:
        """Numbers of the files that the segment's dictionary does not exclude, ascending."""
        if self._snapshot.is_distributed:
            if every not in self._looked_up:
                needed = FilesWithNeedles(self._required, self._field, every=every)
                self._looked_up[every] = self._snapshot.ask(needed)
            # segments that are left out have no candidates
            numbers = self._looked_up[every].get(segment.entry.name, [])
        else:
            words = self._dictionaries.segment_words(segment.reader, self._field)
            numbers = _list_files(segment, words, self._required, self._budget, every=every)
        self._budget.check()
        if numbers is None:
            return range(segment.entry.files)
        self.is_narrowed = True
        return numbers


class CandidateUnion:
    """The candidates of several requirements in path order, each for files of its own."""

    def __init__(self, parts: Sequence[tuple[Candidates, Callable[[str], bool]]]) -> None:
        """With each, which of its files are meant; no file is meant twice."""
        self._parts = parts

    def __iter__(self) -> Iterator[str]:
        """Yields paths."""
        return heapq.merge(*(filter(is_meant, part) for part, is_meant in self._parts))

    @property
    def is_narrowed(self) -> bool:
        """True if the dictionary excluded any files."""
        return any(part.is_narrowed for part, _ in self._parts)

    def count_rest(self) -> int:
        """Number of candidates not yielded yet."""
        return sum(part.count_rest(is_meant) for part, is_meant in self._parts)


class FilesWithNeedles(BySegment[list[int] | None]):
    """The files of a segment that its dictionary does not exclude; None where that says nothing."""

    def __init__(self, required: Required, field: int, *, every: bool) -> None:
        self._required = [list(line) for line in required]
        self._field = field
        self._every = every

    def of_segment(self, segment: LiveSegment) -> list[int] | None:
        """Ascending, dead ones too."""
        words = _DICTIONARIES.segment_words(segment.reader, self._field)
        return _list_files(segment, words, self._required, Budget(), every=self._every)


def chunks_with_needles(words: SegmentWords, required: Required, budget: Budget) -> I64 | None:
    """The chunks of a segment that its dictionary does not exclude, dead ones too.

    None where that says nothing. All lines of a match are in one chunk.
    """
    found: I64 | None = None
    for line in required:
        chunks = _NeedleLookup(words, budget, every=True).chunks(line)
        if chunks is not None:
            found = chunks if found is None else _common(found, chunks)
    return found


def _list_files(
    segment: LiveSegment, words: SegmentWords, required: Required, budget: Budget, *, every: bool
) -> list[int] | None:
    found: I64 | None = None
    bounds = segment.reader.files.bounds
    for line in required:
        chunks = _NeedleLookup(words, budget, every=every).chunks(line)
        if chunks is not None:
            files = _distinct(np.searchsorted(bounds, chunks, side="right") - 1)
            found = files if found is None else _common(found, files)
    if found is None:
        return None
    numbers: list[int] = found.tolist()
    return numbers


# of the segments that are open for others
_DICTIONARIES: Final = Dictionaries()


def _push(heads: _Heads, number: int, rest: Iterator[bytes]) -> None:
    path = next(rest, None)
    if path is not None:
        heapq.heappush(heads, (path, number, rest))


def _first_path(segment: LiveSegment) -> bytes:
    return segment.reader.files.paths.path(0)


def _last_path(segment: LiveSegment) -> bytes:
    return segment.reader.files.paths.path(segment.reader.files.count - 1)


def _distinct(ascending: I64) -> I64:
    """Ascending numbers without duplicates."""
    new = np.ones(len(ascending), dtype=np.bool_)
    new[1:] = ascending[1:] != ascending[:-1]
    distinct: I64 = ascending[new]
    return distinct


def _common(one: I64, other: I64) -> I64:
    """Distinct numbers that are in both."""
    both = np.sort(np.concatenate([one, other]))
    common: I64 = both[1:][both[1:] == both[:-1]]
    return common


class _NeedleLookup:
    """Looks up the needles of one line in one segment, and caches the results."""

    def __init__(self, words: SegmentWords, budget: Budget, *, every: bool) -> None:
        self._words = words
        self._check = budget.check
        self._every = every
        self._known: dict[Needle, tuple[int, I64 | None]] = {}
        self._costs: dict[Needle, float] = {}

    def chunks(self, clauses: Sequence[Clause]) -> I64 | None:
        """The chunks that satisfy all clauses worth a lookup, cheap lookups first."""
        found: I64 | None = None
        for most in (_CHEAP, self._words.file_count):
            for clause in clauses:
                chunks = self._clause_chunks(clause, min(most, self._max_cost(found)))
                if chunks is not None:
                    found = chunks if found is None else _common(found, chunks)
        return found

    def _max_cost(self, found: I64 | None) -> int:
        """The cost up to which a lookup pays: it is assumed to exclude half of the files."""
        files = self._words.file_count if found is None else len(found)
        return (files if self._every else min(files, _HOPED)) // 2

    def _clause_chunks(self, clause: Clause, most: float) -> I64 | None:
        """Chunks of any branch; None if one branch excludes nothing."""
        found: list[I64] = []
        for branch in clause:
            chunks = self._branch_chunks(branch, most / len(clause))
            if chunks is None:
                return None
            found.append(chunks)
        return found[0] if len(found) == 1 else _distinct(np.sort(np.concatenate(found)))

    def _branch_chunks(self, branch: Branch, most: float) -> I64 | None:
        """Chunks with all needles that are worth a lookup."""
        found: I64 | None = None
        for needle in sorted(branch, key=self._order):
            max_cost = min(most, self._max_cost(found))
            if self._cost(needle) > max_cost:
                break
            chunks = self._needle_chunks(needle, int(max_cost))
            if chunks is not None:
                found = chunks if found is None else _common(found, chunks)
        return found

    def _needle_chunks(self, needle: Needle, max_cost: int) -> I64 | None:
        """Chunks of a needle, looked up once, and again if more may be spent."""
        spent, chunks = self._known.get(needle, (-1, None))
        if chunks is None and max_cost > spent:
            chunks = self._words.chunks(needle, max_cost, self._check)
            self._known[needle] = max_cost, chunks
        return chunks

    def _order(self, needle: Needle) -> tuple[float, int]:
        return self._cost(needle), -len(needle.text)

    def _cost(self, needle: Needle) -> float:
        cost = self._costs.get(needle)
        if cost is None:
            cost = self._costs[needle] = self._words.cost(needle)
        return cost
