"""Finds the lines of the repository with a word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from code_graph.paths.path_kinds import rank_path
from code_graph.whole_word import whole_word
from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.repository.open_index import OpenIndex
from repo_mcp.repository.repository import Repository
from repo_mcp.search import ExactAnswer, ExactEngine, ExactQuery

# words that more lines have are not looked at, nor those of one letter
_SHORTEST: Final = 2
_MOST: Final = 1500
_SECONDS: Final = 0.5


class WordLine(NamedTuple):
    """A line with a word."""

    path: str
    line: int


class WordLines(NamedTuple):
    """The lines with a word, code first, or some of very many."""

    lines: Sequence[WordLine] = ()
    is_complete: bool = False

    def within(self, index: OpenIndex) -> WordLines:
        """The same lines; not complete where a checkout has not all files."""
        return self._replace(is_complete=self.is_complete and index.has_all_files)

    def paths(self) -> list[str]:
        """Their files, code first: one that declares a name has it more often than its users."""
        counts = Counter(line.path for line in self.lines)
        return sorted(counts, key=lambda path: (rank_path(path), -counts[path], path))


def lines_with_word(
    engine: ExactEngine,
    snapshot: Snapshot | None,
    budget: Budget,
    word: str,
    seconds: float = _SECONDS,
) -> WordLines:
    """The lines of the repository with a word, as far as there is time for them."""
    if snapshot is None or len(word) < _SHORTEST:
        return WordLines()
    found = engine.find(snapshot, _query(word, _MOST, regex=False), budget.within(seconds))
    return WordLines(code_first(_lines(found)), found.complete)


class NamedLines:
    """Finds the lines with words for one question, in files that are not indexed yet, too."""

    def __init__(self, engine: ExactEngine, repository: Repository, budget: Budget) -> None:
        """Nothing is read yet; what is found is kept."""
        self._engine = engine
        self._repository = repository
        self._budget = budget
        self._found: dict[tuple[int | None, bool, str], WordLines] = {}
        # the lines of files that are not indexed, by the generation that lacks them, and word
        self._pending: dict[tuple[int, str], WordLines] = {}

    def of(self, index: OpenIndex, word: str) -> WordLines:
        """The lines with a word, code first."""
        key = index.generation, index.complete, word
        if key not in self._found:
            found = lines_with_word(self._engine, index.snapshot, self._budget, word)
            found = found if index.complete else self._with_pending(found, index, word)
            self._found[key] = found.within(index)
        return self._found[key]

    def expect(self, index: OpenIndex, words: Iterable[str]) -> None:
        """Read the files that are not indexed yet once for several words that will be asked for."""
        key = index.generation
        lacking = {word for word in words if len(word) >= _SHORTEST} - {
            word for generation, word in self._pending if generation == key
        }
        if not index.complete and lacking:
            self._read_pending(index, sorted(lacking))

    def _with_pending(self, found: WordLines, index: OpenIndex, word: str) -> WordLines:
        if len(word) < _SHORTEST:
            return found
        self.expect(index, [word])
        others = self._pending[index.generation, word]
        is_complete = others.is_complete and (found.is_complete or index.snapshot is None)
        return WordLines(code_first([*found.lines, *others.lines]), is_complete)

    def _read_pending(self, index: OpenIndex, words: Sequence[str]) -> None:
        limit = self._budget.within(self._repository.settings.first_answer_seconds)
        pending = self._repository.unindexed_files(index.snapshot, limit)
        several = "|".join(map(re.escape, words))
        query = _query(several, _MOST * len(words), regex=True)
        answer = self._engine.find_in(pending, query, limit)
        for word in words:
            written = whole_word(word)
            lines = [
                WordLine(match.path, match.line)
                for match in answer.matches
                if written.search(match.text)
            ]
            is_complete = answer.complete and len(lines) <= _MOST
            self._pending[index.generation, word] = WordLines(lines[:_MOST], is_complete)


def _query(pattern: str, most: int, *, regex: bool) -> ExactQuery:
    return ExactQuery(
        (pattern,), regex=regex, whole_word=True, limit=most, counted=False, columns=False
    )


def _lines(found: ExactAnswer) -> Iterator[WordLine]:
    return (WordLine(item.path, item.line) for item in found.matches)


def code_first(lines: Iterable[WordLine]) -> list[WordLine]:
    """The lines of code before those of tests and documents, each by path and line."""
    return sorted(lines, key=lambda item: (rank_path(item.path), item))


def lines_by_path(lines: Iterable[WordLine]) -> list[str]:
    """Lines with one path each: `a.py:3,17`."""
    groups = groupby(lines, key=lambda item: item.path)
    return [f"{path}:{','.join(str(item.line) for item in group)}" for path, group in groups]
