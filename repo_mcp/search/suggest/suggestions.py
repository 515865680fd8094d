"""Suggests other queries for one that finds nothing or has words that no file contains."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from index_format import Snapshot
from index_format.analysis.words import MAX_WORD, WORD, split_identifier
from repo_mcp.budget import Budget
from repo_mcp.model import Suggestion
from repo_mcp.question.word_lists import STOP
from repo_mcp.search.suggest.near_paths import near_paths
from repo_mcp.search.suggest.near_words import NearWord, NearWords

MOST: Final = 5
_WORD: Final = re.compile(WORD)
_LONGEST: Final = 2_000
_MOST_WORDS: Final = 16
# words of a query that are corrected
_MOST_DOUBTFUL: Final = 3
# a word in more chunks than this is no typo
_RARE: Final = 20
_EACH: Final = 3
# a spelling so many times rarer than a near one is a typo itself
_RARER: Final = 100
_MOST_FORMS: Final = 2
_MOST_PATHS: Final = 2
_SHORTEST_PIECE: Final = 3
_LONGEST_SPLIT: Final = 40


def suggest_queries(snapshot: Snapshot, text: str, budget: Budget) -> tuple[Suggestion, ...]:
    """At most five suggestions, deterministic; `text` is `ParsedQuery.plain`."""
    query = text[:_LONGEST]
    words = NearWords(snapshot, budget)
    near = _doubtful_words(words, query)
    unknown = [
        word for word, found in near.items() if not found and len(split_identifier(word)) == 1
    ]
    forms = [*_join_words(words, query), *_split_words(words, query, unknown)][:_MOST_FORMS]
    paths = [
        Suggestion("path", item.path, item.why)
        for item in near_paths(snapshot, query, _MOST_PATHS, budget)
    ]
    spellings = list(_spellings(words, query, near))[: MOST - len(forms) - len(paths)]
    found = {item.text: item for item in [*paths[::-1], *forms[::-1], *spellings[::-1]]}
    return tuple(found.values())[::-1]


def _doubtful_words(words: NearWords, text: str) -> dict[str, list[NearWord]]:
    """The first words that are unknown or far rarer than a near one, with their corrections."""
    found: dict[str, list[NearWord]] = {}
    for word in dict.fromkeys(_WORD.findall(text)[:_MOST_WORDS]):
        count = words.chunks(word)
        if len(found) == _MOST_DOUBTFUL or count > _RARE or len(word) > MAX_WORD:
            continue
        near = [item for item in _near(words, word) if item.chunks >= count * _RARER]
        if near or not (count or words.is_known(word)):
            found[word] = near
    return found


def _near(words: NearWords, word: str) -> list[NearWord]:
    """Corrections of a word, or of its parts if there are none of the whole."""
    whole = words.near(word, _EACH)
    cut = split_identifier(word)
    if whole or len(cut) == 1 or words.is_known(word):
        return whole
    respelt = {part: words.near(part, 1) for part in cut if not words.is_known(part)}
    if not respelt or not all(respelt.values()):
        return []
    fewest = min(found[0].chunks for found in respelt.values())
    return [
        NearWord(
            _replace_parts(word, {part: near[0].text for part, near in respelt.items()}), fewest
        )
    ]


def _spellings(
    words: NearWords, text: str, near: Mapping[str, Sequence[NearWord]]
) -> Iterator[Suggestion]:
    """The query with the best correction of each word, then with the next best of one word."""
    best = {word: found[0] for word, found in near.items() if found}
    if best:
        yield _spelling(words, text, best)
    for rank in range(1, _EACH):
        for word, found in near.items():
            if len(found) > rank and found[rank].chunks * _RARER >= found[0].chunks:
                yield _spelling(words, text, {**best, word: found[rank]})


def _spelling(words: NearWords, text: str, spellings: Mapping[str, NearWord]) -> Suggestion:
    why = "; ".join(
        f"{word!r} is {_places(words.chunks(word))}, {near.text!r} {_places(near.chunks)}"
        for word, near in spellings.items()
    )
    new = {word: near.text for word, near in spellings.items()}
    return Suggestion("spelling", _replace_words(text, new), why)


def _replace_words(text: str, new: Mapping[str, str]) -> str:
    """The text with some words replaced."""
    return _WORD.sub(lambda found: new.get(found[0], found[0]), text)


def _replace_parts(word: str, new: Mapping[str, str]) -> str:
    expression = "|".join(map(re.escape, sorted(new, key=len, reverse=True)))
    return re.sub(expression, lambda found: new[found[0]], word)


def _join_words(words: NearWords, text: str) -> list[Suggestion]:
    """The query with two adjacent words joined to a known one, the most frequent first."""
    found: list[tuple[int, Suggestion]] = []
    for one, other in pairwise(list(_WORD.finditer(text))[:_MOST_WORDS]):
        between = text[one.end() : other.start()]
        if STOP & {one[0].lower(), other[0].lower()} or between.strip():
            continue
        forms = (f"{one[0]}{other[0]}".lower(), f"{one[0]}_{other[0]}".lower())
        chunks, _, form = max((words.chunks(form), -at, form) for at, form in enumerate(forms))
        if chunks:
            new = text[: one.start()] + form + text[other.end() :]
            why = f"{form!r} is one word {_places(chunks)}"
            found.append((-chunks, Suggestion("joined", new, why)))
    return [suggestion for _, suggestion in sorted(found, key=lambda item: item[0])]


def _split_words(words: NearWords, text: str, unknown: Sequence[str]) -> Iterator[Suggestion]:
    """The query with an unknown word split into two known ones, or joined by an underscore."""
    for word in unknown:
        small = word.lower()
        cuts = range(_SHORTEST_PIECE, len(small) - _SHORTEST_PIECE + 1)
        if len(small) > _LONGEST_SPLIT or not small.isalpha() or not cuts:
            continue
        both = {at: min(words.chunks(small[:at]), words.chunks(small[at:])) for at in cuts}
        at = max(both, key=both.__getitem__)
        if both[at]:
            whole = f"{small[:at]}_{small[at:]}"
            chunks = words.chunks(whole)
            form = whole if chunks else whole.replace("_", " ")
            why = f"{word!r} is nowhere, {form!r} {_places(chunks or both[at])}"
            yield Suggestion("split", _replace_words(text, {word: form}), why)


def _places(chunks: int) -> str:
    """A number of chunks as a phrase."""
    return f"in {chunks} place{'' if chunks == 1 else 's'}" if chunks else "nowhere"
