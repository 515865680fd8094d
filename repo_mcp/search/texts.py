"""Scores the texts of promising chunks: each word's weighted frequencies add up, then saturate."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from index_format import Snapshot
from index_format.lengths import CODE_LENGTHS
from repo_mcp.search.evidence import BODY, F64, I64, NAME, PATH, SYMBOL, Sought
from repo_mcp.search.first_look import FirstLook
from repo_mcp.search.path_signs import PathSigns, path_signs
from repo_mcp.search.wanted import Word
from repo_mcp.search.weights import Weights


class Texts:
    """Promising chunks, grouped by the files they are of."""

    def __init__(self, snapshot: Snapshot, look: FirstLook, weights: Weights) -> None:
        """Find out which files they are of."""
        self._snapshot = snapshot
        self._look = look
        self._weights = weights
        self.chunks = look.chunks
        files = np.searchsorted(snapshot.file_starts, self.chunks, side="right") - 1
        new = np.ones(len(files), dtype=bool)
        new[1:] = files[1:] != files[:-1]
        self._owners = np.cumsum(new) - 1
        self.edges: list[int] = [*new.nonzero()[0].tolist(), len(self.chunks)]
        self.paths = [snapshot.path_of(number) for number in files[new].tolist()]
        self.signs = [path_signs(path) for path in self.paths]

    @cached_property
    def _norms(self) -> F64:
        """What the length of each chunk divides its frequencies by."""
        body = self._snapshot.schema.number(BODY) or 0
        lengths = CODE_LENGTHS[self._snapshot.codes(body)[self.chunks]].astype(np.float64)
        average = self._snapshot.token_count(body) / (self._snapshot.chunk_count or 1)
        found: F64 = 1 - self._weights.b + self._weights.b * lengths / (average or 1)
        return found

    def scores(self, sought: Sequence[Sought]) -> F64:
        """The score of each chunk for all words."""
        total = np.zeros(len(self.chunks))
        for item in sought:
            weight = np.zeros(len(self.chunks))
            for part in self.parts(item).values():
                weight += part
            total += item.word.weight * item.scorer.score_of(weight)
        return total

    def parts(self, item: Sought) -> dict[str, F64]:
        """By field, what a word weighs in each chunk."""
        named = np.array([named_by(sign, item.word, self._weights) for sign in self.signs])
        found = {PATH: named[self._owners]}
        for field, scores in item.fields.items():
            if field == BODY:
                found[field] = self._look.frequencies(scores) / self._norms
            elif field not in {NAME, PATH}:
                found[field] = self._look.frequencies(scores) * getattr(self._weights, field)
        return found

    def declares(self, item: Sought) -> I64:
        """Which chunks declare a word."""
        if SYMBOL not in item.fields:
            return np.zeros(0, dtype=np.int64)
        return self._look.frequencies(item.fields[SYMBOL]).nonzero()[0]


def named_by(sign: PathSigns, word: Word, weights: Weights) -> float:
    """What the words of a path add to a word's weight."""
    return weights.name * (word.term in sign.name) + weights.folder * (word.term in sign.folders)
