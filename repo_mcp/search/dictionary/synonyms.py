"""Finds words of an index that mean nearly what the words of a query do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index_format import Snapshot, WeightedTerm, open_terms
from repo_mcp.search.dictionary.word_forms import stem
from repo_mcp.stored import BODY, SYMBOL
from repo_mcp.vectors.embedder import Embedder

# shorter queries are names
_FEWEST_WORDS: Final = 2
_MOST_OF_A_WORD: Final = 2
# words that are compared with the table, some milliseconds each
_MOST_ASKED: Final = 16


def synonyms(
    snapshot: Snapshot, words: Sequence[str], name: str, embedder: Embedder, most: int
) -> list[str]:
    """The nearest words that the index has, in the order of the words that say what is sought.

    None for a name: where there is one word, or `name`, all words joined, is declared.
    """
    if len(words) < _FEWEST_WORDS or (name and _held(snapshot, [name], SYMBOL)):
        return []
    # forms of a word are found by their stems
    known = set(map(stem, words))
    found: list[str] = []
    for word in words[:_MOST_ASKED]:
        fresh = [term for term, _ in embedder.nearest(word) if stem(term) not in known]
        there = _held(snapshot, fresh)[:_MOST_OF_A_WORD]
        known.update(map(stem, there))
        found += there
    return found[:most]


def _held(snapshot: Snapshot, terms: Sequence[str], field: str = BODY) -> list[str]:
    """The terms that a field of the index has."""
    opened = open_terms(snapshot, [WeightedTerm(field, term.encode()) for term in terms])
    return [term for term, scores in zip(terms, opened, strict=True) if scores is not None]
