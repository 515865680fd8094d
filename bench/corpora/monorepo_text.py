"""Text of a made monorepo's files: templates of several languages, filled with identifiers.

Identifiers are words of the trade put together, drawn by a power law, so that some are everywhere
and most are rare, as in written code.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

# identifiers that all projects share
VOCABULARY: Final = 200_000
_DATA: Final = tomllib.loads(Path(__file__).with_name("monorepo.toml").read_text("utf-8"))
_VERBS: Final[list[str]] = _DATA["verbs"].split()
_NOUNS: Final[list[str]] = _DATA["nouns"].split()
_TEMPLATES: Final[dict[str, list[str]]] = _DATA["templates"]
_SNAKE: Final = frozenset({"py", "rs", "c", "h", "md", "yaml", "sh"})


@dataclass(frozen=True, slots=True)
class Piece:
    """A template, how many identifiers it takes, and about how long it gets."""

    text: str
    slots: int
    size: int


@cache
def pieces_of(extension: str) -> Sequence[Piece]:
    """The templates of a language."""
    found = []
    for text in _TEMPLATES[extension]:
        slots = text.count("%s")
        found.append(Piece(text, slots, len(text) + 9 * slots))
    return found


@cache
def identifiers(extension: str) -> Sequence[str]:
    """All identifiers, the most common ones first, as the language spells them."""
    snake = extension in _SNAKE
    return [_spelled(number, snake=snake) for number in range(VOCABULARY)]


def _spelled(number: int, *, snake: bool) -> str:
    words = word_parts(number)
    if snake:
        return "_".join(words)
    return words[0] + "".join(word.capitalize() for word in words[1:])


def word_parts(number: int) -> list[str]:
    """The words of an identifier; different numbers have different ones."""
    if number < len(_NOUNS):
        return [_NOUNS[number]]
    number -= len(_NOUNS)
    verb, number = _VERBS[number % len(_VERBS)], number // len(_VERBS)
    noun, number = _NOUNS[number % len(_NOUNS)], number // len(_NOUNS)
    return [verb, noun] if not number else [verb, noun, _NOUNS[number % len(_NOUNS)]]


def noun(number: int) -> str:
    """A noun by its number, which may be any."""
    return _NOUNS[number % len(_NOUNS)]


def draw_ranks(random: np.random.Generator, count: int, local: int) -> list[int]:
    """Numbers of identifiers by a power law; a third are of those that this project uses most."""
    ranks = (random.pareto(0.7, count) * 6).astype(np.int64) % VOCABULARY
    own = random.random(count) < 1 / 3
    ranks[own] = (local + random.integers(0, 400, int(own.sum()))) % VOCABULARY
    found: list[int] = ranks.tolist()
    return found
