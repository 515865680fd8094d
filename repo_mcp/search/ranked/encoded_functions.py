"""Functions near to a question by the user's encoder: evidence beside all other, added to it.

A hit's score is e^s, where s is the logarithm of its share of the best score plus a weight times
how much farther its function is than the nearest one, in deviations of the cosines of all. Encoders
have cosines of very different spread, and deviations are alike. Functions that words have not found
have the least share. What is not encoded yet is compared by the index's own vectors, in the same
way (decision 0275).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

import numpy as np

from code_graph.query.model import FUNCTIONS
from index_format import SCORE_DIGITS, LiveSegment, SegmentReader, Snapshot
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.question.query import FEWEST_ASKED, Query
from repo_mcp.search.ranked.current_passages import CurrentPassage, PassageHits
from repo_mcp.search.ranked.declarations import declarations_of
from repo_mcp.search.ranked.near_declarations import chunk_of
from repo_mcp.search.ranked.ranked_chunks import RankedChunk
from repo_mcp.search.similar.rows import RowPlace
from repo_mcp.vectors import packing, symbol_rows
from repo_mcp.vectors.choice import open_function_encoder
from repo_mcp.vectors.function_vectors import WIDTH, FileRows, FunctionVectors, rows_of_files
from repo_mcp.vectors.packing import F64, I8, U8

if TYPE_CHECKING:
    from repo_mcp.search.ranked.candidates import Mask
    from repo_mcp.vectors.embedder import Embedder
    from repo_mcp.vectors.function_encoder import FunctionEncoder

# what a deviation is worth, and the logarithm of the share of what words have not found
_WEIGHT: Final = 0.3
_LEAST: Final = -3.0
# hits that are ordered anew, and the nearest functions that may be among them
_JOINED: Final = 100
# functions that are compared by all bits: those with the nearest signs
_BY_BITS: Final = 300
# functions whose cosines tell the deviation
_SAMPLE: Final = 512
# more that are not encoded yet are left to what ranks without an encoder
_MOST_LACKING: Final = 50_000
_TINY: Final = 1e-9

_Span = tuple[str, int, int]
_Opened = tuple[int, "_Compared", "_Compared"]


class EncodedFunctions:
    """What compares questions with the functions of an index by the user's encoder."""

    def __init__(
        self, folder: str, index_dirs: Callable[[], Sequence[str]], embedder: Embedder
    ) -> None:
        """Open nothing yet. The `embedder` is that of the indexes, which are in these folders."""
        self._folder = folder
        self._index_dirs = index_dirs
        self._vectors: dict[str, FunctionVectors] = {}
        self._embedder = embedder
        self.failure: Problem | None = None
        self._files: WeakKeyDictionary[SegmentReader, list[FileRows]] = WeakKeyDictionary()
        self._opened: WeakKeyDictionary[Snapshot, _Opened] = WeakKeyDictionary()

    def joined(
        self, hits: PassageHits, snapshot: Snapshot, query: Query, allowed: Mask | None
    ) -> PassageHits:
        """These hits of functions with what is near to a question; the same for names.

        An encoder that can't be used is kept as the failure, and nothing is near.
        """
        is_name = len(query.text.split()) < FEWEST_ASKED or query.written_name is not None
        # a question in Chinese is one word
        is_left = is_name and query.text.isascii()
        if is_left or snapshot.prefetches_terms or self.failure is not None:
            return hits
        try:
            vector = self._encoder.question(query.text)
        except Problem as problem:
            self.failure = Problem(problem.code, problem.detail)
            return hits
        encoded, lacking = self._compared(snapshot)
        near = [_Nearness(encoded, vector)] if len(encoded) else []
        if len(lacking):
            near.append(_Nearness(lacking, self._embedder.embed_question(query.text)))
        return _JoinedHits(hits, near, snapshot, allowed) if near else hits

    def warnings(self) -> Iterator[AnswerWarning]:
        """Why questions are not compared, if the encoder can't be used."""
        if self.failure is not None:
            text = f"functions are found without their encoder: {self.failure.reason}"
            yield AnswerWarning("encoder", f"{text} ({self.failure.hint})")

    @cached_property
    def _encoder(self) -> FunctionEncoder:
        return open_function_encoder(self._folder, of_questions=True)

    def _compared(self, snapshot: Snapshot) -> tuple[_Compared, _Compared]:
        """The functions that are encoded, and those that are not."""
        for folder in self._index_dirs():
            if folder not in self._vectors:
                self._vectors[folder] = FunctionVectors(folder, self._encoder.identity)
        known = {key: rows for at in self._vectors.values() for key, rows in at.known().items()}
        opened = self._opened.get(snapshot)
        if opened is None or opened[0] != len(known):
            encoded, lacking = _Compared(), _Compared()
            for segment in snapshot.segments:
                for item in self._rows_of(segment.reader):
                    if item.file not in segment.dead_files:
                        packed = known.get(item.key, b"")
                        is_there = len(packed) == WIDTH * len(item.rows)
                        rows = np.frombuffer(packed, np.uint8).reshape(-1, WIDTH)
                        wide = packing.fine_width(8 * self._embedder.width)
                        own = encoded if is_there else lacking
                        own.add(segment, item, rows if is_there else item.rows[:, :wide])
            if lacking.count > _MOST_LACKING:
                lacking = _Compared()
            opened = len(known), encoded, lacking
            self._opened[snapshot] = opened
        return opened[1:]

    def _rows_of(self, reader: SegmentReader) -> list[FileRows]:
        found = self._files.get(reader)
        if found is None:
            found = [*rows_of_files(reader, self._embedder.width)]
            self._files[reader] = found
        return found


