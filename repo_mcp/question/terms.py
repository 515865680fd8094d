"""Parses a query into terms, and weighs them."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from index_format.analysis.words import LONG_WORD, WORD, terms_of_word
from index_format.tuples import NamedTuple
from repo_mcp.question.word_lists import STOP

_WORD: Final = re.compile(WORD)
# weights of an identifier with several parts and of each of its parts; a plain word has 1
WHOLE: Final = 2.0
PART: Final = 0.7


class QueryTerm(NamedTuple):
    """A word of a query: its term, its parts if it has any, and how often it occurs."""

    term: str
    parts: tuple[str, ...]
    times: int


def parse_terms(text: str) -> list[QueryTerm]:
    """The distinct words of a query in order; stop words only when there are no others."""
    parts: dict[str, tuple[str, ...]] = {}
    times: Counter[str] = Counter()
    for word in _WORD.findall(text):
        whole, *rest = terms_of_word(word) or [LONG_WORD]
        if whole != LONG_WORD:
            parts[whole] = parts.get(whole) or tuple(rest)
            times[whole] += 1
    found = [QueryTerm(term, parts[term], count) for term, count in times.items()]
    return [term for term in found if term.term not in STOP] or found


def weigh_terms(text: str) -> dict[str, float]:
    """Distinct terms of a query with their weights: a whole identifier above its parts."""
    found: dict[str, float] = {}
    for word in parse_terms(text):
        found[word.term] = max(found.get(word.term, 0.0), WHOLE if word.parts else 1.0)
        for part in word.parts:
            found[part] = max(found.get(part, 0.0), PART)
    return {term: boost for term, boost in found.items() if term not in STOP} or found
