"""Ranking signals of a path: its terms, what it is about, and its kinds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from code_graph.paths.path_kinds import KIND_WORDS, TESTS, path_kinds
from index_format.analysis.words import split_identifier, terms_of_word, terms_of_words
from index_format.tuples import NamedTuple
from repo_mcp.search.dictionary.word_forms import stems

# names that many files of a tree have, whatever they are about
_COMMON_NAMES: Final = frozenset(
    {"index", "init", "main", "mod", "lib", "types", "common", "util", "utils", "helper", "helpers"}
)
_SHORTEST_SUBJECT: Final = 3
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
    # the name without extensions and words for tests, the same for a source and its tests; empty
    # for names that say little
    subject: str


class _Word(NamedTuple):
    """The signals of one word of a path."""

    terms: tuple[str, ...]
    distinct: frozenset[str]
    stems: frozenset[str]
    # its parts in small letters, without words for tests
    subject: str


class _Folders(NamedTuple):
    words: frozenset[str]
    stems: frozenset[str]


@lru_cache(_REMEMBERED)
def path_signals(path: str) -> PathSignals:
    """The signals of a path."""
    folder, _, name = path.rpartition("/")
    folders, folder_stems = _folders(folder)
    written = _WORD.findall(name)
    words = [_word(word) for word in written]
    distinct, stems_of_name = _NOTHING, _NOTHING
    for word in words:
        distinct |= word.distinct
        stems_of_name |= word.stems
    # the number of words before the first extension
    first = name.find(".")
    count = len(written)
    if first >= 0:
        is_one = count > 0 and len(written[0]) == first
        count = 1 if is_one else len(_WORD.findall(name, 0, first))
    return PathSignals(
        distinct,
        folders,
        path_kinds(path),
        stems_of_name,
        folder_stems,
        _subject(words[:count]),
    )


@lru_cache(_REMEMBERED)
def path_segments(path: str) -> frozenset[frozenset[str]]:
    """The terms of each folder of a path, and of its name without its extension."""
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0] or name
    return frozenset(frozenset(terms_of_words(part)) for part in (*(folders or [""]), stem))


@lru_cache(_REMEMBERED)
def _word(word: str) -> _Word:
    terms = terms_of_word(word)
    parts = terms if terms == (word,) else [part.lower() for part in split_identifier(word)]
    return _Word(
        terms,
        frozenset(terms),
        stems(terms),
        "".join(part for part in parts if part not in KIND_WORDS[TESTS]),
    )


def _subject(words: Sequence[_Word]) -> str:
    subject = "".join([word.subject for word in words])
    return "" if len(subject) < _SHORTEST_SUBJECT or subject in _COMMON_NAMES else subject


@lru_cache(_REMEMBERED)
def _folders(folder: str) -> _Folders:
    words = frozenset(terms_of_words(folder))
    return _Folders(words, stems(words))
