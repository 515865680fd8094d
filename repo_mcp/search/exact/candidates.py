"""Which files may hold a match: what their words say, before any is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from index_format import LiveSegment, Snapshot
from repo_mcp.budget import Budget
from repo_mcp.search.dictionary.needles import Branch, Clause, Needle
from repo_mcp.search.dictionary.scan import Dictionaries, SegmentWords
from repo_mcp.stored import BODY

I64 = npt.NDArray[np.int64]

# what costs no more than reading so many files is asked first
_CHEAP: Final = 40
# while it is not known whether many have to be read, it is hoped that these will do
_HOPED: Final = 600

# what all lines of a match require, line by line
Required = Sequence[Sequence[Clause]]


class CandidateFiles(NamedTuple):
    """Paths in their order; `narrowed` when the index tells them from others."""

    paths: list[bytes]
    narrowed: bool


class Candidates:
    """The files of a snapshot that may hold a match, in path order."""

    def __init__(
        self, snapshot: Snapshot, required: Required, dictionaries: Dictionaries, budget: Budget
    ) -> None:
        """Ask nothing yet."""
        self._snapshot = snapshot
        self._required = required
        self._budget = budget
        body = snapshot.schema.number(BODY)
        self._words = [dictionaries.of(segment.reader, body or 0) for segment in snapshot.segments]
        for words in self._words:
            words.begin()

    def chosen(self, *, every: bool) -> CandidateFiles:
        """What is left after questions that pay when `every` file is going to be read, or few."""
        found: list[bytes] = []
        both = zip(self._snapshot.segments, self._words, strict=True)
        narrowed = [self._add(found, segment, words, every=every) for segment, words in both]
        found.sort()  # which finds what is in order already
        return CandidateFiles(found, narrowed=any(narrowed))

    def _add(
        self, found: list[bytes], segment: LiveSegment, words: SegmentWords, *, every: bool
    ) -> bool:
        """Add a segment's files; false when all of them are."""
        self._budget.check()
        files = self._files(segment, words, every=every)
        if files is None:
            found += _live(segment)
            return False
        self._budget.check()
        paths, dead = segment.reader.files.paths, segment.dead_files
        numbers = files.tolist()
        if dead:
            numbers = [number for number in numbers if number not in dead]
        found += map(paths.__getitem__, numbers)
        return True

    def _files(self, segment: LiveSegment, words: SegmentWords, *, every: bool) -> I64 | None:
        found: I64 | None = None
        bounds = segment.reader.files.bounds
        for line in self._required:
            chunks = _SegmentNeedles(words, self._budget, every=every).chunks(line)
            if chunks is not None:
                files = np.unique(np.searchsorted(bounds, chunks, side="right") - 1)
                found = files if found is None else np.intersect1d(found, files)
        return found


def _live(segment: LiveSegment) -> Iterator[bytes]:
    return (path for path, _ in segment.live_files())


class _SegmentNeedles:
    """What is known of one line's needles in one segment."""

    def __init__(self, words: SegmentWords, budget: Budget, *, every: bool) -> None:
        self._words = words
        self._check = budget.check
        self._every = every
        self._known: dict[Needle, tuple[int, I64 | None]] = {}
        self._costs: dict[Needle, float] = {}

    def chunks(self, clauses: Sequence[Clause]) -> I64 | None:
        """The chunks that satisfy all clauses as far as it pays to ask, cheap questions first."""
        found: I64 | None = None
        for most in (_CHEAP, self._words.file_count):
            for clause in clauses:
                held = self._of_clause(clause, min(most, self._worth(found)))
                if held is not None:
                    found = held if found is None else np.intersect1d(found, held)
        return found

    def _worth(self, found: I64 | None) -> int:
        """What may be spent to have fewer files to read: about half of them are spared."""
        files = self._words.file_count if found is None else len(found)
        return (files if self._every else min(files, _HOPED)) // 2

    def _of_clause(self, clause: Clause, most: float) -> I64 | None:
        """Those of any branch; None where one of them is no help."""
        found: list[I64] = []
        for branch in clause:
            held = self._of_branch(branch, most / len(clause))
            if held is None:
                return None
            found.append(held)
        return reduce(np.union1d, found)

    def _of_branch(self, branch: Branch, most: float) -> I64 | None:
        """Those with all needles that are worth a question."""
        found: I64 | None = None
        for needle in sorted(branch, key=self._order):
            worth = min(most, self._worth(found))
            if self._cost(needle) > worth:
                break
            held = self._of_needle(needle, int(worth))
            if held is not None:
                found = held if found is None else np.intersect1d(found, held, assume_unique=True)
        return found

    def _of_needle(self, needle: Needle, worth: int) -> I64 | None:
        """Asked once, or again when more may be spent."""
        spent, held = self._known.get(needle, (-1, None))
        if held is None and worth > spent:
            held = self._words.chunks(needle, worth, self._check)
            self._known[needle] = worth, held
        return held

    def _order(self, needle: Needle) -> tuple[float, int]:
        return self._cost(needle), -len(needle.text)

    def _cost(self, needle: Needle) -> float:
        cost = self._costs.get(needle)
        if cost is None:
            cost = self._costs[needle] = self._words.cost(needle)
        return cost
