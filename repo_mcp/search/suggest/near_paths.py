"""Finds paths in the index that resemble a query: by the file's name, or by shared words."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from index_format import Snapshot, decode_chunks, select_near
from index_format.analysis.words import WORD, terms_of_word
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.question.word_lists import STOP
from repo_mcp.search.filter.file_masks import FileAxis
from repo_mcp.search.filter.file_words import files_elsewhere
from repo_mcp.search.suggest.near_words import undo_typos
from repo_mcp.stored import PATH

_WORD: Final = re.compile(WORD)
_NAME: Final = re.compile(r"[^\s\"'`()<>,;]*\w")
_SHORTEST: Final = 3
_LONG: Final = 5
_MOST_WORDS: Final = 16
# if more paths than these tie, none is suggested
_MOST_TIES: Final = 500
_LONGEST: Final = 100


class NearPath(NamedTuple):
    """A path, and why it is suggested."""

    path: str
    why: str


def near_paths(snapshot: Snapshot, text: str, most: int, budget: Budget) -> list[NearPath]:
    """The closest paths of live files: first by similar names, then by shared words."""
    found = {item.path: item for item in _by_name(snapshot, text, budget)[:most]}
    if len(found) < most:
        for item in _by_words(snapshot, text, budget):
            found.setdefault(item.path, item)
    return list(found.values())[:most]


def _by_name(snapshot: Snapshot, text: str, budget: Budget) -> list[NearPath]:
    """Files whose name, with or without its extension, is spelled nearly like one in the query."""
    wanted = _wanted_name(text)
    if not _SHORTEST <= len(wanted) <= _LONGEST:
        return []
    limit = 2 if len(wanted) >= _LONG else 1
    typos = frozenset(undo_typos(wanted))
    folders = frozenset(_WORD.findall(text.lower()))
    ranked: list[tuple[bool, bool, int, int, str]] = []
    for segment in snapshot.segments:
        budget.check()
        paths = segment.reader.files.paths
        names = paths.find_names(wanted, limit, whole="." in wanted.strip("."))
        known = dict.fromkeys(name for name, _ in names)
        near = set(select_near(known, wanted, limit)) | (typos & known.keys())
        nearest = set(select_near(sorted(near), wanted, 1)) | typos
        for name, file in names:
            if name in near and file not in segment.dead_files:
                path = paths.path(file).decode("utf-8", "surrogatepass")
                place = -_shared(path, folders), len(path), path
                ranked.append((name != wanted, name not in nearest, *place))
    return [NearPath(item[-1], f"its name is close to {wanted!r}") for item in sorted(ranked)]


def _wanted_name(text: str) -> str:
    """The file name in a query: its only word, or the last word with a slash or dot."""
    names_in_query = [found.strip("./").lower() for found in _NAME.findall(text)]
    names = (
        names_in_query
        if len(names_in_query) == 1
        else [item for item in names_in_query if "/" in item or "." in item]
    )
    return names[-1].rpartition("/")[2] if names else ""


def _shared(path: str, words: frozenset[str]) -> int:
    return len(words.intersection(_WORD.findall(path.lower())))


def _by_words(snapshot: Snapshot, text: str, budget: Budget) -> list[NearPath]:
    """Files whose paths share at least two words with the query, by the rarity of the words."""
    number = snapshot.schema.number(PATH)
    if number is None:
        return []
    axis = FileAxis(snapshot)
    worth = np.zeros(axis.count, dtype=np.float64)
    shared = np.zeros(axis.count, dtype=np.int64)
    for term in _terms(text):
        budget.check()
        encoded = term.encode("utf-8", "surrogatepass")
        if snapshot.is_distributed:
            found = files_elsewhere(snapshot, axis, number, encoded, is_prefix=False)
        else:
            found = axis.files_of_chunks(decode_chunks(snapshot.postings(number, encoded)))
        files = axis.only_alive(found)
        if files.any():
            worth[files] += np.log(1 + snapshot.file_count / (1 + files.sum()))
            shared[files] += 1
    worth[shared < 2] = 0.0
    best = float(worth.max(initial=0.0))
    ties = (worth == best).nonzero()[0]
    if not best or len(ties) > _MOST_TIES:
        return []
    paths = [_path(axis, file) for file in ties.tolist()]
    paths.sort(key=lambda path: (len(path), path))
    return [
        NearPath(path, f"its path shares {_shared_words(path, text)} with the query")
        for path in paths
    ]


def _terms(text: str) -> list[str]:
    terms = (term for word in _WORD.findall(text) for term in terms_of_word(word)[:1])
    return [term for term in dict.fromkeys(terms) if term not in STOP][:_MOST_WORDS]


def _shared_words(path: str, text: str) -> str:
    held = {term for word in _WORD.findall(path) for term in terms_of_word(word)}
    return ", ".join(repr(term) for term in _terms(text) if term in held)


def _path(axis: FileAxis, file: int) -> str:
    at = int(np.searchsorted(axis.edges, file, side="right")) - 1
    paths = axis.segments[at].reader.files.paths
    return paths.path(file - axis.edges[at]).decode("utf-8", "surrogatepass")
