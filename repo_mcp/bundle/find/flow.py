"""The flow that a question is about: functions likely by their names and by what searches found."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias

from code_graph.model import Confidence, EdgeType
from code_graph.paths.path_kinds import CODE, rank_path
from index_format.analysis.words import split_identifier, terms_of_words
from index_format.tuples import NamedTuple
from repo_mcp.bundle.find.candidates import Candidate, Evidence, LineHit
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.model import SearchKind
from repo_mcp.bundle.reasons import Reason, ReasonCode
from repo_mcp.bundle.weights import FlowWeights as Weights
from repo_mcp.search import stems
from repo_mcp.text.query_terms import STOP, weigh_terms

if TYPE_CHECKING:  # most servers have no graph
    from code_graph.query.flow import Flow
    from code_graph.query.model import LineOf, PlacedEdge, Symbol
    from code_graph.query.route import FlowStep
    from code_graph.query.snapshot import GraphSnapshot

# a question about what runs, and not a report that has one in it
_LONGEST: Final = 300
_WAY: Final = (
    r"\b(?:(?:call|control|execution)[- ]?(?:chain|flow|path|route|sequence|stack|trace)"
    r"|(?:chain|flow|path|route|sequence|stack|trace|way)s?"
    r" of (?:the )?(?:call|function|method)s?)\b[^.?!]{0,30}?"
)
_ASKS: Final = re.compile(
    r"^\W*(?:please |can you |could you )?"
    r"(?:(?:explain|show|describe|trace|tell)(?: me)? (?:how|what happens)\b"
    r"|how (?:do|does|did|is|are|was|were|can|will)\b(?! i\b| we\b| you\b| one\b)"
    r"|what (?:happens|runs|is called|is done)\b|what (?:do|does|did) (?!this\b|it mean)"
    r"(?:the |an? |its? )?\w+ (?:do|try|run|call)\b|walk (?:me )?through\b"
    r"|(?:the )?(?:call|control|execution|data|request|code)[- ]?(?:flow|path|chain)\b"
    r"|(?:the )?life ?cycle of\b|(?:the )?(?:way|path|flow|steps) (?:from|of)\b)"
    r"|\bfrom \S.* (?:to|into|until) (?:the |a |an |its )?\S+\W*$"
    # a way that is named, with both of its ends, wherever in the question
    rf"|{_WAY} (?:from \S.*? (?:to|into|until)|between \S.*? and) \S",
    re.IGNORECASE,
)
# words of such questions that name nothing
_WORD: Final = re.compile(r"\w+")
# questions that name where a flow begins and where it ends
_ENDS: Final = (
    re.compile(rf"{_WAY} from (.+?) (?:to|into|until) (.+?)(?:[.?!] .*|\W*)$", re.IGNORECASE),
    re.compile(
        r"""\bfrom\ (.+?)(?:\ all\ the\ way|\ down|\ up|\ back|\ on|\ over|\ out)?
        \ (?:to|into|until|till|onto)\ (.+?)\W*$""",
        re.IGNORECASE | re.VERBOSE,
    ),
    re.compile(
        r"""^what\ (?:happens|is\ done|runs|does\ \S+(?:\ \S+)?\ do)(?:\ when|\ if|\ after|\ with)?
        \ (.+?),?\ (?:until|till)\ (.+?)\W*$""",
        re.IGNORECASE | re.VERBOSE,
    ),
    re.compile(r"\bbetween (.+) and (.+?)\W*$", re.IGNORECASE),
    re.compile(
        r"""\bhow\ (?:do|does|did|is|are|was|were|can|will)\ (.+?)
        \ ((?:reach|end(?:s|ed)?\ up|arrive|become|turn(?:ed)?|passed|handed|delivered|sent
        |written|stored|put)\ (?:in\ |at\ |to\ |into\ |on\ )?\S.+?)\W*$""",
        re.IGNORECASE | re.VERBOSE,
    ),
)
# names of a program within a sentence: with a joint, or else an underscore or a capital letter
_QUALIFIED: Final = re.compile(r"\w+(?:(?:\.|::|#|->)\w+)+")
_NAME: Final = re.compile(rf"{_QUALIFIED.pattern}|\w*_\w+|\w*[a-z][A-Z]\w*|[A-Z]\w*[a-z]\w*")
# the last name of a symbol and the one around it
_OWNED: Final = re.compile(r"(?:[^.:]+(?:\.|::))?[^.:]+$")
# words that begin the circumstances of a flow and not its end
_CIRCUMSTANCES: Final = re.compile(r",|\b(?:when|while|if|after|before|until|without)\b")
# a path with the first and last line of a passage
Passage: TypeAlias = tuple[str, int, int]
_COMMON: Final = frozenset(
    """
    how what happens when after before does did get gets got go goes come comes from into until
    through become becomes run runs call calls called done first then again its their own which
    has have had open
    """.split()  # noqa: SIM905 a list of words reads better
)


def asks_for_flow(text: str) -> bool:
    """True for a question about what happens, or how something gets from one place to another."""
    plain = " ".join(text.split())
    return len(plain) <= _LONGEST and _ASKS.search(plain) is not None


def best_found(hits: Iterable[LineHit]) -> list[Passage]:
    """The lines that the search for the whole prompt has found, best first."""
    found = [hit for hit in hits if hit.evidence.kind is SearchKind.PROMPT]
    found.sort(key=lambda hit: -hit.worth)
    return [(hit.path, hit.first, hit.last) for hit in found[: Weights.MOST_SEEDS]]


class FlowSources(NamedTuple):
    """Sources of a flow: the passages for some words, best first, and lines of files."""

    search: Callable[[str], Sequence[Passage]]
    line_of: LineOf
    check: Callable[[], None]


def find_question_flow(
    graph: GraphSnapshot, text: str, found: Iterable[Passage], sources: FlowSources
) -> Flow:
    """The flow that a question is about: between its two ends, else from both, and what it names.

    `found` are paths and lines that a search has found for the whole question, best first.
    """
    from code_graph.query.flow import MOST_STEPS, find_flow  # noqa: PLC0415 most servers have no graph
    from code_graph.query.route import outer_parts  # noqa: PLC0415 as above

    weights = _NameWeights(text)
    ends, named = _find_ends(graph, text, sources)
    routes = _direct_route(graph, ends, weights) if named else []
    routes = routes or _find_routes(graph, ends, weights, sources)
    is_parted = bool(ends) and all(ends) and not routes
    if is_parted and not named:
        turning = _find_routes(graph, ends, weights, sources, goes_back=True)
        routes = outer_parts(turning[0]) if turning else []
    seeds = {step.symbol.id: Weights.ON_ROUTE for route in routes for step in route}
    if not routes:
        seeds.update(_seeds_of_ends(ends))
    most = max(len(seeds), Weights.MOST_AROUND_ROUTE) if routes else MOST_STEPS
    for rank, symbol in enumerate(_symbols_at(graph, found)):
        seeds.setdefault(symbol.id, Weights.FOUND / (rank + 1))
    return find_flow(graph, seeds, weights.weigh, sources.check, most).along(
        routes,
        is_parted=is_parted,
        named=named,
        guessed=() if named else [[*_guessed(graph, end)] for end in ends],
    )


def _guessed(graph: GraphSnapshot, end: Mapping[int, float]) -> Iterator[Symbol]:
    """The likeliest functions of an end that is told in words."""
    ordered = sorted(end, key=lambda number: (-end[number], number))
    symbols = filter(None, map(graph.symbol, ordered))
    yield from islice(symbols, Weights.MOST_GUESSED)


def _find_ends(
    graph: GraphSnapshot, text: str, sources: FlowSources
) -> tuple[list[dict[int, float]], tuple[Symbol, ...]]:
    """The likely functions of both ends of a question, by id; nothing if it does not name them.

    And the likeliest of each, if both are written as names.
    """
    ends = flow_ends(text)
    if ends is None:
        return [], ()
    (starts, first_named), (last, last_named) = (
        _likely_functions(graph, end, sources) for end in ends
    )
    for number in starts.keys() & last.keys():  # each is the end that it is likelier to be
        del (starts if starts[number] < last[number] else last)[number]
    named: tuple[Symbol, ...] = ()
    if first_named and last_named and starts and last:
        first = (_likeliest(end)[0] for end in (starts, last))
        named = tuple(symbol for symbol in map(graph.symbol, first) if symbol is not None)
    return [starts, last], named


def _seeds_of_ends(ends: Sequence[Mapping[int, float]]) -> Iterator[tuple[int, float]]:
    """The likeliest functions of each end with their worth as beginnings of a flow."""
    for end, worth in zip(ends, Weights.AT_ENDS, strict=False):
        likely = sorted(end.items(), key=lambda item: (-item[1], item[0]))[: Weights.MOST_AT_END]
        best = max(end.values(), default=0.0)
        yield from ((number, worth * share / best) for number, share in likely if share)


def _direct_route(
    graph: GraphSnapshot, ends: Sequence[Mapping[int, float]], weights: _NameWeights
) -> list[list[FlowStep]]:
    """The shortest way of sure calls between the functions that two names mean, in code alone.

    A beginning that dispatches requests calls one for each kind: the way leads over the one that
    the question names, if there is such a way. The search for a likely way looks at fewer
    functions, as it takes less sure steps, too.
    """
    from code_graph.query.route import callable_symbol, steps_of  # noqa: PLC0415 most servers have no graph

    sides = [_likeliest(end) for end in ends]
    if not all(sides):
        return []
    (start, *starts), (end, *last) = sides
    way = _connect(graph, [start, *starts], [end, *last], Weights.LONGEST_WAY)
    for edge in _better_first_steps(graph, way, weights) if len(way) > 1 else ():
        rest = _connect(graph, [edge.target], [end, *last], Weights.LONGEST_WAY - 1)
        if rest:
            way = [edge, *rest]
            break
    steps = steps_of(graph, way)
    is_code = all(callable_symbol(graph, step.symbol.id) is not None for step in steps)
    return [steps] if steps and is_code else []


def _connect(
    graph: GraphSnapshot, starts: Sequence[int], ends: Sequence[int], depth: int
) -> Sequence[PlacedEdge]:
    """The sure calls of a shortest way from one of some functions to one of others."""
    from code_graph.query.neighbours import up_to  # noqa: PLC0415 most servers have no graph
    from code_graph.query.paths import connect  # noqa: PLC0415 as above

    calls = up_to(Confidence.CONTRACT, [EdgeType.CALLS])
    (start, *others), (end, *last) = starts, ends
    most, members = Weights.MOST_ON_WAY, (others, last)
    return connect(graph, start, end, calls, depth=depth, budget=most, members=members).edges


def _better_first_steps(
    graph: GraphSnapshot, way: Sequence[PlacedEdge], weights: _NameWeights
) -> list[PlacedEdge]:
    """The calls of a way's beginning whose functions have more of the question than its own has."""
    from code_graph.query.edges import edges_of_parts  # noqa: PLC0415 most servers have no graph
    from code_graph.query.neighbours import up_to  # noqa: PLC0415 as above
    from code_graph.query.route import callable_symbol  # noqa: PLC0415 as above

    worth: dict[int, float] = {}
    first: dict[int, PlacedEdge] = {}
    calls = up_to(Confidence.CONTRACT, [EdgeType.CALLS])
    for edge in edges_of_parts(graph, way[0].source, calls):
        symbol = callable_symbol(graph, edge.target)
        if symbol is not None and edge.target not in first:
            first[edge.target], worth[edge.target] = edge, weights.weigh(symbol)
    own = worth.get(way[0].target, 0.0)
    better = [number for number, value in worth.items() if value > own]
    better.sort(key=lambda number: (-worth[number], first[number].line))
    return [first[number] for number in better[: Weights.MOST_FIRST_STEPS]]


