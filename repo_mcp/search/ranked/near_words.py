"""Finds words of an index that mean nearly what the words of a query do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index_format import Snapshot, WeightedTerm, open_terms
from repo_mcp.search.dictionary.word_forms import stem
from repo_mcp.search.ranked.query_terms import FAINT, parse_question
from repo_mcp.stored import BODY, SYMBOL
from repo_mcp.vectors.embedder import Embedder

# shorter queries are names
_FEWEST_WORDS: Final = 2
_MOST_OF_A_WORD: Final = 2
# words that are compared with the table, some milliseconds each
_MOST_ASKED: Final = 16


def near_words(snapshot: Snapshot, text: str, embedder: Embedder, most: int) -> list[str]:
    """The nearest words that the index has, in the order of the query; none for a name."""
    query = parse_question(text)
    words = query.words
    if len(words) < _FEWEST_WORDS or any(word.parts for word in words):
        return []
    if query.name and _held(snapshot, [query.name], SYMBOL):
        return []
    # forms of a word are found by their stems
    known = {stem(word.term) for word in words}
    found: list[str] = []
    for word in [word for word in words if word.term not in FAINT][:_MOST_ASKED]:
        fresh = [term for term, _ in embedder.nearest(word.term) if stem(term) not in known]
        there = _held(snapshot, fresh)[:_MOST_OF_A_WORD]
        known.update(map(stem, there))
        found += there
    return found[:most]


def _held(snapshot: Snapshot, terms: Sequence[str], field: str = BODY) -> list[str]:
    """The terms that a field of the index has."""
    opened = open_terms(snapshot, [WeightedTerm(field, term.encode()) for term in terms])
    return [term for term, scores in zip(terms, opened, strict=True) if scores is not None]
