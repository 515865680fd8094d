"""Commits by the stems of their messages, as columns in memory: a query's are scored in one go."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

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


class MessageTable:
    """The messages of some commits."""

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