def _likeliest(end: Mapping[int, float]) -> list[int]:
    """The functions of an end that are as likely as the likeliest one."""
    best = max(end.values(), default=0.0)
    return sorted(number for number, worth in end.items() if worth == best)


def _find_routes(
    graph: GraphSnapshot,
    ends: Sequence[Mapping[int, float]],
    weights: _NameWeights,
    sources: FlowSources,
    *,
    goes_back: bool = False,
) -> list[list[FlowStep]]:
    """The ways between two ends; with `goes_back` also those that take steps to callers."""
    from code_graph.query.route import find_route  # noqa: PLC0415 most servers have no graph

    if not ends:
        return []
    starts, last = ends
    given = graph, starts, last, weights.weigh, sources.line_of, sources.check
    return find_route(*given, goes_back=goes_back)


def flow_ends(text: str) -> tuple[str, str] | None:
    """The words of a question for where a flow begins and where it ends, if it has both."""
    plain = " ".join(text.split())
    for ends in _ENDS:
        if found := ends.search(plain):
            end = _CIRCUMSTANCES.split(found[2], 1)[0].strip() or found[2]
            return found[1], end
    return None


def _symbols_at(graph: GraphSnapshot, passages: Iterable[Passage]) -> Iterator[Symbol]:
    """The innermost declaration in the middle of each passage."""
    from code_graph.query.names import find_targets  # noqa: PLC0415 most servers have no graph

    for path, first, last in passages:
        for target in find_targets(graph, f"{path}:{(first + last) // 2}", 1).targets:
            if target.symbol is not None:
                yield target.symbol


