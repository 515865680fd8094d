"""Evaluates query conditions on the index; phrases are verified in the files themselves.

AND and NOT apply to files: a file fulfils `a AND b` if it contains both, anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, reduce
from typing import Final

import numpy as np

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.question.syntax.tree import (
    All,
    Any,
    Condition,
    Filter,
    Leaf,
    Not,
    Phrase,
    Prefix,
    Word,
    leaves,
    positive_phrases,
)
from repo_mcp.search.filter.file_masks import (
    I64,
    FileAxis,
    Mask,
    SnapshotMasks,
)
from repo_mcp.search.filter.file_words import FileWords
from repo_mcp.search.filter.path_filter import PathFilter
from repo_mcp.search.filter.phrases import lines_with_phrases
from repo_mcp.stored import BODY
from repo_mcp.text.files import Rows

# by phrase, the lines of a file in which it begins
PhrasePlaces = Mapping[Phrase, Sequence[int]]

# shorter prefixes match words in nearly all files and are ignored
SHORTEST_PREFIX: Final = 3


class Conditions:
    """Evaluates conditions on snapshots of one repository; caches the latest masks."""

    def __init__(self, paths: PathFilter) -> None:
        """`paths` and its masks are caches that may be shared."""
        self._known = paths.masks
        self._paths = paths

    def mask(self, snapshot: Snapshot, condition: Condition, budget: Budget) -> Mask:
        """Mask of the chunks that may fulfil the condition; phrases are not verified."""
        return self.narrow(snapshot, condition, (), budget).mask

    def narrow(
        self,
        snapshot: Snapshot,
        condition: Condition | None,
        filters: Sequence[Filter],
        budget: Budget,
    ) -> ChunkSelection:
        """The chunks that a query selects; an invalid glob is a Problem."""
        known = self._known.get(snapshot)
        evaluator = _ConditionEvaluator(known, snapshot, self._paths, budget)
        by_path = self._paths.mask(snapshot, filters, budget) if filters else None
        return ChunkSelection(condition, evaluator, by_path)


class ChunkSelection:
    """The chunks that may fulfil a query's conditions, and the phrases to verify in their files."""

    def __init__(
        self,
        condition: Condition | None,
        evaluator: _ConditionEvaluator,
        by_path: Mask | None = None,
    ) -> None:
        """`by_path` are the chunks that the query's filters leave."""
        found = list(leaves(condition))
        self.phrases = tuple(dict.fromkeys(leaf for leaf in found if isinstance(leaf, Phrase)))
        # prefixes too short to narrow anything
        self.ignored_prefixes = tuple(
            leaf for leaf in found if isinstance(leaf, Prefix) and _is_short(leaf)
        )
        # a hit shows one of them
        self.demanded = _demanded_phrases(condition)
        self._positive = tuple(dict.fromkeys(positive_phrases(condition)))
        self._condition = condition
        self._evaluator = evaluator
        self._by_path = by_path
        self._given: dict[tuple[bool, ...], Mask] = {}

    @cached_property
    def mask(self) -> Mask:
        """The chunks that may fulfil the conditions."""
        mask = self._evaluator.chunks(self._condition)
        return mask if self._by_path is None else mask & self._by_path

    @cached_property
    def showing(self) -> I64:
        """The chunks that may show a phrase that their files must hold, ascending."""
        chunks = self._evaluator.chunks_with_any(self.demanded)
        if self._condition not in self.demanded:
            return chunks[self.mask[chunks]]
        return chunks if self._by_path is None else chunks[self._by_path[chunks]]

    def matches(self, chunk: int, places: PhrasePlaces) -> bool:
        """True if the file of a chunk fulfils the condition, given its phrases."""
        if self._condition is None or not self.phrases:
            return True
        held = tuple(bool(places[phrase]) for phrase in self.phrases)
        if held not in self._given:
            given = dict(zip(self.phrases, held, strict=True))
            self._given[held] = self._evaluator.files(self._condition, given.__getitem__)
        return bool(self._given[held][self._evaluator.file_of(chunk)])

    def mask_without(self, chunks: Sequence[int]) -> Mask:
        """The chunks that may show phrases, without these, or without all of their files.

        Only phrases that must be there decide about a chunk by its own text.
        """
        tried = np.array(chunks, dtype=np.int64)
        axis = self._evaluator.axis
        if self.demanded:
            mask: Mask = np.zeros(len(axis.file_of_chunk), dtype=np.bool_)
            mask[self.showing] = True
            mask[tried] = False
            return mask
        others: Mask = self.mask & ~axis.chunks(axis.files_of_chunks(tried))
        return others

    def has_demanded(self, rows: Rows, first: int, last: int) -> bool:
        """True if lines of a file hold a phrase that the file must hold."""
        return any(lines_with_phrases(rows, self.demanded, first, last).values())

    def phrase_places(self, rows: Rows) -> PhrasePlaces:
        """The lines of a file in which each of the query's phrases begins."""
        return lines_with_phrases(rows, self.phrases, 1, rows.count)

    def phrase_lines(self, places: PhrasePlaces) -> list[int]:
        """The lines in which the query's positive phrases begin."""
        return sorted({line for phrase in self._positive for line in places[phrase]})


