"""Finds the tests that run some symbols: those that reach them by edges, then those that may.

No edge shows a use by a framework, by reflection, or from a text, so that the ways are many. Both a
symbol and a change are asked about by the one search here, which says what is sure and near, too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from types import MappingProxyType
from typing import Final

from code_graph import language_named, may_name
from code_graph.model import EdgeType
from code_graph.paths.path_kinds import is_test
from code_graph.query.dispatch import possible_callers
from code_graph.query.edges import external_places, reference_count, unresolved_uses
from code_graph.query.impact import Impact, impact_of
from code_graph.query.model import FUNCTIONS, TYPES, VALUES, LineOf, Symbol
from code_graph.query.names import symbols_named
from code_graph.query.paths import AFFECTS, Closure, closure
from code_graph.query.snapshot import GraphSnapshot
from index_format.analysis.words import terms_of_word
from index_format.tuples import NamedTuple
from repo_mcp.ask.order_of_tests import TestFileRank, TestSign, order_test_files
from repo_mcp.ask.stubs import is_stubbing, users_of_mocks_alone
from repo_mcp.ask.unseen_users import (
    called_by_frameworks,
    is_used_by_functions_alone,
    mentioning_declarations,
    named_alone,
    reflective_users,
    types_of_unseen,
    without_users,
)
from repo_mcp.repository.symbol_places import SymbolPlace, cited_place, local_name

_MOST_TESTS: Final = 200
# files that are told of a symbol, and tests of each
_MOST_FILES: Final = 60
_MOST_OF_FILE: Final = 20
# longer than any way: what reaches a caller reaches the symbol, so a list must not end before
_DEPTH: Final = 1_000
# symbols that are followed for the answer about one
_REACH_BUDGET: Final = 1_000
# and on each way that no edge shows
_PERHAPS_BUDGET: Final = 60
# functions with a call that may be one of the symbol, whose tests are looked for
_MOST_UNSURE: Final = 5
_MOST_PLACES: Final = 200
# a name that is called in more places is one of many things
_MOST_CALLS: Final = 1_000
# symbols of a name that are looked at
_MOST_NAMED: Final = 20
_CALLED: Final = (EdgeType.CALLS,)
# what nothing uses leads to others of the kind
_MOST_ROUNDS: Final = 2
_MOST_ALONE: Final = 20
# a word in more lines than this is no name of one thing
_MOST_LINES: Final = 60
_TEST: Final = "test"
_RUNS: Final = FUNCTIONS | {_TEST}
_TEST_NAME: Final = re.compile(r"test(?![a-z])|Test(?![a-z])|(?:Benchmark|Fuzz|Example)[A-Z_]")
# shorter parts of a name are in the names of many tests
_SHORTEST: Final = 4
# tests by which one symbol is known well enough
_ENOUGH: Final = 16
_ALL: Final = 1_000_000
# steps of a test beyond which others that may reach a symbol are left out
_NEAR: Final = 2
# how near a test is to what is asked about: it names or calls it, it reaches it in a few steps, or
# it runs it along with much else
DIRECT: Final = 1
NEAR: Final = 2
INCIDENTAL: Final = 3
# who uses a type itself mostly runs its methods, and who calls those hardly ever
_DIRECT_STEPS: Final = 1
# steps beyond which a test runs much else, too
_MOST_NEAR: Final = 3
# how a test reaches a symbol
BY_EDGES: Final = "by edges"
# a language or a framework calls it for those who use its type, or it is named in a text
DISPATCHED: Final = "dispatched"
UNSEEN: Final = "unseen"
# it uses an object, and names the member
BY_NAME: Final = "by name"
BY_IMPORT: Final = "by an import"
# it has a mock in its place, and does not run it
MOCKED: Final = "mocked"

# finds the lines with a word: path and number of each
LinesNaming = Callable[[str], Sequence[tuple[str, int]]]


class FoundPlace(NamedTuple):
    """A symbol that reaches another one, at the end of its way, in so many steps."""

    symbol: int
    end: int
    distance: int = 0


class FoundTest(NamedTuple):
    """A symbol of a test file by which a test runs another one."""

    symbol: Symbol
    way: str
    distance: int
    # what it reaches, and a text for that with its name
    target: int
    why: str
    # a fixture or a framework leads there
    is_asking: bool = False

    @property
    def is_sure(self) -> bool:
        """True if edges lead there, or it uses what has the symbol itself."""
        if self.way == DISPATCHED:
            return self.distance <= _DIRECT_STEPS
        return self.way in {BY_EDGES, BY_NAME}

    @property
    def nearness(self) -> int:
        """One of the three."""
        if self.way == MOCKED:
            return NEAR
        if self.is_asking or self.distance > _MOST_NEAR:
            return INCIDENTAL
        return DIRECT if self.distance <= _DIRECT_STEPS and self.is_sure else NEAR

    def reason(self, graph: GraphSnapshot) -> str:
        """The reason to run it."""
        target = graph.symbol(self.target)
        named = "" if target is None else local_name(graph, target)
        is_far = self.distance > 1 and self.way != BY_IMPORT
        return self.why.format(named) + (f" in {self.distance} steps" if is_far else "")


class TestsOfFile(NamedTuple):
    """The tests of a file that reach a symbol, the nearest first, and why it is there."""

    path: str
    tests: Sequence[SymbolPlace]
    # of which so many are not in this list
    left: int = 0
    # the name of a file on the way after which it is named
    companion: str = ""
    is_mocking: bool = False


class ReachingTests(NamedTuple):
    """The tests that reach a symbol, those that may, and other functions of test files that do."""

    tests: Sequence[TestsOfFile]
    perhaps: Sequence[TestsOfFile]
    helpers: Sequence[SymbolPlace]
    # files of tests in their order
    files: Sequence[str]


class TestSearch:
    """Finds the tests that run some symbols."""

    def __init__(
        self,
        graph: GraphSnapshot,
        naming: LinesNaming,
        line_of: LineOf,
        *,
        budget: int,
        enough: int = _ALL,
    ) -> None:
        """`naming` finds the lines with a word; `budget` is a number of symbols.

        With `enough` tests no other ways are tried. By their lines those are told apart that have
        a mock in the place of a symbol.
        """
        self.found: list[FoundTest] = []
        self._graph = graph
        self._budget = budget
        self._enough = enough
        self._naming = naming
        self._line_of = line_of
        self._known: set[int] = set()
        # steps from a symbol to the nearest that is asked about, on whatever way it was found
        self._steps: dict[int, int] = {}
        self._crowded: list[int] = []
        self._is_cut = False
        self._roots: dict[int, None] = {}

    @property
    def running(self) -> list[FoundTest]:
        """All that is found but tests with mocks: what runs a symbol, or may."""
        return [item for item in self.found if item.way != MOCKED]

    def ranks(self) -> dict[str, TestFileRank]:
        """The rank of each file of tests that is found."""
        signs: defaultdict[str, list[TestSign]] = defaultdict(list)
        for item in self.running:
            sign = TestSign(item.symbol, item.distance, item.is_sure, item.is_asking)
            signs[item.symbol.path].append(sign)
        mocking = {item.symbol.path for item in self.found if item.way == MOCKED}
        return order_test_files(self._graph, self._roots, self._steps, signs, mocking)

    def follow(
        self, roots: Sequence[int], run: Collection[int], reach: Closure | None = None
    ) -> None:
        """Find the tests that reach these symbols, and those that may.

        For symbols in `run`, whose behaviour changes, also those that no edge leads to. `reach`
        are the symbols that reach these, where they are known.
        """
        mocking = users_of_mocks_alone(self._graph, roots, self._line_of) - {*roots}
        outside = self._mocking_outside(roots) - {*roots}
        self._known.update(roots, mocking)
        self._roots |= dict.fromkeys(roots)
        reach = None if mocking else reach
        self._add_mocking(mocking | outside, roots[0])
        reached = self._reach_known(roots, BY_EDGES, "it reaches `{}`", reach)
        reached += self._follow_mentions([*roots, *reached])
        step: Sequence[int] = ()
        if run and not self._is_done:
            step = self._follow_unseen([*run], DISPATCHED)
        if run and not self._is_done:
            types = types_of_unseen(self._graph, reached, strictly=True)
            step = [*step, *self._reach_holders(types, DISPATCHED)]
        reached += self._follow_crowded()
        if run and not self._is_done:
            step = [*reached, *self._follow_guesses(roots), *step]
        for _ in range(_MOST_ROUNDS) if run else ():
            if self._is_done:
                return
            step = self._follow_unseen(step, UNSEEN)

    def _mocking_outside(self, roots: Iterable[int]) -> set[int]:
        """The tests with mocks of a symbol that are made outside, if nothing else has its name."""
        graph = self._graph
        found: set[int] = set()
        for symbol in filter(None, map(graph.symbol, islice(roots, _MOST_ALONE))):
            if symbol.node_type not in FUNCTIONS:
                continue
            named, _ = symbols_named(graph, symbol.simple_name, _MOST_NAMED)
            if any(other.path != symbol.path for other in named if other.node_type in FUNCTIONS):
                continue
            places = external_places(graph, symbol.name, _CALLED, symbol.named_as)
            for edge in islice(places, _MOST_PLACES):
                if is_stubbing(edge, symbol.simple_name, self._line_of):
                    found.add(edge.source)
        return found - {0}

    def _add_mocking(self, mocking: Iterable[int], root: int) -> None:
        """Keep the tests with mocks: they may break where calls change."""
        for number in sorted(mocking):
            place = FoundPlace(number, root, 1)
            self._add(place, MOCKED, "it has a mock of `{}`", is_asking=False)

    @property
    def _is_done(self) -> bool:
        return self._is_cut or len(self.running) >= self._enough

    def _follow_mentions(self, fresh: Sequence[int]) -> list[int]:
        """Find the tests that reach what registers and decorators name; returns what is found."""
        reached: list[int] = []
        for number in range(_MOST_ROUNDS):
            if self._is_done or not fresh:
                break
            mentioning = mentioning_declarations(self._graph, fresh)
            # what is in a register of those who read one is far away
            registers = set() if number else mentioning.variables - mentioning.crowded
            self._crowded += () if number else sorted(mentioning.crowded)
            fresh = [
                *self._reach(registers, BY_EDGES, "it reaches what `{}` has"),
                *self._reach(mentioning.decorated, BY_EDGES, "its decorator names it"),
            ]
            reached += fresh
        return reached

    def _follow_crowded(self) -> list[int]:
        """Find the tests that read registers of many; returns what reads them."""
        if self._is_done or not self._crowded:
            return []
        found = self._reach(self._crowded, UNSEEN, "it reaches what `{}` has")
        decorated = mentioning_declarations(self._graph, found).decorated
        return [*found, *self._reach(decorated, UNSEEN, "its decorator names it")]

    def _follow_guesses(self, roots: Sequence[int]) -> list[int]:
        """Find the tests that reach calls of unknown targets, and look-ups of names."""
        unsure = self._callers_perhaps(roots)
        found = self._reach(unsure, UNSEEN, "it reaches a call of the name in `{}`")
        if self._is_done:
            return found
        # what is looked up by its name is hardly ever used in another way
        alone = without_users(self._graph, self._known)
        looking = reflective_users(self._graph, alone)
        why = "it may reach it by a name that `{}` looks up"
        return found + self._reach(looking, UNSEEN, why)

    def _follow_unseen(self, step: Sequence[int], way: str) -> list[int]:
        """Find the tests that use the types of methods that nothing calls; returns what is found.

        From what nothing uses at all, the way goes on from those who name it in a text.
        """
        graph = self._graph
        types = types_of_unseen(graph, step)
        alone = islice(named_alone(graph, (*step, *types.keys() - self._known)), _MOST_ALONE)
        users: dict[int, int] = {}
        for symbol in alone:
            steps = self._least(types.get(symbol.id, (symbol.id,)))
            for number in self._users_in_texts(symbol):
                users[number] = min(users.get(number, steps), steps)
        return [
            *self._reach_holders(types, way),
            *self._reach(users, way, "it reaches `{}`, which names it", behind=users),
        ]

    def _reach_holders(self, types: Mapping[int, Sequence[int]], way: str) -> list[int]:
        """Find the tests that use types or objects with these methods; returns what is found."""
        graph = self._graph
        symbols = ((number, graph.symbol(number)) for number in types.keys() - self._known)
        objects = {number for number, item in symbols if item and item.node_type in VALUES}
        found = self._reach_types({n: some for n, some in types.items() if n not in objects}, way)
        return found + self._reach_objects({number: types[number] for number in objects}, way)

    def _least(self, ids: Iterable[int]) -> int:
        """The steps behind those who use what has some symbols: its use stands for their call."""
        return max(min((self._steps.get(number, 0) for number in ids), default=0) - 1, 0)

    def _reach_objects(self, objects: Mapping[int, Sequence[int]], way: str) -> list[int]:
        """Find the tests that use objects; those that name their members mostly run these."""
        graph, before = self._graph, len(self.found)
        members = {number for some in objects.values() for number in some}
        names = {item.simple_name for item in map(graph.symbol, members) if item is not None}
        behind = {number: self._least(some) for number, some in objects.items()}
        found = self._reach(objects, way, "it uses `{}`, which has it", behind=behind)
        if len(self.found) > before and way == DISPATCHED:
            lines = (self._naming(name) for name in sorted(names))
            files = {path for some in lines for path, _ in some}
            for at, item in enumerate(self.found[before:], before):
                if item.way == DISPATCHED:
                    is_named = item.symbol.path in files
                    self.found[at] = item._replace(way=BY_NAME if is_named else UNSEEN)
        return found

    def _reach_types(self, types: Mapping[int, Sequence[int]], way: str) -> list[int]:
        """Find the tests that use types, and registers with them; returns what is found."""
        fresh = types.keys() - self._known
        behind = {number: self._least(types[number]) for number in fresh}
        registers = mentioning_declarations(self._graph, fresh).variables - fresh
        least = min(behind.values(), default=0)
        return [
            *self._reach(fresh, way, "it uses `{}`, which has it", behind=behind),
            *self._reach(
                registers, way, "it reaches what `{}` has", behind=dict.fromkeys(registers, least)
            ),
        ]

    def _reach(
        self,
        roots: Iterable[int],
        way: str,
        reason: str,
        *,
        is_asking: bool = False,
        behind: Mapping[int, int] = MappingProxyType({}),
    ) -> list[int]:
        """Find the tests among some symbols and those that reach them; returns all of these.

        So many steps are `behind` a root, if it is not near what is asked about.
        """
        first = sorted({*roots} - self._known)
        if not first:
            return []
        self._known.update(first)
        for number in first:
            steps = self._steps[number] = behind.get(number, 0)
            self._add(FoundPlace(number, number, steps), way, reason, is_asking=is_asking)
        return [*first, *self._reach_known(first, way, reason, is_asking=is_asking)]

    def _reach_known(
        self,
        first: Sequence[int],
        way: str,
        reason: str,
        reach: Closure | None = None,
        *,
        is_asking: bool = False,
    ) -> list[int]:
        """Find the tests that reach some symbols; returns all that does."""
        graph = self._graph
        found = reach or closure(
            graph,
            first[0],
            AFFECTS,
            depth=_DEPTH,
            budget=self._budget,
            also=first[1:],
            without=self._known,
            through_files=False,
        )
        self._is_cut |= found.truncated
        next_of = {item.id: item.next for item in found.reached}
        for item in found.reached:
            end = _end(item.id, next_of)
            steps = self._steps[item.id] = item.distance + self._steps.get(end, 0)
            place = FoundPlace(item.id, end, steps)
            self._add(place, way, reason, is_asking=is_asking)
        self._known.update(next_of)
        asking = called_by_frameworks(graph, (*first, *next_of))
        why = "it asks for a fixture that reaches it"
        behind = {number: self._least(those) + 1 for number, those in asking.items()}
        return [*next_of, *self._reach(asking, way, why, is_asking=True, behind=behind)]

    def _add(self, place: FoundPlace, way: str, reason: str, *, is_asking: bool) -> None:
        """Keep a symbol of a test file, unless the tests that use it are known one by one."""
        graph, number = self._graph, place.symbol
        symbol = graph.symbol(number)
        if symbol is None or symbol.node_type in VALUES or not is_test(symbol.path):
            return
        if symbol.node_type == "file":
            way, reason = BY_IMPORT, "it imports `{}`"
        elif not is_run_as_test(graph, symbol) and is_used_by_functions_alone(graph, number):
            return
        given = symbol, way, place.distance, place.end, reason
        self.found.append(FoundTest(*given, is_asking))

    def _callers_perhaps(self, roots: Iterable[int]) -> Iterator[int]:
        """The first functions with calls that may be of some symbols, as nothing says of what."""
        graph = self._graph
        for number in islice(roots, _MOST_ALONE):
            symbol = graph.symbol(number)
            if symbol is None or (
                unresolved_uses(graph, symbol.name, _CALLED, symbol.named_as) > _MOST_CALLS
            ):
                continue
            sources: set[int] = set()
            # a file is decoded for each, so that those behind the last one are not asked for
            for edge in islice(possible_callers(graph, number), _MOST_PLACES):
                if edge.source and edge.source not in sources:
                    sources.add(edge.source)
                    yield edge.source
                if len(sources) == _MOST_UNSURE:
                    break

    def _users_in_texts(self, symbol: Symbol) -> Iterator[int]:
        """The functions and types around the lines that have the name of a symbol elsewhere."""
        lines = self._naming(symbol.simple_name)
        for path, line in lines if len(lines) <= _MOST_LINES else ():
            if path == symbol.path and symbol.start_line <= line <= symbol.end_line:
                continue
            rows = self._graph.outline(path)
            if not rows or not may_name(rows[0][0].language, symbol.language):
                continue
            around = [
                item
                for item, declared in rows
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


def reach_of(graph: GraphSnapshot, symbol: int) -> Impact:
    """The symbols that reach a symbol over any number of uses, up to a budget."""
    return impact_of(graph, [symbol], AFFECTS, depth=_DEPTH, budget=_REACH_BUDGET)


def reaching_tests(
    graph: GraphSnapshot, symbol: Symbol, reach: Impact, naming: LinesNaming, line_of: LineOf
) -> ReachingTests:
    """The tests that reach a symbol, and those that may, the nearest first."""
    search = TestSearch(graph, naming, line_of, budget=_PERHAPS_BUDGET, enough=_ENOUGH)
    roots = [symbol.id, *reach.members]
    search.follow(roots, roots, reach.whole)
    ranks = search.ranks()
    order = _order_of(symbol, ranks)
    ordered = sorted(search.running, key=order)
    told = [
        item
        for item in ordered
        if item.symbol.node_type in _RUNS and is_run_as_test(graph, item.symbol)
    ]
    most = _most_steps(told)
    sure = dict.fromkeys(item.symbol for item in told if item.way == BY_EDGES)
    near = [item for item in told if item.distance <= most]
    perhaps = dict.fromkeys(item.symbol for item in near if item.symbol not in sure)
    named = {item.path for item in (*sure, *perhaps)}
    for item in ordered:  # one of its tests may use what it imports
        path = item.symbol.path
        if item.way != BY_IMPORT or item.distance > most or path in named:
            continue
        if has_tests(graph, path):
            perhaps[item.symbol] = None
    helpers = [
        item
        for item in (graph.symbol(reached.id) for reached in reach.tests.reached)
        if item is not None and item.node_type in FUNCTIONS and not is_run_as_test(graph, item)
    ]
    mocking = {item.symbol.path for item in search.found if item.way == MOCKED}
    return ReachingTests(
        [*_by_file(graph, [*sure], ranks, mocking)],
        [*_by_file(graph, [*perhaps], ranks, mocking)],
        [cited_place(graph, item) for item in helpers[:_MOST_TESTS]],
        sorted(ranks, key=lambda path: (ranks[path], path)),
    )


def _by_file(
    graph: GraphSnapshot,
    tests: Sequence[Symbol],
    ranks: Mapping[str, TestFileRank],
    mocking: Collection[str],
) -> Iterator[TestsOfFile]:
    """The tests of each of the first files, which stand together."""
    files = groupby(tests, key=lambda item: item.path)
    for path, group in islice(files, _MOST_FILES):
        own = [*group]
        shown = [cited_place(graph, item) for item in own[:_MOST_OF_FILE]]
        left, rank = len(own) - len(shown), ranks[path]
        yield TestsOfFile(path, shown, left, rank.companion, path in mocking)


def _most_steps(found: Sequence[FoundTest]) -> int:
    """The steps beyond which tests that may reach a symbol are left out, as others are nearer."""
    sure = min((item.distance for item in found if item.way == BY_EDGES), default=_ALL)
    nearest = min((item.distance for item in found), default=_ALL)
    return sure if sure <= _NEAR else nearest + 1 if nearest <= _NEAR else _ALL


def _order_of(
    symbol: Symbol, ranks: Mapping[str, TestFileRank]
) -> Callable[[FoundTest], tuple[TestFileRank, str, bool, int, bool, int]]:
    """The order of the tests of a symbol: by files, the nearest and those named after it first."""
    words = {word for word in terms_of_word(symbol.simple_name) if len(word) >= _SHORTEST}

    def order(item: FoundTest) -> tuple[TestFileRank, str, bool, int, bool, int]:
        found = item.symbol
        is_named = any(word in found.qualified_name.lower() for word in words)
        near = not item.is_sure, item.distance, not is_named, found.start_line
        return ranks[found.path], found.path, *near

    return order


def is_run_as_test(graph: GraphSnapshot, symbol: Symbol) -> bool:
    """True for a test: by kind or name, or where names say nothing, if no code calls it."""
    language = language_named(symbol.language)
    if not symbol.path.endswith(language.test_files):
        return False
    if symbol.node_type == _TEST or _TEST_NAME.match(symbol.name) is not None:
        return True
    return not language.names_tests and not reference_count(graph, symbol.id)


def has_tests(graph: GraphSnapshot, path: str) -> bool:
    """True unless a file is known to have none, as those of fixtures."""
    if not graph.is_linked(path):
        return True
    return any(
        symbol.node_type != "file" and is_run_as_test(graph, symbol)
        for symbol, _ in graph.outline(path)
    )
