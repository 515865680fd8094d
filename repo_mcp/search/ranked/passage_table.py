"""The passages of candidate files as rows of a table, whose columns multiply to a score.

The first column is what words score a passage. Each kind of evidence beside words adds a column of
factors, which `explain` prints as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

import numpy as np

from index_format import SCORE_DIGITS

if TYPE_CHECKING:
    from repo_mcp.search.ranked.term_lookup import F64, I64

# evidence beside words, which multiplies the scores of ranked passages
MEANING: Final = "meaning"
LEARNED: Final = "learned"
NAMED: Final = "named"
BEST_FUNCTION: Final = "function"
# and of single hits: the name that is asked for, a further declaration, imports alone, quoted words
MEANT: Final = "meant"
FURTHER: Final = "further"
IMPORTS: Final = "imports"
QUOTED: Final = "quoted"
# and what other chunks of the file add to a chunk, or take by their place before it
OTHERS: Final = "others"

Lines: TypeAlias = tuple[int, int]
# row, path, chunk and rounded score
RankedRow: TypeAlias = tuple[int, str, int, float]


class FileRescorer(Protocol):
    """Evidence that multiplies the scores of files."""

    def rescore(self, table: PassageTable) -> None:
        """Add a column of factors."""


class PassageTable:
    """A row for each passage: its file, its chunk, and its score so far."""

    def __init__(self, paths: Sequence[str], files: I64, chunks: I64, words: F64) -> None:
        """`files` are numbers of `paths`; `words` are the scores by words.

        These are rounded, since the order of adding them depends on the segments of the index.
        """
        self.paths = list(paths)
        self.files = files
        self.chunks = chunks
        self.scores: F64 = np.round(words, SCORE_DIGITS)
        # by kind of evidence, the factor of each row
        self.factors: dict[str, F64] = {}
        # by chunk of a file that words have not found, the lines of a declaration near the query
        self.unfound: dict[int, Lines] = {}

    def __len__(self) -> int:
        """The number of passages."""
        return len(self.chunks)

    def multiply(self, name: str, factors: F64) -> None:
        """Add a column: a factor for each row."""
        self.factors[name] = factors
        self.scores = self.scores * factors

    def multiply_files(self, name: str, factors: Mapping[str, float]) -> None:
        """Add a column: a factor for each file, 1 where it has none."""
        of_files = np.array([factors.get(path, 1.0) for path in self.paths])
        self.multiply(name, of_files[self.files])

    def append_unfound(self, places: Mapping[tuple[str, int], Lines]) -> None:
        """Add a row behind all others for each path and chunk that words have not found."""
        least = float(self.scores.min()) if len(self) else 1.0
        first, count = len(self.paths), len(places)
        self.paths += [path for path, _ in places]
        self.files = np.concatenate([self.files, np.arange(first, first + count)])
        chunks = np.array([chunk for _, chunk in places], np.int64)
        self.chunks = np.concatenate([self.chunks, chunks])
        self.scores = np.concatenate([self.scores, np.full(count, least)])
        self.factors = {
            name: np.concatenate([column, np.ones(count)]) for name, column in self.factors.items()
        }
        self.unfound = {chunk: lines for (_, chunk), lines in places.items()}

    def best_of_files(self) -> dict[str, float]:
        """By path the score of its best row."""
        best = np.full(len(self.paths), -np.inf)
        np.maximum.at(best, self.files, self.scores)
        return {self.paths[at]: float(best[at]) for at in self._numbers()}

    def files_of_rows(self) -> list[str]:
        """The paths that have a row; a candidate file may have none."""
        return [self.paths[at] for at in self._numbers()]

    def _numbers(self) -> list[int]:
        # not `np.unique`, which is not of numpy's core
        numbers: list[int] = np.bincount(self.files).nonzero()[0].tolist()
        return numbers

    def chunk_of_files(self) -> dict[str, int]:
        """By path one of its chunks."""
        paths = map(self.paths.__getitem__, self.files.tolist())
        return dict(zip(paths, self.chunks.tolist(), strict=True))

    def row_of(self, chunk: int) -> int | None:
        """The row of a chunk."""
        rows = (self.chunks == chunk).nonzero()[0]
        return int(rows[0]) if len(rows) else None

    def factors_of(self, row: int) -> dict[str, float]:
        """By kind of evidence the factor of a row."""
        return {name: float(column[row]) for name, column in self.factors.items()}

    def best_first(self) -> Iterator[RankedRow]:
        """All passages by score, path and chunk."""
        scores = np.round(self.scores, SCORE_DIGITS)
        place = np.empty(len(self.paths), np.int64)
        place[sorted(range(len(place)), key=self.paths.__getitem__)] = np.arange(len(place))
        rows = np.lexsort((self.chunks, place[self.files], -scores))
        paths = map(self.paths.__getitem__, self.files[rows].tolist())
        columns = rows.tolist(), paths, self.chunks[rows].tolist(), scores[rows].tolist()
        return zip(*columns, strict=True)