def _likely_functions(
    graph: GraphSnapshot, text: str, sources: FlowSources
) -> tuple[dict[int, float], bool]:
    """The functions that some words may mean, by id, with how likely each is, up to 1.

    And whether one of the words is written as a name, by which they were found.
    """
    from code_graph.query.names import find_targets  # noqa: PLC0415 as above

    weights = _NameWeights(text)
    found: dict[int, float] = {}

    def add(symbol: Symbol, worth: float) -> None:
        for number in _functions_of(graph, symbol):
            share = worth * (1.0 if number == symbol.id else Weights.OF_OTHERS)
            if symbol.node_type == "constructor":
                share *= Weights.OF_CONSTRUCTORS
            found[number] = max(found.get(number, 0.0), share)

    def add_named(names: Iterable[str], worth: float) -> None:
        for name in names:
            found = find_targets(graph, name, Weights.MOST_NAMED)
            named = [item.symbol for item in found.targets if item.symbol is not None]
            named = [symbol for symbol in named if rank_path(symbol.path) == CODE]
            best = max(map(weights.share_around, named), default=0.0)
            for symbol in () if len(named) > Weights.MOST_AROUND else named:
                around = weights.share_around(symbol)
                share = 1.0 if around == best else Weights.OF_SAME_NAME
                add(symbol, share * (worth + (1 - worth) * around))

    add_named(_NAME.findall(text), Weights.AS_WRITTEN)
    if found:
        return found, True
    add_named(weights.written, Weights.AS_WORD)
    for symbol in _symbols_of_words(graph, weights):
        add(symbol, min(weights.share(symbol), Weights.MOST_BY_SEARCH))
    for rank, symbol in enumerate(_symbols_at(graph, sources.search(text))):
        by_rank = 1 / (1 + Weights.DECAY * rank)
        worth = Weights.BY_SEARCH * by_rank + (1 - Weights.BY_SEARCH) * weights.share(symbol)
        add(symbol, min(worth, Weights.MOST_BY_SEARCH))
    least = Weights.LEAST_SHARE * max(found.values(), default=0.0)
    return {number: worth for number, worth in found.items() if worth >= least}, False


