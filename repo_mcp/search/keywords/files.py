"""The files that may hold what is looked for, in path order, and no sooner than they are wanted.

Segments are asked one after the other as the order comes to them: whoever wants the first lines
only pays for the first segments.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from index_format import Snapshot
from index_format.generation.snapshot import LiveSegment
from index_format.segment.reader import SegmentReader
from repo_mcp.budget import Budget
from repo_mcp.search.dictionary.needles import Clause
from repo_mcp.search.keywords.lines import Keyword
from repo_mcp.search.keywords.texts import KeptTexts, KeywordTexts, Sieve
from repo_mcp.search.keywords.words import I64, KeywordDictionaries, KeywordWords, required
from repo_mcp.stored import BODY


class Candidate(NamedTuple):
    """A file that may hold what is looked for, and where it is indexed, if it is."""

    path: str
    reader: SegmentReader | None = None
    number: int = 0


# the files of a segment, ascending
Ask = Callable[[KeywordWords, KeptTexts | None], Iterable[int]]


class KeywordFiles:
    """What one snapshot knows of some keywords."""

    def __init__(
        self,
        snapshot: Snapshot,
        known: tuple[KeywordDictionaries, KeywordTexts],
        words: Sequence[Keyword],
        budget: Budget,
    ) -> None:
        """Ask nothing yet."""
        self._snapshot = snapshot
        self._dictionaries, self._texts = known
        self._wanted = [required(word.text) for word in words]
        sure = filter(None, (word.sure for word in words))
        self._needles = tuple(sorted(sure, key=len, reverse=True))  # the long ones are rare
        self._budget = budget

    def on_a_line(self, after: str = "") -> Iterator[Candidate]:
        """Files that may have a line with all words; those before `after` are left out."""
        every: tuple[Clause, ...] = tuple(clause for wanted in self._wanted for clause in wanted)
        sieve = Sieve(self._needles, on_a_line=True)

        def ask(words: KeywordWords, kept: KeptTexts | None) -> Iterable[int]:
            chunks = words.holding(every, self._budget.check)
            if chunks is None:
                return _worth(words.every_file(), kept, sieve)
            owners = words.owners(chunks)
            if kept is None:
                return _worth(np.unique(owners), kept, sieve)
            return kept.owners_worth(owners, chunks, sieve)

        return self._in_order(ask, after.encode())

    def anywhere(self, after: str = "") -> Iterator[Candidate]:
        """Files that may hold each of the words somewhere."""
        sieve = Sieve(self._needles, on_a_line=False)

        def ask(words: KeywordWords, kept: KeptTexts | None) -> Iterable[int]:
            found = words.every_file()
            for wanted in self._wanted:
                chunks = words.holding(wanted, self._budget.check)
                if chunks is not None:
                    found = np.intersect1d(found, words.owners(chunks))
            return _worth(found, kept, sieve)

        return self._in_order(ask, after.encode())

    def _in_order(self, ask: Ask, after: bytes) -> Iterator[Candidate]:
        """Merge what segments hold; one is asked when all smaller paths have been handed out."""
        field = self._snapshot.schema.number(BODY) or 0
        waiting = [item for item in self._snapshot.segments if item.reader.files.paths]
        waiting = [item for item in waiting if item.reader.files.paths[-1] >= after]
        waiting.sort(key=lambda item: item.reader.files.paths[0], reverse=True)
        heads: list[tuple[bytes, int, LiveSegment, Iterator[int]]] = []
        while waiting or heads:
            if waiting and (not heads or waiting[-1].reader.files.paths[0] <= heads[0][0]):
                self._budget.check()
                segment = waiting.pop()
                words = self._dictionaries.of(segment.reader, field)
                files = ask(words, self._texts.of(segment.reader))
                _push(heads, segment, _live(segment, files, after))
                continue
            path, number, segment, rest = heapq.heappop(heads)
            _push(heads, segment, rest)
            yield Candidate(path.decode("utf-8", "surrogatepass"), segment.reader, number)


def _worth(files: I64, kept: KeptTexts | None, sieve: Sieve) -> Iterable[int]:
    return files.tolist() if kept is None else kept.files_worth(files, sieve)


def _push(
    heads: list[tuple[bytes, int, LiveSegment, Iterator[int]]],
    segment: LiveSegment,
    rest: Iterator[int],
) -> None:
    number = next(rest, None)
    if number is not None:  # a path is alive in one segment only: no two are compared further
        heapq.heappush(heads, (segment.reader.files.paths[number], number, segment, rest))


def _live(segment: LiveSegment, files: Iterable[int], after: bytes) -> Iterator[int]:
    paths, dead = segment.reader.files.paths, segment.dead_files
    return (at for at in files if at not in dead and paths[at] >= after)
