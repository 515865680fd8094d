"""Finds paths in the index that resemble a query: by the file's name, or by shared words."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import numpy as np

from index_format import LiveSegment, Snapshot, decode_chunks, select_near
from repo_mcp.budget import Budget
from repo_mcp.search.filter.file_masks import FileAxis
from repo_mcp.search.filter.file_words import files_elsewhere
from repo_mcp.search.suggest.near_words import undo_typos
from repo_mcp.stored import PATH
from repo_mcp.text.question import STOP
from repo_mcp.text.words import WORD, terms_of_word

_WORD: Final = re.compile(WORD)
_NAME: Final = re.compile(r"[^\s\"'`()<>,;]*\w")
_SHORTEST: Final = 3
_LONG: Final = 5
_MOST_WORDS: Final = 16
# if more paths than these tie, none is suggested
_MOST_TIES: Final = 500
_LONGEST: Final = 100
_SLASH: Final = ord("/")
_DOT: Final = ord(".")


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
        names = _names(segment, wanted, limit)
        known = dict.fromkeys(name for name, _ in names)
        near = set(select_near(known, wanted, limit)) | (typos & known.keys())
        nearest = set(select_near(sorted(near), wanted, 1)) | typos
        for name, file in names:
            if name in near and file not in segment.dead_files:
                path = segment.reader.files.paths[file].decode("utf-8", "surrogatepass")
                place = -_shared(path, folders), len(path), path
                ranked.append((name != wanted, name not in nearest, *place))
    return [NearPath(item[-1], f"its name is close to {wanted!r}") for item in sorted(ranked)]


def _names(segment: LiveSegment, wanted: str, limit: int) -> list[tuple[str, int]]:
    """Names of about the length of the wanted one, and their files.

    The names have no extension if the wanted one has none.
    """
    paths = segment.reader.files.paths
    raw = b"\0".join([b"", *paths, b""]).lower()
    text = np.frombuffer(raw, dtype=np.uint8)
    ends = (text == 0).nonzero()[0][1:]
    if len(ends) != len(paths):  # no system makes such a path
        return []
    slashes = ((text == _SLASH) | (text == 0)).nonzero()[0]
    begins = slashes[np.searchsorted(slashes, ends) - 1] + 1
    if "." not in wanted.strip("."):
        dots = ((text == _DOT) | (text == 0)).nonzero()[0]
        ends = dots[np.searchsorted(dots, np.minimum(begins + 1, ends))]
    sizes = ends - begins
    most = len(wanted.encode("utf-8", "surrogatepass")) + 2 * limit
    files = ((sizes >= len(wanted) - limit) & (sizes <= most)).nonzero()[0]
    places = zip(begins[files].tolist(), ends[files].tolist(), files.tolist(), strict=True)
    return [(raw[begin:end].decode("utf-8", "replace"), file) for begin, end, file in places]


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
        if snapshot.is_spread:
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
    files = axis.segments[at].reader.files
    return files.paths[file - axis.edges[at]].decode("utf-8", "surrogatepass")