class _Compared:
    """Functions of a snapshot with their packed vectors."""

    def __init__(self) -> None:
        self.count = 0
        self._files: list[tuple[LiveSegment, FileRows]] = []
        self._parts: list[U8] = []

    def __len__(self) -> int:
        return self.count

    def add(self, segment: LiveSegment, item: FileRows, packed: U8) -> None:
        """Add the functions of a file."""
        self.count += len(packed)
        self._files.append((segment, item))
        self._parts.append(packed)

    @cached_property
    def packed(self) -> U8:
        """Their vectors, one a row."""
        return np.concatenate(self._parts)

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(len(item.rows) for _, item in self._files)]

    @cached_property
    def _numbers(self) -> dict[str, list[int]]:
        """The numbers of the files of each path."""
        found: dict[str, list[int]] = {}
        for number, (segment, item) in enumerate(self._files):
            found.setdefault(item.path_in(segment.reader), []).append(number)
        return found

    def number_of(self, span: _Span) -> int:
        """The number of the function with these lines; -1 if there is none."""
        for file in self._numbers.get(span[0], ()):
            firsts, lasts = symbol_rows.lines_of(self._files[file][1].rows)
            same = ((firsts == span[1]) & (lasts == span[2])).nonzero()[0]
            if len(same):
                return self._starts[file] + int(same[0])
        return -1

    def place(self, number: int) -> RowPlace:
        """Where a function is."""
        file = bisect_right(self._starts, number) - 1
        segment, item = self._files[file]
        row = number - self._starts[file]
        firsts, lasts = symbol_rows.lines_of(item.rows[row : row + 1])
        lines = int(firsts[0]), int(lasts[0])
        return RowPlace(item.path_in(segment.reader), row, *lines, segment, item.file)


