"""Which files fulfil a condition, by the index; phrases are looked for in the files themselves.

AND and NOT speak of files: a file fulfils `a AND b` when it holds both, wherever they stand in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Final

import numpy as np

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.languages import Languages
from repo_mcp.search.filter.file_masks import FileAxis, KnownSnapshots, Mask, SnapshotMasks
from repo_mcp.search.filter.file_words import FileWords
from repo_mcp.search.filter.path_filter import PathFilter
from repo_mcp.search.filter.phrases import holds_phrase
from repo_mcp.search.query.tree import (
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
    phrases_said,
)

# shorter beginnings are those of nearly all files' words: they narrow nothing
SHORTEST_PREFIX: Final = 3


class Conditions:
    """Answers from any number of snapshots of one repository, and remembers the last answers."""

    def __init__(
        self,
        languages: Languages,
        known: KnownSnapshots | None = None,
        paths: PathFilter | None = None,
    ) -> None:
        """Share what is known with others, or begin anew."""
        self._known = known or KnownSnapshots()
        self._paths = paths or PathFilter(languages, self._known)

    def mask(self, snapshot: Snapshot, condition: Condition, budget: Budget) -> Mask:
        """The chunks that may be shown, over all chunk numbers; phrases are not looked for yet."""
        return self.narrow(snapshot, condition, (), budget).mask

    def narrow(
        self,
        snapshot: Snapshot,
        condition: Condition | None,
        filters: Sequence[Filter],
        budget: Budget,
    ) -> NarrowedChunks:
        """What a query leaves to be shown; an unreasonable glob is a Problem."""
        known = self._known.of(snapshot)
        reading = _ConditionEvaluator(known, snapshot, self._paths, budget)
        mask = reading.chunks(condition)
        if filters:
            mask &= self._paths.mask(snapshot, filters, budget)
        return NarrowedChunks(mask, condition, reading)


class NarrowedChunks:
    """The chunks that may be shown, and what is left to be looked for in a file before it is."""

    def __init__(
        self, mask: Mask, condition: Condition | None, reading: _ConditionEvaluator
    ) -> None:
        """Nothing is looked for yet."""
        self.mask = mask
        found = list(leaves(condition))
        self.phrases = tuple(dict.fromkeys(leaf for leaf in found if isinstance(leaf, Phrase)))
        # beginnings that so many words have that they were left out of account
        self.unused = tuple(leaf for leaf in found if isinstance(leaf, Prefix) and _is_short(leaf))
        self._said = tuple(dict.fromkeys(phrases_said(condition)))
        self._condition = condition
        self._reading = reading
        self._given: dict[tuple[bool, ...], Mask] = {}

    def shows(self, chunk: int, text: str) -> bool:
        """Whether the file of a chunk of the mask fulfils the condition, if this is its text."""
        if self._condition is None or not self.phrases:
            return True
        held = tuple(bool(holds_phrase(text, phrase)) for phrase in self.phrases)
        if held not in self._given:
            given = dict(zip(self.phrases, held, strict=True))
            self._given[held] = self._reading.files(self._condition, given.__getitem__)
        return bool(self._given[held][self._reading.file_of(chunk)])

    def without(self, chunks: Sequence[int]) -> Mask:
        """The mask without all of the files of these chunks."""
        axis = self._reading.axis
        mask: Mask = self.mask & ~axis.chunks(axis.holding(np.array(chunks, dtype=np.int64)))
        return mask

    def quoted(self, text: str) -> list[int]:
        """The lines in which phrases begin that the query asks for, if this is the file's text."""
        return sorted({line for phrase in self._said for line in holds_phrase(text, phrase)})


class _ConditionEvaluator:
    """Works out conditions on one snapshot."""

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
            files = axis.every() if condition is None else self.files(condition)
            found = axis.chunks(files)
            self._known.chunks.put(key, found)
        return found

    @property
    def axis(self) -> FileAxis:
        return self._known.axis

    def file_of(self, chunk: int) -> int:
        return int(self.axis.of_chunk[chunk])

    def files(self, condition: Condition, holds: Callable[[Phrase], bool] | None = None) -> Mask:
        """Files that fulfil a condition, given which phrases hold; else those that may do so."""
        return self._files(condition, holds, doubt=True)

    def _files(
        self, condition: Condition, holds: Callable[[Phrase], bool] | None, *, doubt: bool
    ) -> Mask:
        """`doubt` is what to take for true where the index alone can't tell."""
        if isinstance(condition, Not):
            return ~self._files(condition.part, holds, doubt=not doubt)
        if not isinstance(condition, All | Any):
            return self._of_leaf(condition, holds, doubt=doubt)
        masks = (self._files(part, holds, doubt=doubt) for part in condition.parts)
        if isinstance(condition, All):
            return reduce(np.logical_and, masks, self._known.axis.every())
        return reduce(np.logical_or, masks, self._known.axis.none())

    def _of_leaf(self, leaf: Leaf, holds: Callable[[Phrase], bool] | None, *, doubt: bool) -> Mask:
        match leaf:
            case Filter():
                return self._paths.files(self._known.axis, leaf, self._budget)
            case Word(field, text):
                return self._words.of_text(field, text)
            case Prefix(field, text) if not _is_short(leaf):
                return self._words.of_prefix(field, text)
            case Phrase(text, field) if doubt if holds is None else holds(leaf):
                return self._words.of_phrase(field, text)
        everything = isinstance(leaf, Prefix) and doubt
        return self._known.axis.every() if everything else self._known.axis.none()


def _is_short(prefix: Prefix) -> bool:
    return len(prefix.text) < SHORTEST_PREFIX
