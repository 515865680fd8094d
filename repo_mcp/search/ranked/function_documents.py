"""Functions as documents of a query's words: those of their names, comments and lines.

A function's score is BM25's, as that of a chunk is, among the functions of some files.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np

from code_graph.facts import Declaration
from index_format import SCORE_DIGITS
from repo_mcp.search.passage.term_matcher import TermMatcher
from repo_mcp.search.ranked.ranked_chunks import RankedChunk
from repo_mcp.search.ranked.term_lookup import F64
from repo_mcp.text.comments import ATTRIBUTE, DECORATOR, DIRECTIVES, is_comment

# BM25's saturation of a word's frequency and its length normalisation, for functions, whose lines
# are fewer and more even than those of chunks; and what a name counts beside a line
_K1: Final = 1.2
_B: Final = 0.25
_NAME: Final = 3.0
_ANNOTATIONS: Final = (DECORATOR, ATTRIBUTE)


class FunctionDocuments:
    """The functions of some files, and how often each has each word of a query."""

    def __init__(self, matcher: TermMatcher) -> None:
        """Add functions, then ask for scores."""
        self._matcher = matcher
        self.functions: list[RankedChunk] = []
        self.kinds: list[str] = []
        self._lines: list[F64] = []
        self._names: list[F64] = []

    def add(self, file: RankedChunk, declared: Sequence[Declaration], rows: Sequence[str]) -> None:
        """Add the functions of a file: a line counts for the innermost one around it."""
        matcher, owners = self._matcher, np.array(_owners(declared, rows), dtype=np.int64)
        marks = matcher.marker.marks(rows)
        words = matcher.words_of([*marks.values()])
        counts = np.zeros((len(declared), words.shape[1]))
        of_lines = owners[[*marks]]
        by_owner = np.argsort(of_lines, kind="stable")
        sorted_owners = of_lines[by_owner]
        before = np.concatenate([[-1], sorted_owners])[:-1]
        begins = (sorted_owners > before).nonzero()[0]  # lines outside of all come first
        if len(begins):
            lines = words[by_owner]
            counts[sorted_owners[begins]] = np.add.reduceat(lines, begins, axis=0)
        named = matcher.marker.marks([item.name for item in declared])
        names = np.zeros_like(counts)
        names[[*named]] = matcher.words_of([*named.values()])
        self._lines.append(counts)
        self._names.append(names)
        self.kinds += [item.kind for item in declared]
        self.functions += [file.with_lines(item.start_line, item.end_line) for item in declared]

    def add_unread(self, file: RankedChunk) -> None:
        """Add a file whose functions are not known as it is now: it may have all words."""
        words = np.ones((1, len(self._matcher.words)))
        self._lines.append(words)
        self._names.append(np.zeros_like(words))
        self.kinds.append("")
        self.functions.append(file)

    def scores(self) -> list[float]:
        """The score of each function, relative to the best of all."""
        weights = self._matcher.words
        lines, names = self._counts
        counts = lines + _NAME * names
        lengths = np.array([item.last - item.first + 1.0 for item in self.functions])
        bound = _K1 * (1 - _B + _B * lengths / (lengths.sum() / max(len(lengths), 1) or 1.0))
        scores = counts * (_K1 + 1) / (counts + bound[:, None]) @ weights
        return _rounded(scores / (scores.max(initial=0.0) or 1.0))

    def shares(self) -> tuple[list[float], list[float]]:
        """By function, the shares of the query's weight in its lines, and in its name."""
        weights = self._matcher.words
        worth = weights / (weights.sum() or 1.0)
        lines, names = self._counts
        return _rounded(lines.clip(max=1.0) @ worth), _rounded(names.clip(max=1.0) @ worth)

    @cached_property
    def _counts(self) -> tuple[F64, F64]:
        """A row for each function: how many of its lines have each word, and whether its name does.

        They are asked for once all functions are there.
        """
        none = np.zeros((0, len(self._matcher.words)))
        return np.concatenate([none, *self._lines]), np.concatenate([none, *self._names])


def _rounded(values: F64) -> list[float]:
    """Values that do not depend on the order of adding."""
    found: list[float] = np.round(values, SCORE_DIGITS).tolist()
    return found


def _owners(declared: Sequence[Declaration], rows: Sequence[str]) -> list[int]:
    """By line, the number of the innermost function, or of the one below a comment; else -1."""
    owners = [-1] * len(rows)
    longest = sorted(
        range(len(declared)), key=lambda at: declared[at].start_line - declared[at].end_line
    )
    for at in longest:
        first, last = declared[at].start_line - 1, min(declared[at].end_line, len(rows))
        while 0 < first < len(rows) and is_comment(rows[first - 1], _ANNOTATIONS, DIRECTIVES):
            first -= 1
        owners[first:last] = [at] * max(last - first, 0)
    return owners
