"""What a question wants: groups of word forms with their weights, and the name it may spell out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from repo_mcp.analysis.question import STOP, question
from repo_mcp.analysis.words import MAX_WORD
from repo_mcp.errors import Problem
from repo_mcp.search.path_signs import spoken_of
from repo_mcp.search.weights import Weights

MAX_QUERY: Final = 2000
MAX_TERMS: Final = 64
_MAX_NAME_WORDS: Final = 6
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Group:
    """A word of the question, what it weighs, and its forms with what each counts."""

    term: str
    weight: float
    forms: tuple[tuple[str, float], ...]
    # not a word of the question itself: nothing is expected to hold it
    is_extra: bool = False


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question, taken apart."""

    groups: tuple[Group, ...]
    # the declared name that the whole question may be, its words in one; empty for none
    name: str
    kinds: frozenset[str]

    @property
    def terms(self) -> tuple[str, ...]:
        """The words that were looked for."""
        return tuple(group.term for group in self.groups if not group.is_extra)


def wanted(text: str, weights: Weights) -> Wanted:
    """Take a question apart; one without any word is a Problem."""
    if len(text) > MAX_QUERY:
        raise Problem("argument_invalid", f"query has at most {MAX_QUERY} characters")
    boosts = dict(list(question(text).items())[:MAX_TERMS])
    if not boosts:
        raise Problem("argument_invalid", "query has no word to search for")
    groups = [Group(term, boost, ((term, 1.0),)) for term, boost in boosts.items()]
    words = _WORD.findall(text)
    if weights.joined:
        groups += [
            Group(term, weights.joined, ((term, 1.0),), is_extra=True)
            for term in _neighbours(words)
            if term not in boosts
        ]
    return Wanted(tuple(groups), _name(words), spoken_of(frozenset(boosts)))


def _neighbours(words: Sequence[str]) -> Iterator[str]:
    """Two words that follow each other, written as one."""
    small = [word.lower() for word in words]
    for one, other in dict.fromkeys(zip(small, small[1:], strict=False)):
        if not (STOP & {one, other}) and one.isalpha() and other.isalpha():
            joined = one + other
            if len(joined) <= MAX_WORD:
                yield joined


def _name(words: Sequence[str]) -> str:
    """All words in one, as a declared name in any style of writing has them."""
    joined = "".join(words).replace("_", "").lower()
    return joined if len(words) <= _MAX_NAME_WORDS and len(joined) <= MAX_WORD else ""
