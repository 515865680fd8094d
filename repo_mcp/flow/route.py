"""The likeliest way by which one function leads to another, where calls alone do not connect them.

A request that is put into a queue, a callback that is kept in a field, or a method of a value of
unknown type leaves no call in the graph. The search takes such steps, too, at a higher cost: over a
field that one function writes and another reads, over a function that is registered in a field,
over a name alone. It never goes back to a caller, which calls much else, unless it is asked to.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from heapq import heappop, heappush
from typing import Final

from code_graph.model import Confidence, EdgeType
from code_graph.paths.path_kinds import CODE, rank_path
from code_graph.query.dispatch import (
    calls_of_results,
    dispatched_callees,
    nameable,
    possible_callees,
)
from code_graph.query.edges import EdgeFilter, edges_into, edges_of_parts, external_uses
from code_graph.query.model import FUNCTIONS, VALUES, LineOf, PlacedEdge, Symbol
from code_graph.query.names import symbols_named
from code_graph.query.neighbours import CALLS
from code_graph.query.snapshot import GraphSnapshot
from index_format.tuples import NamedTuple
from repo_mcp.flow.model import FlowStep

_USED: Final = EdgeFilter((EdgeType.REFERENCES,))
_CALLED_OR_USED: Final = EdgeFilter((EdgeType.CALLS, EdgeType.REFERENCES))
# what a step costs, by the way that it takes
_CALL: Final = 1.0
_INNER: Final = 0.3
_CONSTRUCTOR: Final = 1.6
_DISPATCH: Final = 1.4
_HANDED_ON: Final = 1.6
_REGISTERED: Final = 2.0
_BY_NAME: Final = 2.2
_FILLED: Final = 1.6
_ASSIGNED: Final = 3.5
_BACK: Final = 3.5
# what it costs more for each doubling of the functions that it may lead to, and of the uses of a
# name that mean something outside
_MANY: Final = 0.5
_OUTSIDE: Final = 0.3
_MOST_MEANT: Final = 10
_MOST_USERS: Final = 12
_MOST_CALLERS: Final = 3
_MOST_PLACES: Final = 60
# a step to a function whose name has the words of the question costs so much less
_NAMED: Final = 0.4
# a beginning, or an end, of no likelihood costs so much more than one that is certain
_UNLIKELY_START: Final = 3.0
_UNLIKELY_END: Final = 8.0
_MOST_READ: Final = 1_000
# a way that costs more is none; a second one without a guess may be so much longer than the first
_MOST_COST: Final = 13.0
_DETOUR: Final = 3.0
# what a line assigns; a flag or a number that is assigned carries nothing
_ASSIGNED_IN: Final = re.compile(
    r"(\w+)\s*(?:\[[^]]*\]\s*)?(?::|[-+|&]?=)(?![=:])"
    r"(?!\s*(?:[-\d]|\W*$|(?i:true|false|null|none|nil|undefined)\b))"
)
_SET_IN: Final = re.compile(r"(\w+)\s*(?:\[[^]]*\]\s*)?(?::|[-+|&]?=)(?!=)")
_SENT_TO: Final = re.compile(r"(\w+)\s*<-")
_FILLING: Final = (
    r"(?:add|append|emit|enqueue|insert|notify|offer|post|publish|push|put|send|store|submit|write)"
)
# the containers that a line puts something into: by a method, or as an argument of a function
_PUT_INTO: Final = re.compile(
    rf"(\w+)(?:\.|->|\?\.){_FILLING}\w*\s*\("
    rf"|(?<![.>\w])\w*{_FILLING}\w*\s*\(([^()]*)"
)
_WORD: Final = re.compile(r"\w+")


class _Fill(Enum):
    """A way in which a line fills a value."""

    SET = auto()  # to what carries nothing
    ASSIGNED = auto()
    SENT = auto()
    PUT = auto()


class _Hop(NamedTuple):
    """A step from a function to another, what it costs, and the value that it goes through."""

    edge: PlacedEdge
    cost: float
    through: str = ""
    is_back: bool = False
    # whether it follows a value and not what runs
    is_data: bool = False


class _ValueUsers(NamedTuple):
    """The functions that read a value, and those that are put into it, to be called by others."""

    name: str = ""
    owner: str = ""
    readers: Sequence[int] = ()
    registered: Sequence[int] = ()


def callable_symbol(graph: GraphSnapshot, number: int) -> Symbol | None:
    """The function of this number; None for other symbols, and in tests and samples."""
    symbol = graph.symbol(number)
    if symbol is None or rank_path(symbol.path) != CODE or symbol.node_type not in FUNCTIONS:
        return None
    return symbol


def is_inside(graph: GraphSnapshot, inner: int, outer: int) -> bool:
    """True if a function is declared in another."""
    symbol, around = graph.symbol(inner), graph.symbol(outer)
    return symbol is not None and around is not None and around.encloses(symbol)


def find_route(
    graph: GraphSnapshot,
    starts: Mapping[int, float],
    ends: Mapping[int, float],
    weigh: Callable[[Symbol], float],
    line_of: LineOf,
    check: Callable[[], None] = lambda: None,
    *,
    goes_back: bool = False,
) -> list[list[FlowStep]]:
    """Up to two ways from one of some functions to one of others, the likeliest first.

    `starts` and `ends` tell how likely each is meant, up to 1, and `weigh` how much the question
    says of a function. The second way has the same ends and other steps where the first is unsure.
    With `goes_back` it may also take steps to callers.
    """
    search = _RouteSearch(graph, starts, ends, weigh, line_of, check, goes_back=goes_back)
    first, cost = search.run(frozenset())
    if not first or cost > _MOST_COST:
        return []
    guessed = _edges_of(filter(_is_guess, first)) or _edges_of(filter(_is_handed_on, first))
    search.ends = {first[-1].symbol.id: 1.0}
    search.starts = {first[0].symbol.id: 1.0}
    second, cost = search.run(guessed or _edges_of(first[-1:]))
    is_other = bool(second) and (bool(guessed) or cost <= len(first) - 1 + _DETOUR)
    return [first, second] if is_other else [first]


def steps_of(graph: GraphSnapshot, edges: Sequence[PlacedEdge]) -> list[FlowStep]:
    """The steps of a way of calls; functions of tests and samples are steps of it, too."""
    symbols = [graph.symbol(edge.target) for edge in edges]
    first = graph.symbol(edges[0].source) if edges else None
    steps = [] if first is None else [FlowStep(first)]
    return [
        *steps,
        *(
            FlowStep(symbol, edge)
            for symbol, edge in zip(symbols, edges, strict=True)
            if symbol is not None
        ),
    ]


def outer_parts(way: Sequence[FlowStep]) -> list[list[FlowStep]]:
    """The first and the last part of a way that go in one direction, without single functions."""
    parts: list[list[FlowStep]] = []
    for step in way:
        if step.is_back or not parts:
            parts.append([FlowStep(step.symbol)])
        else:
            parts[-1].append(step)
    ends = parts if len(parts) == 1 else [parts[0], parts[-1]]
    return [part for part in ends if len(part) > 1]


def _is_guess(step: FlowStep) -> bool:
    return bool(step.through) or step.is_back or step.is_by_name


def _is_handed_on(step: FlowStep) -> bool:
    return step.edge is not None and step.edge.type != EdgeType.CALLS


def _edges_of(steps: Iterable[FlowStep]) -> frozenset[tuple[int, int]]:
    edges = (step.edge for step in steps if step.edge is not None)
    return frozenset((edge.source, edge.target) for edge in edges)


class _RouteSearch:
    """Searches by Dijkstra's algorithm; the functions that a function leads to are found once."""

    def __init__(
        self,
        graph: GraphSnapshot,
        starts: Mapping[int, float],
        ends: Mapping[int, float],
        weigh: Callable[[Symbol], float],
        line_of: LineOf,
        check: Callable[[], None],
        *,
        goes_back: bool,
    ) -> None:
        self._goes_back = goes_back
        self.starts = starts
        self.ends = ends
        self._graph = graph
        self._weigh = weigh
        self._line_of = line_of
        self._check = check
        self._hops: dict[int, dict[int, _Hop]] = {}
        self._values: dict[int, _ValueUsers] = {}
        self._functions: dict[int, bool] = {}
        self._filled: dict[tuple[str, int], Mapping[str, _Fill]] = {}

    def run(self, without: frozenset[tuple[int, int]]) -> tuple[list[FlowStep], float]:
        """The likeliest way that takes none of some steps, and its cost; empty if there is none."""
        costs = {number: (1 - worth) * _UNLIKELY_START for number, worth in self.starts.items()}
        waiting = sorted((cost, number) for number, cost in costs.items())
        came: dict[int, _Hop] = {}
        done: set[int] = set()
        best, least = 0, math.inf
        while waiting and len(done) < _MOST_READ:
            cost, number = heappop(waiting)
            if cost >= least:
                break
            if number in done:
                continue
            self._check()
            done.add(number)
            if number in came and number in self.ends:
                whole = cost + (1 - self.ends[number]) * _UNLIKELY_END
                if whole < least:
                    best, least = number, whole
            for target, hop in self._hops_of(number).items():
                if target in done or (without and (hop.is_data or (number, target) in without)):
                    continue
                reached = cost + hop.cost * (1 - _NAMED * self._likeliness(target))
                if reached < costs.get(target, math.inf):
                    costs[target], came[target] = reached, hop
                    heappush(waiting, (reached, target))
        return (self._steps(best, came), least) if best else ([], least)

    def _likeliness(self, number: int) -> float:
        symbol = self._graph.symbol(number)
        return 0.0 if symbol is None else min(1.0, self._weigh(symbol))

    def _steps(self, end: int, came: Mapping[int, _Hop]) -> list[FlowStep]:
        steps: list[FlowStep] = []
        number = end
        while True:
            symbol = callable_symbol(self._graph, number)
            if symbol is None:
                return []
            hop = came.get(number)
            if hop is None:
                return [FlowStep(symbol), *reversed(steps)]
            steps.append(FlowStep(symbol, hop.edge, hop.through, hop.is_back))
            number = hop.edge.source

    def _hops_of(self, number: int) -> dict[int, _Hop]:
        """The cheapest step to each function that a function may lead to."""
        if number not in self._hops:
            cheapest: dict[int, _Hop] = {}
            for hop in self._all_hops(number):
                target = hop.edge.target
                known = cheapest.get(target)
                if target != number and (known is None or hop.cost < known.cost):
                    cheapest[target] = hop
            self._hops[number] = cheapest
        return self._hops[number]

    def _all_hops(self, number: int) -> Iterator[_Hop]:
        edges = [*edges_of_parts(self._graph, number, _CALLED_OR_USED)]
        calls = [edge for edge in edges if edge.type == EdgeType.CALLS]
        called = [_Hop(edge, self._call_cost(edge)) for edge in calls]
        called += [
            _Hop(edge, _DISPATCH)
            for edge in dispatched_callees(self._graph, calls)
            if not self._is_constructor(edge.target)  # `super().__init__` means what it says
        ]
        called = [hop for hop in called if self._is_function(hop.edge.target)]
        called += self._by_name(number, calls)
        yield from called
        lines = {(hop.edge.path, hop.edge.line) for hop in called}
        values: dict[int, PlacedEdge] = {}
        for edge in edges:
            if edge.type == EdgeType.REFERENCES and not edge.external:
                if self._is_function(edge.target):
                    yield _Hop(edge, _HANDED_ON)
                elif edge.target not in values or self._fill(edge) is not None:
                    values[edge.target] = edge
        for value, edge in values.items():
            yield from self._through(value, edge, lines)
        if self._goes_back:
            yield from self._back(number)

    def _by_name(self, number: int, calls: list[PlacedEdge]) -> Iterator[_Hop]:
        """Functions that are meant by name alone, if few have it."""
        meant: dict[tuple[int, int], list[PlacedEdge]] = {}
        for edge in possible_callees(self._graph, number):
            meant.setdefault((edge.line, edge.column), []).append(edge)
        source = self._graph.symbol(number)
        language = "" if source is None else source.language
        for name, guess in calls_of_results(calls):
            named, more = symbols_named(self._graph, name, _MOST_MEANT)
            meant[guess.line, guess.column] = [
                guess._replace(target=symbol.id) for symbol in nameable(named, language) if not more
            ]
        for edges in meant.values():
            functions = [edge for edge in edges if self._is_function(edge.target)]
            for edge in functions:
                symbol = self._graph.symbol(edge.target)
                outside = (
                    0
                    if symbol is None
                    else external_uses(self._graph, symbol.name, CALLS.types, symbol.named_as)
                )
                unlikely = _MANY * math.log2(len(functions)) + _OUTSIDE * math.log2(1 + outside)
                yield _Hop(edge, _BY_NAME + unlikely)

    def _through(
        self, value: int, use: PlacedEdge, called: Collection[tuple[str, int]]
    ) -> Iterator[_Hop]:
        """Functions that read a value which a function fills, or that are registered in one.

        `called` are the lines of calls: where `put` is a function of the repository, it is a step.
        """
        if value not in self._values:
            self._values[value] = self._users_of(value)
        users, fill = self._values[value], self._fill(use)
        many = _MANY * math.log2(max(1, len(users.readers)))
        inferred = use._replace(confidence=Confidence.INFERRED)
        if fill is None:
            for number in users.registered:
                yield _Hop(inferred._replace(target=number), _REGISTERED + many, users.name)
        elif fill is not _Fill.SET and (
            fill is not _Fill.PUT or (use.path, use.line) not in called
        ):
            is_data = fill is _Fill.ASSIGNED
            if is_data and self._is_constructor(use.source):  # it keeps what it is made with
                return
            cost = (_ASSIGNED if is_data else _FILLED) + many
            for number in users.readers:
                if self._is_near(users.owner, use.source, number):
                    yield _Hop(inferred._replace(target=number), cost, users.name, is_data=is_data)

    def _users_of(self, value: int) -> _ValueUsers:
        symbol = self._graph.symbol(value)
        if symbol is None or symbol.node_type not in VALUES:
            return _ValueUsers()
        page = edges_into(self._graph, value, _USED, limit=_MOST_PLACES)
        readers: dict[int, None] = {}
        registered: dict[int, None] = {}
        for handed in edges_of_parts(self._graph, value, _USED):  # it is made with them
            if self._is_function(handed.target):
                registered[handed.target] = None
        for use in page.edges:
            if self._fill(use) is None:
                if self._is_function(use.source) and not self._is_constructor(use.source):
                    readers[use.source] = None
                continue
            for handed in edges_of_parts(self._graph, use.source, _USED):
                same_line = (handed.path, handed.line) == (use.path, use.line)
                if same_line and self._is_function(handed.target):
                    registered[handed.target] = None
        if page.counts.truncated or len(readers) > _MOST_USERS:
            return _ValueUsers()
        return _ValueUsers(symbol.name, symbol.owner, [*readers], [*registered])

    def _is_near(self, owner: str, *users: int) -> bool:
        """True if a user is declared beside a value: fields of others belong to data."""
        symbols = filter(None, map(self._graph.symbol, users))
        return any(symbol.is_within(owner) for symbol in symbols)

    def _back(self, number: int) -> Iterator[_Hop]:
        """The callers, which go on when the function returns."""
        page = edges_into(self._graph, number, CALLS, limit=_MOST_PLACES)
        callers = {edge.source: edge for edge in reversed(page.edges)}
        callers = {number: use for number, use in callers.items() if self._is_function(number)}
        if not page.counts.truncated and 0 < len(callers) <= _MOST_CALLERS:
            cost = _BACK + _MANY * math.log2(len(callers))
            for caller, edge in callers.items():
                yield _Hop(
                    edge._replace(source=number, target=caller), cost, is_back=True, is_data=True
                )

    def _fill(self, use: PlacedEdge) -> _Fill | None:
        """The way in which the line of a use fills the value; None if it does not."""
        place = use.path, use.line
        if place not in self._filled:
            self._filled[place] = _filled_in(self._line_of(use.path, use.line))
        symbol = self._graph.symbol(use.target)
        return None if symbol is None else self._filled[place].get(symbol.name)

    def _call_cost(self, edge: PlacedEdge) -> float:
        if self._is_constructor(edge.target):
            return _CONSTRUCTOR
        return _INNER if is_inside(self._graph, edge.target, edge.source) else _CALL

    def _is_constructor(self, number: int) -> bool:
        symbol = self._graph.symbol(number)
        return symbol is not None and symbol.node_type == "constructor"

    def _is_function(self, number: int) -> bool:
        if number not in self._functions:
            self._functions[number] = callable_symbol(self._graph, number) is not None
        return self._functions[number]


def _filled_in(line: str) -> Mapping[str, _Fill]:
    """The names of values that a line fills."""
    fills = dict.fromkeys(_SET_IN.findall(line), _Fill.SET)
    fills.update(dict.fromkeys(_ASSIGNED_IN.findall(line), _Fill.ASSIGNED))
    for into, handed in _PUT_INTO.findall(line):
        fills.update(dict.fromkeys([into] if into else _WORD.findall(handed), _Fill.PUT))
    fills.update(dict.fromkeys(_SENT_TO.findall(line), _Fill.SENT))
    return fills
