"""Chooses the tests to run for a change, the likeliest to fail first, each with its reason.

A test is chosen if it has changed, if it reaches what has changed by edges of the graph, if it is
named after a changed file, if it names a changed file that has no code, or if it usually changes
along. No edge shows a use by reflection, so that the reasons are many.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from code_graph.paths.path_kinds import is_test
from code_graph.query.model import LineOf, Symbol
from code_graph.query.snapshot import GraphSnapshot
from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.ask import (
    BY_EDGES,
    BY_IMPORT,
    BY_NAME,
    DIRECT,
    DISPATCHED,
    INCIDENTAL,
    MOCKED,
    NEAR,
    UNSEEN,
    LinesNaming,
    TestFileRank,
    TestSearch,
    bare_stem,
    has_tests,
    is_run_as_test,
)
from repo_mcp.changes.model import ChosenTest, MissingCompanion
from repo_mcp.changes.sides import ComparedFile
from repo_mcp.repository import local_name

# symbols that are followed
_BUDGET: Final = 20_000
# ranks of the reasons
_CHANGED, _BREAKS, _COVERED, _REACHED, _DISPATCHED = range(5)
_ON_THE_WAY, _NAMED, _NAMES, _UNSEEN, _MOCKED, _IMPORTS, _TOGETHER = range(5, 12)
_SURE: Final = frozenset({_CHANGED, _BREAKS, _COVERED, _REACHED, _DISPATCHED, _NAMES})
# which come first whatever else is known of their file
_FIRST: Final = frozenset({_CHANGED, _BREAKS, _COVERED})
_CERTAINLY_DIRECT: Final = frozenset({_CHANGED, _BREAKS, _COVERED, _NAMES})
_WAYS: Final = {
    BY_EDGES: _REACHED,
    DISPATCHED: _DISPATCHED,
    BY_NAME: _DISPATCHED,
    UNSEEN: _UNSEEN,
    MOCKED: _MOCKED,
    BY_IMPORT: _IMPORTS,
}
_OF_FILES: Final = frozenset({_CHANGED, _COVERED, _NAMES})
_OF_SYMBOLS: Final = frozenset({_CHANGED, _BREAKS, _REACHED, _DISPATCHED, _UNSEEN, _MOCKED})
_ASCII: Final = re.compile(r"[\x00-\x7f]+")
_MOST_NAMES: Final = 40
_SHOWN_OF_MANY: Final = 3


class _Reason(NamedTuple):
    rank: int
    distance: int
    reason: str
    name: str = ""  # of one test; empty for the file
    # as the search says
    found_near: int = NEAR

    @property
    def nearness(self) -> int:
        """The nearness of the test to what has changed."""
        return DIRECT if self.rank in _CERTAINLY_DIRECT else self.found_near


class TestChooser:
    """Collects reasons for files of tests."""

    def __init__(self, graph: GraphSnapshot | None, text: Snapshot) -> None:
        """`graph` has all files, or is None; `text` is the index of their text."""
        self._graph = graph
        self._text = text
        self._found: defaultdict[str, list[_Reason]] = defaultdict(list)
        # as the search ranks files
        self._ranks: dict[str, TestFileRank] = {}

    def add_changed(self, files: Iterable[ComparedFile], changed: Iterable[int]) -> None:
        """Choose the tests that have changed; `changed` are all symbols that have.

        Of a file with nothing else that has changed, these tests alone.
        """
        names: defaultdict[str, list[str]] = defaultdict(list)
        for number in changed:
            symbol = None if self._graph is None else self._graph.symbol(number)
            if symbol is not None:
                names[symbol.path].append(self._name_of(symbol))
        for file in files:
            path = file.new_path
            if path and is_test(path):
                own = names.get(path, [])
                for name in own if own and all(own) else ("",):
                    self._found[path].append(_Reason(_CHANGED, 0, "it has changed", name))

    def add_reaching(
        self,
        changed: Sequence[int],
        breaking: Sequence[int],
        run: Collection[int],
        naming: LinesNaming,
        line_of: LineOf,
    ) -> None:
        """Choose the tests that are, or reach, symbols that have changed, or may break.

        Of those that `run` another way, others are looked for where no edge leads to them, too.
        `naming` finds the lines with a word, `line_of` reads one.
        """
        graph = self._graph
        if graph is None:
            return
        self._add_own(breaking, _BREAKS, "a place in it may break")
        here = [number for number in dict.fromkeys((*changed, *breaking)) if graph.symbol(number)]
        if not here:
            return
        others = [number for number in here if number in run or number not in changed]
        search = TestSearch(graph, naming, line_of, budget=_BUDGET)
        search.follow(here, others if any(number in run for number in here) else ())
        for item in search.found:
            given = item.distance, item.reason(graph), self._name_of(item.symbol)
            is_told = item.is_sure or item.way in {BY_IMPORT, MOCKED}
            rank = _WAYS[item.way] if is_told else _UNSEEN
            self._found[item.symbol.path].append(_Reason(rank, *given, item.nearness))
        self._add_ranks(search.ranks())

    def _add_ranks(self, ranks: Mapping[str, TestFileRank]) -> None:
        """Keep the ranks of files, and say of those after what on the way they are named."""
        for path, rank in ranks.items():
            self._ranks[path] = min(rank, self._ranks.get(path, rank))
            if rank.companion:
                reason = f"it is named after {rank.companion}, which leads to it"
                self._found[path].append(_Reason(_ON_THE_WAY, 0, reason))

    def add_perhaps_changed(
        self, symbols: Sequence[int], naming: LinesNaming, line_of: LineOf
    ) -> None:
        """Choose the tests that reach symbols of files of which it is not known what has changed.

        They may reach the change; those that have changed themselves are chosen by their files.
        """
        graph = self._graph
        here = [] if graph is None else [number for number in symbols if graph.symbol(number)]
        if graph is None or not here:
            return
        search = TestSearch(graph, naming, line_of, budget=_BUDGET)
        search.follow(here, here)
        for item in search.found:
            rank = _IMPORTS if item.way == BY_IMPORT else _UNSEEN
            given = item.distance, item.reason(graph), self._name_of(item.symbol)
            self._found[item.symbol.path].append(_Reason(rank, *given, max(item.nearness, NEAR)))
        for path, found in search.ranks().items():
            self._ranks.setdefault(path, found)

    def _add_own(self, ids: Iterable[int], rank: int, reason: str) -> None:
        """Choose the tests among some symbols, and the files of others that are in tests."""
        for number in ids:
            symbol = None if self._graph is None else self._graph.symbol(number)
            if symbol is not None and is_test(symbol.path):
                self._found[symbol.path].append(_Reason(rank, 0, reason, self._name_of(symbol)))

    def _name_of(self, symbol: Symbol) -> str:
        """The name of a test; empty for what tests use."""
        graph = self._graph
        is_run = graph is not None and symbol.node_type != "file" and is_run_as_test(graph, symbol)
        return local_name(graph, symbol) if is_run and graph is not None else ""

    def add_namesakes(
        self, root: str, paths: Iterable[str], has_code: Callable[[str], bool]
    ) -> None:
        """Choose the tests of a root that are named after one of these files of it."""
        stems: defaultdict[str, list[str]] = defaultdict(list)
        for path in paths:
            if not is_test(path):
                stems[bare_stem(path)].append(path)
        parts = {max(_ASCII.findall(stem), key=len, default="") for stem in stems}
        for path in self._text.paths_named(sorted(parts)) if parts else ():
            lowered = path.lower()
            is_near = path.startswith(root) and ("test" in lowered or "spec" in lowered)
            if is_near and is_test(path):
                others = stems.get(bare_stem(path), [])
                if others and has_code(path):
                    reasons = (f"it is named after {other}" for other in others)
                    self._found[path] += (_Reason(_NAMED, 0, reason) for reason in reasons)

    def add_naming(self, places: Mapping[str, Sequence[str]]) -> None:
        """Choose the tests that name files without code: paths of tests by such a file."""
        for named, paths in places.items():
            for path in paths:
                if is_test(path):
                    self._found[path].append(_Reason(_NAMES, 0, f"it names {named}"))

    def add_covering(self, covered: Mapping[str, Sequence[str]]) -> None:
        """Choose the tests that ran changed lines: names by file, none for all of a file."""
        for path, names in covered.items():
            reason = "it has run changed lines"
            for name in names or ("",):
                self._found[path].append(_Reason(_COVERED, 0, reason, name))

    def add_companions(self, companions: Iterable[MissingCompanion]) -> None:
        """Choose the tests that usually change along."""
        for item in companions:
            if is_test(item.path):
                reason = f"it changed in {item.together} of {item.of} commits of {item.because}"
                self._found[item.path].append(_Reason(_TOGETHER, 0, reason))

    def chosen(self) -> list[ChosenTest]:
        """The files of tests, those that tell most about the change first.

        A file with sure tests and others, or with near ones and far ones, is there again behind
        all files.
        """
        found = [
            (path, item)
            for path, item in self._found.items()
            if any(reason.rank in _OF_FILES for reason in item)
            or self._graph is None
            or has_tests(self._graph, path)
        ]
        ordered = sorted(found, key=lambda item: (self._place(*item), item[0]))
        parts = [[*_chosen(path, item)] for path, item in ordered]
        # a reader who has seen one row of a file would rather see those of others
        return [part[0] for part in parts] + [item for part in parts for item in part[1:]]

    def _place(self, path: str, found: Sequence[_Reason]) -> tuple[int, float, int]:
        """The place of a file: changed ones first, those that reach it by rank, then others."""
        best = min(item.rank for item in found)
        if best in _FIRST:
            return best, 0, 0
        rank = self._ranks.get(path)
        if rank is not None:
            return len(_FIRST) + rank.is_late, rank.points, best
        is_namesake = any(item.rank == _NAMED for item in found)
        return len(_FIRST) + 2 - is_namesake, -1_000 * is_namesake, best


def _chosen(path: str, found: Sequence[_Reason]) -> Iterator[ChosenTest]:
    """The sure tests of a file, and the others."""
    by_rank = sorted(found, key=lambda item: (item.rank, item.distance, item.name))
    # what asks for a fixture runs much else, too
    ordered = sorted(by_rank, key=lambda item: (item.rank, item.nearness))
    # what is named after a changed file, and may reach the change, mostly does
    is_namesake = any(item.rank == _NAMED for item in found)
    is_companion = any(item.rank in {_NAMED, _ON_THE_WAY} for item in found)
    certain = _SURE | {_UNSEEN, _IMPORTS} if is_namesake else _SURE
    sure = [item for item in ordered if item.rank in certain]
    rest = [item for item in ordered if item.rank not in certain]
    names = _names(sure)
    left = [item for item in rest if item.name not in names] if names or not sure else []
    if sure:  # what leads to the change by a file on the way is said of those that run it
        sure += [item for item in left if item.rank == _ON_THE_WAY]
        left = [item for item in left if item.rank != _ON_THE_WAY]
    if sure and not any(item.name or item.rank in _OF_SYMBOLS for item in left):
        # what is known of the file alone is one more reason for the tests that are known
        sure, left = ordered, []
    if sure:
        yield from _by_nearness(path, sure, is_namesake=is_companion)
    if left:
        yield _part(path, left, _names(left), is_sure=False)


def _by_nearness(path: str, sure: Sequence[_Reason], *, is_namesake: bool) -> Iterator[ChosenTest]:
    """The sure tests of a file: those that are near, and those that run the change along."""
    far = [item for item in sure if item.nearness == INCIDENTAL and not is_namesake]
    known = {item.name for item in sure if item not in far}
    far = [item for item in far if item.name not in known]
    near = [item for item in sure if item not in far]
    names = _names(near)
    if near and (not far or not names):  # all of it is near, if some of it has no name
        yield _part(path, sure, names, is_sure=True)
        return
    if near:
        yield _part(path, near, names, is_sure=True)
    yield _part(path, far, _names(far), is_sure=True)


def _names(found: Sequence[_Reason]) -> list[str]:
    """The tests by name; none if it may be any test of the file, as what tests use is."""
    names = _every_name(found)
    is_whole = any(item.rank in _OF_SYMBOLS and not item.name for item in found)
    return [] if is_whole or len(names) > _MOST_NAMES else names


def _every_name(found: Sequence[_Reason]) -> list[str]:
    return [*dict.fromkeys(item.name for item in found if item.name)]


def _part(
    path: str, found: Sequence[_Reason], names: Sequence[str], *, is_sure: bool
) -> ChosenTest:
    reasons = {item.rank: item.reason for item in reversed(found)}
    nearness = min(item.nearness for item in found)
    told = [reasons[rank] for rank in sorted(reasons)]
    every = [] if names else _every_name(found)
    if len(every) > _SHOWN_OF_MANY:
        first = ", ".join(every[:_SHOWN_OF_MANY])
        told[0] += f", the nearest of {len(every)} tests: {first}"
    return ChosenTest(path, names, told, is_sure, nearness)
