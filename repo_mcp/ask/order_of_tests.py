"""The order of files of tests for some symbols: what of them tells most about a change comes first.

Tests that call a symbol and those named after its file come before all others. Within both, a few
points decide, which were fitted to the tests that commits of five repositories changed along.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from code_graph.paths.path_kinds import is_test
from code_graph.query.model import Symbol
from code_graph.query.snapshot import GraphSnapshot
from index_format.analysis.words import terms_of_word
from index_format.tuples import NamedTuple

_AFFIX: Final = re.compile(
    r"^(?:tests?|spec)[-_.]|[-_.](?:tests?|spec|unit|e2e)$|(?<=[a-z\d])Tests?$"
)
# folders that say where tests are, and not of what
_LAYOUT: Final = frozenset(
    {"src", "test", "tests", "main", "lib", "unit", "integration", "it", "spec", "specs", "org"}
    | {"__tests__"}
)
_OF_TESTS: Final = frozenset({"test", "tests", "spec", "unit", "integration", "get", "set"})
_SHORTEST: Final = 3
# what each sign is worth: one step nearer is worth a quarter
_STEP: Final = 0.25
_MOST_STEPS: Final = 8
_OWN: Final = 3.0
_SURE: Final = 0.5
_CALLS: Final = 0.7
# of all words of a file's name those that are in names of functions, and of their files
_FUNCTION_WORDS: Final = 2.5
_FILE_WORDS: Final = 1.0
# of the names of folders
_NEAR_FOLDER: Final = 0.7
# ten tests that call it, and ten named after it
_CALLING: Final = 1.7
_NAMED: Final = 1.8
_MANY: Final = 10
# of those that call nothing: named after a file that does, and with mocks of a symbol
_COMPANION: Final = 1.0
_MOCKING: Final = 1.0
# a test may be named after a file at most this many steps from the symbol
_MOST_WAY: Final = 2
# a name of more files, as `base`, says little
_MOST_NAMESAKES: Final = 2


class TestSign(NamedTuple):
    """A symbol of a test file that reaches what is asked about, and how."""

    symbol: Symbol
    distance: int
    is_sure: bool
    # a fixture or a framework leads there
    is_asking: bool


class TestFileRank(NamedTuple):
    """The place of a file of tests: those with lower values come first."""

    is_late: bool
    points: float
    # the name of a file on the way after which it is named
    companion: str = ""


class _Subject(NamedTuple):
    """The words and folders of the symbols that are asked about."""

    stems: Collection[str]
    function_words: Collection[str]
    file_words: Collection[str]
    folders: Sequence[Collection[str]]


def order_test_files(
    graph: GraphSnapshot,
    roots: Iterable[int],
    steps: Mapping[int, int],
    signs: Mapping[str, Sequence[TestSign]],
    mocking: Collection[str],
) -> dict[str, TestFileRank]:
    """The rank of each file of tests.

    `steps` are those to what reaches the roots, `signs` what of each file reaches them; files with
    `mocking` tests have mocks of them.
    """
    symbols = [symbol for symbol in map(graph.symbol, roots) if symbol is not None]
    asked = _Subject(
        {bare_stem(item.path) for item in symbols},
        {word for item in symbols for word in _words(item.simple_name)},
        {word for item in symbols for word in _words(_stem(item.path))},
        [_folders(path) for path in {item.path for item in symbols}],
    )
    on_the_way = _names_on_the_way(graph, steps)
    ranks: dict[str, TestFileRank] = {}
    for path in {*signs, *mocking}:
        found = signs.get(path, ())
        companion = on_the_way.get(bare_stem(path)) if found else None
        ranks[path] = _rank(path, found, asked, companion, is_mocking=path in mocking)
    return ranks


class _OnTheWay(NamedTuple):
    """A file that is on the way to what is asked about, by its name."""

    name: str
    steps: int


def _names_on_the_way(graph: GraphSnapshot, steps: Mapping[int, int]) -> dict[str, _OnTheWay]:
    """The files near the symbols that reach them, by their names, where few files have one."""
    paths: defaultdict[str, set[str]] = defaultdict(set)
    near: dict[str, int] = {}
    for number, count in steps.items():
        symbol = graph.symbol(number)
        if symbol is not None and not is_test(symbol.path):
            stem = bare_stem(symbol.path)
            paths[stem].add(symbol.path)
            if count <= _MOST_WAY:
                near[stem] = min(count, near.get(stem, count))
    few = {stem: found for stem, found in paths.items() if len(found) <= _MOST_NAMESAKES}
    return {
        stem: _OnTheWay(_stem(min(few[stem])), count) for stem, count in near.items() if stem in few
    }


def _rank(
    path: str,
    signs: Sequence[TestSign],
    asked: _Subject,
    companion: _OnTheWay | None,
    *,
    is_mocking: bool,
) -> TestFileRank:
    sure = [item for item in signs if item.is_sure and not item.is_asking]
    nearest = min((item.distance for item in sure), default=_MOST_STEPS)
    is_own = bool(signs) and bare_stem(path) in asked.stems
    calling = sum(item.distance <= 1 for item in sure)
    named = sum(not _words(item.symbol.name).isdisjoint(asked.function_words) for item in signs)
    words = _words(_stem(path))
    points = (
        _STEP * min(nearest, _MOST_STEPS)
        - _OWN * is_own
        - _SURE * bool(sure)
        - _CALLS * bool(calling)
        - _FUNCTION_WORDS * _share(words, asked.function_words)
        - _FILE_WORDS * _share(words, asked.file_words)
        - _NEAR_FOLDER * _nearness(path, asked.folders)
        - _CALLING * min(calling, _MANY) / _MANY
        - _NAMED * min(named, _MANY) / _MANY
    )
    is_late = not (is_own or calling)
    if is_late:
        is_companion = companion is not None and companion.steps <= 1
        points -= _COMPANION * is_companion + _MOCKING * is_mocking
    named_after = companion.name if is_late and companion is not None else ""
    return TestFileRank(is_late, round(points, 3), named_after)


def _share(words: Collection[str], known: Collection[str]) -> float:
    return sum(word in known for word in words) / max(len(words), 1)


def _nearness(path: str, folders: Iterable[Collection[str]]) -> float:
    """The share of the names of folders that a path has in common with the nearest of others."""
    own = _folders(path)
    return max((len(own & {*those}) / max(len(own | {*those}), 1) for those in folders), default=0)


def _folders(path: str) -> set[str]:
    return {*PurePosixPath(path).parent.parts} - _LAYOUT


def _words(name: str) -> set[str]:
    return {word for word in terms_of_word(name) if len(word) >= _SHORTEST} - _OF_TESTS


def _stem(path: str) -> str:
    name = PurePosixPath(path).name
    return name.split(".", 1)[0] or name


def bare_stem(path: str) -> str:
    """The name of a file without what marks it as one of tests."""
    stem = _stem(path)
    return (_AFFIX.sub("", stem) or stem).lower()
