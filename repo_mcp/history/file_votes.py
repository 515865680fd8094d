"""Votes of commits for the files that they changed, by the words of their messages.

How far the votes of a repository can be trusted is learned from its own last commits: each is asked
as a query, of older ones alone, for the files that it changed. Where messages say nothing of that,
as "wip" does, votes count nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from index_format.tuples import NamedTuple
from repo_mcp.history.commit_index import CommitIndex, Mask
from repo_mcp.history.model import Check
from repo_mcp.search import stem
from repo_mcp.stored import MESSAGE

if TYPE_CHECKING:
    import numpy.typing as npt

I32: TypeAlias = "npt.NDArray[np.int32]"
I64: TypeAlias = "npt.NDArray[np.int64]"
F64: TypeAlias = "npt.NDArray[np.float64]"

# BM25's saturation of a stem's frequency, and its length normalisation
_K1: Final = 1.2
_B: Final = 0.5
# longer words are hashes and the like
_LONGEST: Final = 32
# sums are rounded, so that equal messages are equal
_DIGITS: Final = 9
# the best commits vote, of the last ones
_VOTERS: Final = 300
MOST_VOTERS: Final = 50_000
# a commit of more files says little of each
_MOST_FILES: Final = 30
# exponents: of a commit's score by the best one's, of the number of its files, and of the number of
# commits that changed a file, by which the votes for it are divided
_SCORE: Final = 2.5
_FILES: Final = 0.5
_FREQUENT: Final = 0.3
# after so long a commit counts half
_HALF_LIFE: Final = 8 * 365 * 86_400
# commits that are asked for their files, with so many at most; and the distance to the commit that
# each is compared with, whose files they should not find
_ASKED: Final = 120
_MOST_ASKED_FILES: Final = 8
_APART: Final = 7
# by how much the share of a commit's own files is above that of others where votes mean nothing,
# and where they count wholly: ones of whole repositories are .23 to .50, .02 where it is chance
_CHANCE: Final = 0.05
_SURE: Final = 0.2
_LEAST_ASKED: Final = 20


class ChangedFiles:
    """The files of all commits as columns, by the names that renamed ones have now."""

    def __init__(self, index: CommitIndex, check: Check) -> None:
        """Read the files of all commits; merges and those of many files have none."""
        table = index.table
        names: dict[str, int] = {}
        renamed: dict[str, str] = {}
        rows: list[list[int]] = []
        for place in range(min(len(table), MOST_VOTERS)):
            check()
            files = [] if table.is_merge[place] else index.files(place)
            for item in files:
                if item.kind == "R":
                    renamed.setdefault(item.old_path, renamed.get(item.path, item.path))
            if len(files) > _MOST_FILES:
                files = []
            now = dict.fromkeys(renamed.get(item.path, item.path) for item in files)
            rows.append([names.setdefault(path, len(names)) for path in now])
        self.names = names
        self.sizes: I64 = np.array([len(row) for row in rows], dtype=np.int64)
        self.bounds: I64 = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)
        self.files: I64 = np.fromiter(chain.from_iterable(rows), np.int64, int(self.bounds[-1]))
        counts = np.bincount(self.files, minlength=len(names))
        self.rarity: F64 = np.maximum(counts, 1) ** -_FREQUENT
        dates = table.dates[: len(rows)]
        age = np.maximum(int(dates.max(initial=0)) - dates, 0)
        self.weights: F64 = 0.5 ** (age / _HALF_LIFE) / np.maximum(self.sizes, 1) ** _FILES

    def of(self, place: int) -> list[int]:
        """The files of one commit by their numbers."""
        begin, end = self.bounds[place : place + 2].tolist()
        found: list[int] = self.files[begin:end].tolist()
        return found


class Ballot(NamedTuple):
    """The votes for each file: by file, the commit and the vote."""

    files: I64
    places: I64
    votes: F64


class FileVotes:
    """The commits of one generation, asked which files they changed."""

    def __init__(self, index: CommitIndex, check: Check) -> None:
        """Read the messages and the files of commits; those without files have no votes."""
        self._table = index.table
        self.changed = ChangedFiles(index, check)
        self._messages = MessageTable(index, self.changed.sizes > 0, check)

    def ballot(self, words: Mapping[str, float], after: int = -1) -> Ballot | None:
        """The votes of the commits with these weighted words; None where there are none.

        Those `after` a place are older.
        """
        places, scores = self._messages.best(words, _VOTERS, after)
        if not len(places):
            return None
        changed = self.changed
        votes = (scores / scores[0]) ** _SCORE * changed.weights[places]
        sizes = changed.sizes[places]
        starts = np.repeat(changed.bounds[places] - np.cumsum(sizes) + sizes, sizes)
        files = changed.files[starts + np.arange(len(starts))]
        each = np.repeat(votes, sizes) * changed.rarity[files]
        return Ballot(files, np.repeat(places, sizes), each) if len(files) else None

    def trust(self, subjects: Sequence[tuple[int, Mapping[str, float]]], check: Check) -> float:
        """The trust in votes, from 0 to 1, by places of commits and their words."""
        asked = [row for row in subjects if len(self.changed.of(row[0]))][:_ASKED]
        if len(asked) < _LEAST_ASKED:
            return 0.0
        gains: list[float] = []
        for at, (place, words) in enumerate(asked):
            check()
            found = self.ballot(words, place)
            totals = np.zeros(len(self.changed.names))
            if found is not None:
                np.add.at(totals, found.files, found.votes)
                totals /= totals.max()
            other = asked[(at + _APART) % len(asked)][0]
            own, theirs = (fmean(totals[self.changed.of(item)]) for item in (place, other))
            gains.append(own - theirs)
        # of few commits the mean is unsure
        least = fmean(gains) - stdev(gains) / math.sqrt(len(gains))
        return min(max((least - _CHANCE) / (_SURE - _CHANCE), 0.0), 1.0)

    def identity(self, place: int) -> bytes:
        """The hash of the commit at a place."""
        return self._table.identity(place)

    def to_ask(self) -> list[int]:
        """Places of the last commits that can be asked for their files."""
        sizes = self.changed.sizes
        fit = (sizes > 0) & (sizes <= _MOST_ASKED_FILES)
        found: list[int] = fit.nonzero()[0][:_ASKED].tolist()
        return found


class CountedVotes:
    """The votes for the files of one query, as shares of those that the first one has."""

    def __init__(
        self, numbers: Mapping[str, int], ballot: Ballot, shares: dict[str, float]
    ) -> None:
        """Keep the arguments; `numbers` are those of files in the ballot."""
        self._numbers = numbers
        self._ballot = ballot
        self.shares = shares

    @classmethod
    def count(
        cls, numbers: Mapping[str, int], ballot: Ballot, worth: Mapping[str, float], trust: float
    ) -> CountedVotes | None:
        """The votes for these files, each worth so much; None where they have none."""
        totals = np.bincount(ballot.files, weights=ballot.votes, minlength=len(numbers))
        votes = {
            path: float(totals[number]) * factor
            for path, factor in worth.items()
            if (number := numbers.get(path)) is not None
        }
        most = max(votes.values(), default=0.0)
        if not most > 0 or math.isinf(most):
            return None
        return cls(numbers, ballot, {path: trust * vote / most for path, vote in votes.items()})

    def most_of(self, path: str) -> int | None:
        """The place of the commit that gave a file most of its votes."""
        number = self._numbers.get(path)
        mine = (self._ballot.files == number).nonzero()[0]
        if number is None or not len(mine):
            return None
        return int(self._ballot.places[mine[np.argmax(self._ballot.votes[mine])]])


class MessageTable:
    """The messages of some commits, as columns in memory: a query's are scored in one go."""

    def __init__(self, index: CommitIndex, wanted: Mask, check: Check) -> None:
        """Read the words of the messages of the wanted commits, by their places."""
        self._size = len(wanted)
        self._count = int(wanted.sum())
        parts: dict[str, list[tuple[I64, I64]]] = {}
        lengths = np.zeros(self._size)
        for word, places, times in _words(index, wanted, check):
            parts.setdefault(stem(word), []).append((places, times))
            np.add.at(lengths, places, times)
        self._starts: dict[str, tuple[int, int]] = {}
        columns = [_joined(rows) for rows in parts.values()]
        end = 0
        for name, (places, _) in zip(parts, columns, strict=True):
            self._starts[name] = end, end + len(places)
            end += len(places)
        none = np.zeros(0, dtype=np.int64)
        self._places: I32 = np.concatenate([none, *(item[0] for item in columns)]).astype(np.int32)
        self._times: I32 = np.concatenate([none, *(item[1] for item in columns)]).astype(np.int32)
        average = float(lengths.sum()) / max(self._count, 1)
        self._norms: F64 = _K1 * (1 - _B + _B * lengths / (average or 1.0))

    def best(self, words: Mapping[str, float], most: int, after: int = -1) -> tuple[I64, F64]:
        """Places and scores of the best commits for weighted words, best first.

        Those `after` a place are older.
        """
        first = after + 1
        scores = np.zeros(max(self._size - first, 0))
        weights: dict[str, float] = {}
        for word, weight in words.items():
            root = stem(word)
            weights[root] = weights.get(root, 0.0) + weight
        for root, weight in weights.items():
            begin, end = self._starts.get(root, (0, 0))
            count = end - begin
            if first:
                begin += int(np.searchsorted(self._places[begin:end], first))
            places = self._places[begin:end]
            times = self._times[begin:end].astype(np.float64)
            idf = math.log(1 + (self._count - count + 0.5) / (count + 0.5))
            gain = times * (_K1 + 1) / (times + self._norms[places])
            scores[places - first] += weight * idf * gain
        found = scores.nonzero()[0]
        rounded = np.round(scores[found], _DIGITS)
        if len(found) > most:
            last = np.partition(rounded, len(rounded) - most)[len(rounded) - most]
            kept = rounded >= last
            found, rounded = found[kept], rounded[kept]
        order = np.lexsort((found, -rounded))[:most]
        return found[order] + first, rounded[order]


