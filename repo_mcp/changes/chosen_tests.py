"""Chooses the tests to run for a change, the likeliest to fail first, each with its reason.

A test is chosen if it has changed, if it reaches what has changed by edges of the graph, if it is
named after a changed file, if it names a changed file that has no code, or if it usually changes
along. No edge shows a use by reflection, so that the reasons are many.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import PurePosixPath
from typing import Final

from code_graph.paths.path_kinds import is_test
from code_graph.query.model import FUNCTIONS, TYPES, Symbol
from code_graph.query.paths import AFFECTS, closure
from code_graph.query.reflection import reflective_users
from code_graph.query.registries import registering_variables
from code_graph.query.snapshot import GraphSnapshot
from code_graph.query.unseen_users import (
    called_by_frameworks,
    is_used_by_functions_alone,
    named_alone,
    types_of_unseen,
)
from index_format.tuples import NamedTuple
from repo_mcp.changes.model import ChosenTest, MissingCompanion
from repo_mcp.changes.sides import ComparedFile
from repo_mcp.repository import is_run_as_test, local_name

# what nothing uses leads to others of the kind
_MOST_ROUNDS: Final = 3
_MOST_ALONE: Final = 20
# a word in more lines than this is no name of one thing
_MOST_LINES: Final = 60
_DEPTH: Final = 1_000
_BUDGET: Final = 20_000
# ranks of the reasons
_CHANGED, _BREAKS, _COVERED, _REACHED, _NAMED, _NAMES, _UNSEEN, _IMPORTS, _TOGETHER = range(9)
_OF_FILES: Final = frozenset({_CHANGED, _COVERED, _NAMES})
_OF_SYMBOLS: Final = frozenset({_CHANGED, _BREAKS, _REACHED, _UNSEEN})
_AFFIX: Final = re.compile(
    r"^(?:tests?|spec)[-_.]|[-_.](?:tests?|spec|unit|e2e)$|(?<=[a-z\d])Tests?$"
)
_MOST_NAMES: Final = 40

# finds the lines with a word: path and number of each
LinesNaming = Callable[[str], Sequence[tuple[str, int]]]


class _Reason(NamedTuple):
    rank: int
    distance: int
    reason: str
    name: str = ""  # of one test; empty for the file


class TestChooser:
    """Collects reasons for files of tests."""

    def __init__(self, graph: GraphSnapshot | None, paths: Collection[str]) -> None:
        """`graph` has all files, or is None; `paths` are those of the index."""
        self._graph = graph
        self._paths = paths
        self._found: defaultdict[str, list[_Reason]] = defaultdict(list)

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
    ) -> None:
        """Choose the tests that are, or reach, symbols that have changed, or may break.

        Of those that `run` another way, others are looked for where no edge leads to them, too.
        `naming` finds the lines with a word.
        """
        graph = self._graph
        if graph is None:
            return
        self._add_own(breaking, _BREAKS, "a place in it may break")
        here = [number for number in dict.fromkeys((*changed, *breaking)) if graph.symbol(number)]
        if not here:
            return
        reached = self._add_reach(graph, here, _REACHED, "it reaches `{}`")
        known = {*here, *reached}
        registers = registering_variables(graph, known) - known
        if registers:
            reason = "it reaches what `{}` has"
            reached += self._add_reach(graph, sorted(registers), _REACHED, reason, known)
            known.update(registers, reached)
        unseen = reflective_users(graph, known) - known
        if unseen:
            reason = "it may reach it by a name that `{}` looks up"
            more = self._add_reach(graph, sorted(unseen), _UNSEEN, reason, known)
            known.update(unseen, more)
        if any(number in run for number in here):
            step = [number for number in here if number in run or number not in changed]
            self._add_unseen(graph, [*step, *reached], known, naming)

    def _add_unseen(
        self, graph: GraphSnapshot, step: Sequence[int], known: set[int], naming: LinesNaming
    ) -> None:
        """Choose the tests that use the types of methods that nothing calls, and so on.

        From what nothing uses at all, the way goes on from those who name it in a text.
        """
        for _ in range(_MOST_ROUNDS):
            types = types_of_unseen(graph, step) - known
            registers = registering_variables(graph, types) - known - types
            alone = islice(named_alone(graph, (*step, *types)), _MOST_ALONE)
            users = {number for symbol in alone for number in _naming(graph, symbol, naming)}
            users -= known
            self._add_own(users, _UNSEEN, "it names it in a text")
            found: list[int] = []
            for roots, reason in (
                (types, "it uses `{}`, which has it"),
                (registers, "it reaches what `{}` has"),
                (users, "it reaches `{}`, which names it"),
            ):
                if roots:
                    found += [
                        *self._add_reach(graph, sorted(roots), _UNSEEN, reason, known),
                        *roots,
                    ]
                    known.update(found)
            if not found:
                return
            step = found

    def _add_reach(
        self,
        graph: GraphSnapshot,
        roots: Sequence[int],
        rank: int,
        reason: str,
        known: Iterable[int] = (),
    ) -> list[int]:
        """Choose the tests that reach some symbols and were not `known`; returns all that does."""
        reach = closure(
            graph,
            roots[0],
            AFFECTS,
            depth=_DEPTH,
            budget=_BUDGET,
            also=roots[1:],
            without=known,
            through_files=False,
        ).reached
        next_of = {item.id: item.next for item in reach}
        for item in reach:
            symbol = graph.symbol(item.id)
            if symbol is None or not is_test(symbol.path):
                continue
            own = self._name_of(symbol)
            is_file = symbol.node_type == "file"
            if not own and not is_file and is_used_by_functions_alone(graph, item.id):
                continue  # those are reached, too
            target = graph.symbol(_end(item.id, next_of))
            named = "" if target is None else local_name(graph, target)
            if is_file:
                found = _Reason(_IMPORTS, item.distance, f"it imports `{named}`")
            else:
                steps = f" in {item.distance} steps" if item.distance > 1 else ""
                text = f"{reason.format(named)}{steps}"
                found = _Reason(rank, item.distance, text, own)
            self._found[symbol.path].append(found)
        reached = [*next_of]
        seen = {*known, *roots, *reached}
        asking = called_by_frameworks(graph, (*roots, *reached)) - seen
        if asking:
            self._add_own(asking, rank, "it asks for a fixture that reaches it")
            reached += asking
            reached += self._add_reach(graph, sorted(asking), rank, reason, seen)
        return reached

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

    def add_namesakes(self, paths: Iterable[str]) -> None:
        """Choose the tests that are named after one of these files."""
        stems: defaultdict[str, list[str]] = defaultdict(list)
        for path in paths:
            if not is_test(path):
                stems[_bare_stem(path)].append(path)
        for path in self._paths:
            lowered = path.lower()
            if ("test" in lowered or "spec" in lowered) and is_test(path):
                for other in stems.get(_bare_stem(path), ()):
                    self._found[path].append(_Reason(_NAMED, 0, f"it is named after {other}"))

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
        """The files of tests, the likeliest to fail first."""
        found = [
            (path, item)
            for path, item in self._found.items()
            if any(reason.rank in _OF_FILES for reason in item) or self._has_tests(path)
        ]
        ordered = sorted(found, key=lambda item: (_rank(item[1]), item[0]))
        return [_chosen(path, item) for path, item in ordered]

    def _has_tests(self, path: str) -> bool:
        """True unless a file is known to have none, as those of fixtures."""
        graph = self._graph
        if graph is None or not graph.is_linked(path):
            return True
        return any(self._name_of(symbol) for symbol, _ in graph.outline(path))


def _rank(found: Sequence[_Reason]) -> tuple[int, bool, int, int]:
    """By certainty; of those that reach the change, namesakes first, then by distance."""
    best = min(found, key=lambda item: (item.rank, item.distance))
    is_namesake = any(item.rank == _NAMED for item in found)
    return min(best.rank, _REACHED), not is_namesake, best.rank, best.distance


def _chosen(path: str, found: Sequence[_Reason]) -> ChosenTest:
    ordered = sorted(found, key=lambda item: (item.rank, item.distance, item.name))
    names = [*dict.fromkeys(item.name for item in ordered if item.name)]
    reasons = {item.rank: item.reason for item in reversed(ordered)}
    # what is no test itself may be used by any test of the file
    is_whole = any(item.rank in _OF_SYMBOLS and not item.name for item in found)
    shown = () if is_whole or len(names) > _MOST_NAMES else names
    return ChosenTest(path, shown, [reasons[rank] for rank in sorted(reasons)])


def _naming(graph: GraphSnapshot, symbol: Symbol, naming: LinesNaming) -> Iterator[int]:
    """The functions and types around the lines that have the name of a symbol elsewhere."""
    lines = naming(symbol.simple_name)
    for path, line in lines if len(lines) <= _MOST_LINES else ():
        if path == symbol.path and symbol.start_line <= line <= symbol.end_line:
            continue
        around = [
            item
            for item, declared in graph.outline(path)
            if declared is not None
            and item.start_line <= line <= item.end_line
            and item.node_type in FUNCTIONS | TYPES
        ]
        if around:
            yield min(around, key=lambda item: item.end_line - item.start_line).id


def _end(number: int, next_of: Mapping[int, int]) -> int:
    """The last symbol on the way from one that reaches others."""
    seen = {number}
    while (following := next_of.get(number)) is not None and following not in seen:
        seen.add(following)
        number = following
    return number


def _bare_stem(path: str) -> str:
    """The name of a file without what marks it as one of tests."""
    stem = PurePosixPath(path).name.split(".", 1)[0] or PurePosixPath(path).name
    bare = _AFFIX.sub("", stem)
    return (bare or stem).lower()