class _ConditionEvaluator:
    """Evaluates conditions on one snapshot."""

    def __init__(
        self, known: SnapshotMasks, snapshot: Snapshot, paths: PathFilter, budget: Budget
    ) -> None:
        self._known = known
        self._words = FileWords(known, snapshot, budget)
        self._paths = paths
        self._budget = budget

    def chunks(self, condition: Condition | None) -> Mask:
        """The chunks of files that may fulfil a condition."""
        key = ("condition", condition)
        found = self._known.chunks.get(key)
        if found is None:
            axis = self._known.axis
            files = axis.all_files() if condition is None else self.files(condition)
            found = axis.chunks(files)
            self._known.chunks.put(key, found)
        return found

    def chunks_with_any(self, phrases: Sequence[Phrase]) -> I64:
        """The chunks that may hold one of the phrases, ascending."""
        held = [self._words.chunks_with_phrase(phrase.text) for phrase in phrases]
        if len(held) == 1:
            return held[0]
        chunks = np.sort(np.concatenate(held))
        new = np.ones(len(chunks), dtype=np.bool_)
        new[1:] = chunks[1:] != chunks[:-1]
        found: I64 = chunks[new]
        return found

    @property
    def axis(self) -> FileAxis:
        return self._known.axis

    def file_of(self, chunk: int) -> int:
        return int(self.axis.file_of_chunk[chunk])

    def files(self, condition: Condition, holds: Callable[[Phrase], bool] | None = None) -> Mask:
        """Files that fulfil a condition, given which phrases hold; without `holds`, that may."""
        return self._files(condition, holds, if_unknown=True)

    def _files(
        self, condition: Condition, holds: Callable[[Phrase], bool] | None, *, if_unknown: bool
    ) -> Mask:
        """`if_unknown` is the result for a leaf that the index alone can't decide."""
        if isinstance(condition, Not):
            return ~self._files(condition.part, holds, if_unknown=not if_unknown)
        if not isinstance(condition, All | Any):
            return self._leaf_files(condition, holds, if_unknown=if_unknown)
        masks = (self._files(part, holds, if_unknown=if_unknown) for part in condition.parts)
        if isinstance(condition, All):
            return reduce(np.logical_and, masks, self._known.axis.all_files())
        return reduce(np.logical_or, masks, self._known.axis.no_files())

    def _leaf_files(
        self, leaf: Leaf, holds: Callable[[Phrase], bool] | None, *, if_unknown: bool
    ) -> Mask:
        match leaf:
            case Filter():
                return self._paths.files(self._known.axis, leaf, self._budget)
            case Word(field, text):
                return self._words.files_with_words(field, text)
            case Prefix(field, text) if not _is_short(leaf):
                return self._words.files_with_prefix(field, text)
            case Phrase(text, field) if if_unknown if holds is None else holds(leaf):
                return self._words.files_with_phrase(field, text)
        everything = isinstance(leaf, Prefix) and if_unknown
        return self._known.axis.all_files() if everything else self._known.axis.no_files()


def _demanded_phrases(condition: Condition | None) -> list[Phrase]:
    """The phrases of which a file must hold all, if they are looked for in the body."""
    parts = condition.parts if isinstance(condition, All) else (condition,)
    phrases = [part for part in parts if isinstance(part, Phrase)]
    return phrases if all(phrase.field in {None, BODY} for phrase in phrases) else []


def _is_short(prefix: Prefix) -> bool:
    return len(prefix.text) < SHORTEST_PREFIX