def _words(index: CommitIndex, wanted: Mask, check: Check) -> Iterator[tuple[str, I64, I64]]:
    """The words of messages, with the places of the commits that have each and how often."""
    snapshot = index.snapshot
    field = snapshot.schema.number(MESSAGE) or 0
    numbers = {id(segment): number for number, segment in enumerate(snapshot.segments)}
    owners = [
        np.repeat(places, np.diff(segment.reader.files.bounds))
        for places, segment in zip(index.table.places, snapshot.segments, strict=True)
    ]
    for term in snapshot.terms(field):
        check()
        if len(term) > _LONGEST or term.isdigit():
            continue
        for item in snapshot.postings(field, term):
            chunks, times = item.postings.all()
            places = owners[numbers[id(item.segment)]][chunks.astype(np.int64)]
            kept = (places >= 0) & (places < len(wanted))
            kept[kept] = wanted[places[kept]]
            yield term.decode("utf-8", "surrogatepass"), places[kept], times[kept].astype(np.int64)


def _joined(rows: list[tuple[I64, I64]]) -> tuple[I64, I64]:
    """The places of all words of a stem, ascending, and how often each has them."""
    places = np.concatenate([row[0] for row in rows])
    found, at = np.unique(places, return_inverse=True)
    times = np.bincount(at, weights=np.concatenate([row[1] for row in rows]), minlength=len(found))
    return found, times.astype(np.int64)
