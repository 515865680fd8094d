"""Finds the further names of a setting: those that its value gets on the lines that have it.

A variable of the environment becomes a flag, the flag a field, the field a key of an answer, and
the key a value of the front end. Each step stands on one line beside the name before, and has words
of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from index_format.analysis.words import split_identifier
from repo_mcp.ask.siblings import any_spelling

_STEPS: Final = 4
_MOST_NAMES: Final = 8
# words of a name that says what it is; one of fewer is a word of the language
_LEAST_WORDS: Final = 2
# the share of a name's words that a name of the same setting has
_ALIKE: Final = 0.5
# letters of a word by which its forms are alike
_STEM: Final = 5
# a text, or what is before an assignment or a colon
_GIVEN: Final = re.compile(
    r"[\"'`](?P<text>[A-Za-z][\w.-]{3,80})[\"'`]|(?P<name>[A-Za-z_$][\w$-]{3,80})[\"'`]?\s*(?::|=(?!=))"
)
_PREFIXED: Final = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+){3,}")

# the lines, as texts, that an expression matches in any case
FindLines = Callable[[str], Iterable[str]]


def pattern_of(names: Iterable[str]) -> str:
    """An expression for names in any spelling; a variable may lack its program's prefix."""
    return "|".join(dict.fromkeys(any_spelling(_bare(name)) for name in names))


def names_of_setting(names: Sequence[str], find_lines: FindLines) -> list[str]:
    """The names, and those that the value gets step by step."""
    known = dict.fromkeys(names)
    fresh = [*known]
    for _ in range(_STEPS):
        words = [_stems(_bare(name)) for name in known]
        given = (name for line in find_lines(pattern_of(fresh)) for name in _given_on(line))
        alike = (name for name in given if _is_alike(name, words))
        fresh = [name for name in dict.fromkeys(alike) if not _is_spelled(name, known)]
        fresh = _distinct(fresh)[: _MOST_NAMES - len(known)]
        if not fresh:
            break
        known |= dict.fromkeys(fresh)
    return [*known]


def _bare(name: str) -> str:
    """The last parts of a key that say what it is; a variable without the word of its program."""
    parts = [part for part in re.split(r"[./:]", name) if part] or [name]
    last = parts.pop()
    while parts and len(split_identifier(last)) < _LEAST_WORDS:
        last = f"{parts.pop()}.{last}"
    return last.partition("_")[2] if _PREFIXED.fullmatch(last) else last


def _given_on(line: str) -> Iterator[str]:
    """The texts and assigned names of a line."""
    for match in _GIVEN.finditer(line):
        yield match["text"] or match["name"]


def _is_alike(name: str, known: Iterable[frozenset[str]]) -> bool:
    stems = _stems(_bare(name))
    if len(stems) < _LEAST_WORDS:
        return False
    return any(len(stems & words) >= _ALIKE * len(stems) for words in known)


def _stems(name: str) -> frozenset[str]:
    return frozenset(word.lower()[:_STEM] for word in split_identifier(name))


def _is_spelled(name: str, known: Iterable[str]) -> bool:
    """True if a search for the known names finds this one."""
    return re.search(pattern_of(known), name, re.IGNORECASE) is not None


def _distinct(names: Sequence[str]) -> list[str]:
    """The first of the names that are one in different spellings."""
    first: dict[frozenset[str], str] = {}
    for name in names:
        first.setdefault(_stems(_bare(name)), name)
    return [*first.values()]