def _symbols_of_words(graph: GraphSnapshot, weights: _NameWeights) -> Iterator[Symbol]:
    """The functions with the most words in their names."""
    from code_graph.query.route import callable_symbol  # noqa: PLC0415 as above
    from code_graph.query.search import SymbolFilter, search_symbols  # noqa: PLC0415 as above

    words = " ".join(f"{stem}*" for stem in weights.stems)
    wanted = SymbolFilter(node_types=("function", "method"))
    for hit in search_symbols(graph, words, Weights.MOST_NAMED, wanted) if words else ():
        if callable_symbol(graph, hit.symbol.id) is not None:
            yield hit.symbol


def _functions_of(graph: GraphSnapshot, symbol: Symbol) -> list[int]:
    """A function itself, the functions of a type, and those that use a value."""
    from code_graph.query.model import TYPES, VALUES  # noqa: PLC0415 as above
    from code_graph.query.neighbours import members_of, source_ids, up_to  # noqa: PLC0415 as above
    from code_graph.query.route import callable_symbol  # noqa: PLC0415 as above

    if callable_symbol(graph, symbol.id) is not None:
        return [symbol.id]
    if symbol.node_type in TYPES:
        around = members_of(graph, symbol.id)
    elif symbol.node_type in VALUES:
        around = source_ids(graph, symbol.id, up_to(Confidence.CONTRACT, [EdgeType.REFERENCES]))
    else:
        return []
    functions = [number for number in around if callable_symbol(graph, number) is not None]
    return functions if len(functions) <= Weights.MOST_AROUND else []


