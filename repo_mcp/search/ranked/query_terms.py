"""What a question wants: its words with their weights, and the names that it may spell out."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from repo_mcp.errors import Problem
from repo_mcp.languages.facts import in_one
from repo_mcp.search.ranked.names import Name, name_of
from repo_mcp.search.ranked.path_signs import spoken_of
from repo_mcp.text.question import PART, STOP, WHOLE, QueryTerm, parse_terms
from repo_mcp.text.words import MAX_WORD, terms_of_words

_MAX_QUERY: Final = 2000
MAX_TERMS: Final = 64
# what another form of a word counts, beside the word itself
FORM: Final = 0.7
_MAX_NAME_WORDS: Final = 6
# what a faint word counts in a question of more words than a name usually has
_FAINTLY: Final = 0.6
_NAME_WORDS: Final = 2
# `area: what is wrong with it`, as messages and headings begin; areas may follow each other
_AREAS: Final = re.compile(r"(?:(?:[\w/.+*()\[\]-]++,? ?){1,3}(?<=\S):\s+){1,3}")
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the question, its parts where it has several, and what it weighs."""

    term: str
    weight: float
    parts: tuple[str, ...] = ()
    # whether it stands before the colon of a question that begins with what it is about
    leads: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A question, taken apart."""

    words: tuple[Word, ...]
    # identifiers without underscores, and neighbouring words in one: they may be declared so
    joined: tuple[str, ...]
    # all words in one, which may be what is looked for itself; empty when there are too many
    name: str
    # kinds of files that the question speaks of
    kinds: frozenset[str]
    # the name that the question is, where words alone don't tell it from names it is a part of
    spelt: Name | None = None

    @property
    def terms(self) -> tuple[str, ...]:
        """Everything that a hit may match, as it was said."""
        found = dict.fromkeys(
            term for word in self.words for term in (word.term, *word.parts) if term not in STOP
        )
        return tuple(found) or tuple(word.term for word in self.words)

    def with_forms(self, terms: Iterable[str]) -> Query:
        """The same with more words, each as good as one that was said."""
        known = {word.term for word in self.words}
        more = tuple(Word(term, FORM) for term in terms if term not in known)
        return replace(self, words=self.words + more)


def parse_question(text: str) -> Query:
    """Take a question apart; one without any word is a Problem."""
    check_length(text)
    words = parse_terms(text)[:MAX_TERMS]
    if not words:
        raise Problem(
            "argument_invalid", "query has no word to search for: mode literal finds signs"
        )
    written = _WORD.findall(text)
    spoken = spoken_of(frozenset(word.term for word in words))
    leading = _leading(text)
    faintly = _FAINTLY if len(words) > _NAME_WORDS else 1.0
    styles = [in_one(word.term) for word in words if "_" in word.term.strip("_")]
    return Query(
        tuple(_weighed(word, leading, faintly) for word in words),
        tuple(dict.fromkeys([*styles, *_neighbours(written)])),
        _name(written),
        spoken,
        name_of(text, told_apart=len(words[0].parts) > 0),
    )


def check_length(text: str) -> None:
    """Refuse a question that is longer than any."""
    if len(text) > _MAX_QUERY:
        raise Problem("argument_invalid", f"query has at most {_MAX_QUERY} characters")


def _weighed(word: QueryTerm, leading: frozenset[str], faintly: float) -> Word:
    weight = WHOLE if word.parts else 1.0
    if word.term in FAINT:
        weight *= faintly
    weight *= 1 + math.log(word.times)
    return Word(word.term, weight, word.parts, word.term in leading)


def _leading(text: str) -> frozenset[str]:
    """The words of the areas that a question begins with."""
    areas = _AREAS.match(text)
    return frozenset(terms_of_words(areas[0])) if areas else frozenset()


def parts_of(word: Word) -> list[Word]:
    """The parts of a word as words of their own, for when nothing holds it whole."""
    return [Word(part, PART * word.weight / WHOLE) for part in word.parts if part not in STOP]


def _neighbours(words: Sequence[str]) -> Iterator[str]:
    """Two words that follow each other, written as one."""
    small = [word.lower() for word in words]
    for one, other in pairwise(small):
        if not (STOP & {one, other}) and one.isalpha() and other.isalpha():
            joined = one + other
            if len(joined) <= MAX_WORD:
                yield joined


def _name(words: Sequence[str]) -> str:
    joined = in_one("".join(words))
    return joined if len(words) <= _MAX_NAME_WORDS and len(joined) <= MAX_WORD else ""


# what ties a sentence together
_SENTENCE: Final = """
    about after again against also although am any around because been before being between both but
    cannot could did do does doing done during each even every few had has having he here her him
    his how however i instead into its itself just like longer many me more most much must my
    neither nor now off once one only other others our out over own previously rather really same
    seem seems she should since so some still such than their them themselves then there these they
    those though through thus too toward under until up upon very via was were what whatever where
    whether which while who whom whose why within without would
"""
# what is done to any code, and what goes wrong with any
_CHANGE: Final = """
    actually add added adding addition additional adds allow allowed allowing allows attacker
    attackers avoid avoided avoiding avoids backport backported bug bugs cause caused causes causing
    commit commits correct corrected correctly crafted crash crashed crashes crashing denial ensure
    ensures fix fixed fixes fixing happen happens improper improperly improve improved improves
    incorrect incorrectly introduce introduced issue issues lead leading leads made make makes
    making missing need needed needs patch patched patches possible possibly potential potentially
    prevent prevented preventing prevents problem problems proper properly result resulting results
    revert reverts upstream vulnerabilities vulnerability vulnerable wrong
"""
FAINT: Final = frozenset((_SENTENCE + _CHANGE).split())