class _Nearness:
    """How near some functions are to a question, in deviations: the nearest is at 0."""

    def __init__(self, compared: _Compared, vector: I8) -> None:
        self.compared = compared
        self._vector = vector
        bits = packing.pack(vector[None, :])[0].tobytes()
        far = packing.distances(bits, compared.packed)
        near = np.argsort(far, kind="stable")[:_BY_BITS]
        cosines = self._cosines(near.tolist())
        sample = np.linspace(0, len(compared) - 1, min(len(compared), _SAMPLE)).astype(np.int64)
        self._deviation = float(self._cosines(sample.tolist()).std()) or 1.0
        self._most = float(cosines.max())
        # numbers of functions by nearness, nearest first
        self.nearest = sorted(zip(self._of(cosines).tolist(), near.tolist(), strict=True))[::-1]

    def of(self, numbers: Sequence[int]) -> list[float]:
        """The nearness of functions."""
        found: list[float] = self._of(self._cosines(numbers)).tolist() if numbers else []
        return found

    def _of(self, cosines: F64) -> F64:
        found: F64 = np.minimum(cosines - self._most, 0.0) / self._deviation
        return found

    def _cosines(self, numbers: Sequence[int]) -> F64:
        return packing.fine_cosines(self._vector, self.compared.packed[numbers])


class _JoinedHits(PassageHits):
    """Functions that ranked search has found, with those near to one question."""

    is_alone = True

    def __init__(
        self,
        hits: PassageHits,
        near: Sequence[_Nearness],
        snapshot: Snapshot,
        allowed: Mask | None,
    ) -> None:
        self._hits = hits
        self._near = near
        self._snapshot = snapshot
        self._allowed = allowed

    def ranked(self, passages: Iterator[RankedChunk]) -> Iterator[RankedChunk]:
        """The first hits and the nearest functions by both kinds of evidence, then the others."""
        others = self._hits.ranked(passages)
        first = [*islice(others, _JOINED)]
        top = max((item.score for item in first), default=1.0)
        shares = [math.log(max(item.score / (top or 1.0), _TINY)) for item in first]
        spans = [*map(_span, first)]
        near = self._nearness(spans)
        worths = [
            (max(share, _LEAST) + _WEIGHT * near[span], item)
            for share, span, item in zip(shares, spans, first, strict=True)
        ]
        worths += [(_LEAST + _WEIGHT * far, item) for far, item in self._unfound(near)]
        best = max((worth for worth, _ in worths), default=0.0)
        joined = [
            item._replace(score=round(top * math.exp(worth - best), SCORE_DIGITS))
            for worth, item in worths
        ]
        yield from sorted(joined, key=lambda item: item.order)
        least = min((item.score for item in joined), default=math.inf)
        for item in others:
            yield item._replace(score=min(item.score, least))

    def shown(self, item: RankedChunk, found: CurrentPassage) -> CurrentPassage:
        """The passage with the name of the function that it is of."""
        return self._hits.shown(item, found)

    def _nearness(self, spans: Sequence[_Span]) -> dict[_Span, float]:
        """That of the functions with these lines; of others that of the least near."""
        found: dict[_Span, float] = dict.fromkeys(
            spans, min(at.nearest[-1][0] for at in self._near)
        )
        for each in self._near:
            numbers = {span: each.compared.number_of(span) for span in spans}
            there = [span for span, number in numbers.items() if number >= 0]
            found.update(zip(there, each.of([numbers[span] for span in there]), strict=True))
        return found

    def _unfound(self, known: Collection[_Span]) -> Iterator[tuple[float, RankedChunk]]:
        """The nearest functions that are allowed, but for those that are known."""
        declared: dict[str, set[tuple[int, int]]] = {}
        for each in self._near:
            for nearness, number in each.nearest[:_JOINED]:
                place = each.compared.place(number)
                chunk, span = chunk_of(place), (place.path, place.first, place.last)
                if span in known or not (self._allowed is None or self._allowed[chunk]):
                    continue
                if place.path not in declared:
                    declared[place.path] = self._functions(chunk)
                if span[1:] in declared[place.path]:
                    yield nearness, RankedChunk(place.path, chunk, *span[1:], 0.0, by_words=0.0)

    def _functions(self, chunk: int) -> set[tuple[int, int]]:
        """The lines of the functions of a chunk's file."""
        every = declarations_of(self._snapshot, chunk)
        return {(item.start_line, item.end_line) for item in every if item.kind in FUNCTIONS}


def _span(item: RankedChunk) -> _Span:
    return item.path, item.first, item.last
