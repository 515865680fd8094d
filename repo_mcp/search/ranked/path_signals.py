"""Ranking signals of a path: its terms and its kinds."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from code_graph.paths.path_kinds import path_kinds
from index_format.analysis.words import terms_of_word, terms_of_words
from index_format.tuples import NamedTuple
from repo_mcp.search.dictionary.word_forms import stems

_WORD: Final = re.compile(r"\w+")
# 3 kB each, and 12 µs to make anew
_REMEMBERED: Final = 1 << 12
_NOTHING: Final[frozenset[str]] = frozenset()


class PathSignals(NamedTuple):
    """The terms of a file's name and of its folders, and what kind of file it is.

    Compiled code reads them by their places.
    """

    name: frozenset[str]
    folders: frozenset[str]
    kinds: frozenset[str]
    name_stems: frozenset[str]
    folder_stems: frozenset[str]


class _Terms(NamedTuple):
    """The terms of words of a path, and their stems."""

    terms: frozenset[str]
    stems: frozenset[str]


@lru_cache(_REMEMBERED)
def path_signals(path: str) -> PathSignals:
    """The signals of a path."""
    folder, _, name = path.rpartition("/")
    folders, folder_stems = _folders(folder)
    named, name_stems = _NOTHING, _NOTHING
    for word in map(_word, _WORD.findall(name)):
        named |= word.terms
        name_stems |= word.stems
    return PathSignals(named, folders, path_kinds(path), name_stems, folder_stems)


@lru_cache(_REMEMBERED)
def path_segments(path: str) -> frozenset[frozenset[str]]:
    """The terms of each folder of a path, and of its name without its extension."""
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0] or name
    return frozenset(frozenset(terms_of_words(part)) for part in (*(folders or [""]), stem))


@lru_cache(_REMEMBERED)
def _word(word: str) -> _Terms:
    terms = terms_of_word(word)
    return _Terms(frozenset(terms), stems(terms))


@lru_cache(_REMEMBERED)
def _folders(folder: str) -> _Terms:
    terms = frozenset(terms_of_words(folder))
    return _Terms(terms, stems(terms))