class _NameWeights:
    """The number of words of a question in the names of a function."""

    def __init__(self, text: str) -> None:
        # of `Owner.name` the last part alone means nothing
        self._qualified = _QUALIFIED.findall(text)
        plain = _QUALIFIED.sub(" ", text)
        words = (word for word in _WORD.findall(plain) if word.lower() not in _COMMON | STOP)
        # as they are written
        self.written = [*dict.fromkeys(word for word in words if len(word) >= Weights.SHORTEST)]
        terms = {term: weight for term, weight in weigh_terms(text).items() if term not in _COMMON}
        self.stems: dict[str, float] = {}
        for term, weight in terms.items():
            for stem in stems([term]):
                self.stems[stem] = max(weight, self.stems.get(stem, 0.0))
        self._all = sum(self.stems.values()) or 1.0
        self._shares: dict[str, float] = {}

    def weigh(self, symbol: Symbol) -> float:
        """The share of the words in its name, and in the best of the names around it."""
        written = Weights.WRITTEN if self._is_written(symbol) else 0.0
        own, outer = self._share(symbol.simple_name), self.share_around(symbol)
        return written + Weights.NAME * own + Weights.AROUND * outer

    def _is_written(self, symbol: Symbol) -> bool:
        from code_graph.query.names import ends_with  # noqa: PLC0415 as above

        return symbol.simple_name in self.written or any(
            ends_with(symbol, name) for name in self._qualified
        )

    def share(self, symbol: Symbol) -> float:
        """The share of the words in its name; those in the names around it count less, up to 1."""
        own, outer = self._share(symbol.simple_name), self.share_around(symbol)
        return min(1.0, own + (Weights.AROUND if own else Weights.AROUND_ALONE) * outer)

    def share_around(self, symbol: Symbol) -> float:
        """The share of the words in the best of the names around it."""
        *around, _ = symbol.qualified_name.split(symbol.separator)
        return max(map(self._share, around), default=0.0)

    def _share(self, name: str) -> float:
        """The share of the words that a name has; less for a name that has others, too."""
        if name not in self._shares:
            parts = [part.lower() for part in split_identifier(name)] or [name.lower()]
            known = sum(not self.stems.keys().isdisjoint(stems([part])) for part in parts)
            found = stems(terms_of_words(name))
            share = sum(weight for stem, weight in self.stems.items() if stem in found) / self._all
            self._shares[name] = share * math.sqrt(known / len(parts))
        return self._shares[name]


def parted_lines(graph: GraphSnapshot, flow: Flow, sources: FlowSources) -> tuple[Flow, list[str]]:
    """The calls on each side of two ends that no way connects, as a flow and as lines."""
    from code_graph.query.flow import Flow  # noqa: PLC0415 most servers have no graph
    from code_graph.query.parted import find_parted_ends  # noqa: PLC0415 as above

    start, end = flow.named
    sides = find_parted_ends(graph, start, end, sources.check)
    lines = [f"no way of calls is known from {_placed(start)} to {_placed(end)}"]
    for told, side in (("from the first", sides.from_start), ("to the second", sides.to_end)):
        if len(side) > 1:
            lines.append(f"{told}: {' → '.join(_shown_steps(side))}")
    first = sides.to_end[0].symbol if sides.to_end else end
    for edge in sides.handed:
        around = graph.symbol(edge.source)
        inside = "" if around is None else f" in {_owned(around)}"
        lines.append(f"{_owned(first)} is handed on at {edge.path}:{edge.line}{inside}")
    opened = [f"{call.name} ({call.symbol.path}:{call.line})" for call in sides.open_calls]
    if opened:
        lines.append(f"calls without a known target behind the first: {', '.join(opened)}")
    ends = [side[at] for side in (sides.from_start, sides.to_end) for at in (0, -1)]
    steps = {step.symbol.id: step for step in ends}
    return Flow([*steps.values()], (), is_parted=True, named=flow.named), lines


def _placed(symbol: Symbol) -> str:
    return f"{_owned(symbol)} ({symbol.path}:{symbol.start_line})"


def _owned(symbol: Symbol) -> str:
    name = _OWNED.search(symbol.qualified_name)
    return name[0] if name else symbol.qualified_name


def chain_lines(flow: Flow) -> list[str]:
    """Each chain in a line: `A → B (file:line) → C`; the beginning of the one above is left out.

    Ends that were guessed, and have no way between them, are said first.
    """
    lines = [*_guess_line(flow)]
    above: Sequence[FlowStep] = ()
    for chain in flow.chains()[: Weights.MOST_CHAINS]:
        shared = 0
        while shared < min(len(chain), len(above)) and chain[shared] == above[shared]:
            shared += 1
        left_out = max(0, shared - 1)
        lines.append("… → " * bool(left_out) + " → ".join(_shown_steps(chain[left_out:])))
        above = chain
    return lines


def _guess_line(flow: Flow) -> Iterator[str]:
    """A line on the functions that both ends were taken for, if the question names none.

    A way between them shows its ends itself.
    """
    is_way = bool(flow.routes) and not flow.is_parted
    if not is_way and flow.guessed and all(flow.guessed):
        start, end = (", ".join(map(_placed, side)) for side in flow.guessed)
        yield (
            f"no way of calls is known; the question names no function, and by its words the ends"
            f" were guessed: from {start} to {end}"
        )


def _shown_steps(steps: Sequence[FlowStep]) -> Iterator[str]:
    """The steps as text, the first without its place; the path where it is another than before."""
    path = ""
    for at, step in enumerate(steps):
        shown = _owned(step.symbol)
        if at and step.edge is not None:
            place = f"{'' if step.edge.path == path else step.edge.path}:{step.edge.line}"
            shown += f" ({place}{_note(step)})"
            path = step.edge.path
        yield shown


def _note(step: FlowStep) -> str:
    return f", through {step.through}" if step.through else ", by name" * step.is_by_name


def step_candidates(flow: Flow, files: Files, known: Sequence[Candidate]) -> list[Candidate]:
    """The steps as candidates; the calls of other steps in them are what they are shown for."""
    best = max((item.worth for item in known), default=0.0) or 1.0
    found: list[Candidate] = []
    for step in flow.steps:
        symbol = step.symbol
        inner = [
            other.edge.line for other in flow.steps if other.edge and other.before == symbol.id
        ]
        place = symbol.path, symbol.start_line, symbol.end_line
        candidate = Candidate(*place, _declared_name(files, step))
        evidence, reason = Evidence(SearchKind.FLOW, symbol.qualified_name), _reason(flow, step)
        for line in inner or [symbol.start_line]:
            lines = (line, line) if inner else place[1:]
            candidate.add(LineHit(symbol.path, *lines, evidence, best, reason))
        found.append(candidate)
    return found


def _declared_name(files: Files, step: FlowStep) -> str:
    symbol = step.symbol
    places = files.places(symbol.path, symbol.start_line, symbol.end_line)
    span = symbol.start_line, symbol.end_line
    names = [place.qualified for place in places if (place.start_line, place.end_line) == span]
    return names[0] if names else symbol.name


def _reason(flow: Flow, step: FlowStep) -> Reason:
    before = next((item for item in flow.steps if item.symbol.id == step.before), None)
    return (
        Reason(ReasonCode.BEGINS) if before is None else Reason(ReasonCode.STEP, before.symbol.name)
    )
