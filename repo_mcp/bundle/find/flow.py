"""The flow that a question is about: functions likely by their names and by what searches found."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from index_format.analysis.words import split_identifier, terms_of_words
from repo_mcp.bundle.find.candidates import Candidate, Evidence, Hit
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.model import SearchKind
from repo_mcp.bundle.reasons import Reason, ReasonCode
from repo_mcp.bundle.weights import FlowWeights as Weights
from repo_mcp.search import stems
from repo_mcp.text.question import STOP, weigh_terms

if TYPE_CHECKING:  # most servers have no graph
    from code_graph.query.flow import Flow, FlowStep
    from code_graph.query.model import Symbol
    from code_graph.query.snapshot import GraphSnapshot

# a question about what runs, and not a report that has one in it
_LONGEST: Final = 300
_ASKS: Final = re.compile(
    r"^\W*(?:please |can you |could you )?"
    r"(?:(?:explain|show|describe|trace|tell)(?: me)? (?:how|what happens)\b"
    r"|how (?:do|does|did|is|are|was|were|can|will)\b(?! i\b| we\b| you\b| one\b)"
    r"|what (?:happens|runs|is called|is done)\b|walk (?:me )?through\b"
    r"|(?:the )?(?:call|control|execution|data|request|code)[- ]?(?:flow|path|chain)\b"
    r"|(?:the )?life ?cycle of\b|(?:the )?(?:way|path|flow|steps) (?:from|of)\b)"
    r"|\bfrom \S.* (?:to|into|until) (?:the |a |an |its )?\S+\W*$",
    re.IGNORECASE,
)
# words of such questions that name nothing
_WORD: Final = re.compile(r"\w+")
_COMMON: Final = frozenset(
    """
    how what happens when after before does did get gets got go goes come comes from into until
    through become becomes run runs call calls called done first then again its their own which
    """.split()  # noqa: SIM905 a list of words reads better
)


def asks_for_flow(text: str) -> bool:
    """True for a question about what happens, or how something gets from one place to another."""
    plain = " ".join(text.split())
    return len(plain) <= _LONGEST and _ASKS.search(plain) is not None


def best_found(hits: Iterable[Hit]) -> list[tuple[str, int, int]]:
    """The lines that the search for the whole prompt has found, best first."""
    found = [hit for hit in hits if hit.evidence.kind is SearchKind.PROMPT]
    found.sort(key=lambda hit: -hit.worth)
    return [(hit.path, hit.first, hit.last) for hit in found[: Weights.MOST_SEEDS]]


def find_question_flow(
    graph: GraphSnapshot,
    text: str,
    found: Iterable[tuple[str, int, int]],
    check: Callable[[], None],
) -> Flow:
    """The flow that a question is about.

    `found` are paths and lines that a search has found for it, best first.
    """
    from code_graph.query.flow import find_flow  # noqa: PLC0415 most servers have no graph
    from code_graph.query.names import find_targets  # noqa: PLC0415 as above

    seeds: dict[int, float] = {}
    for rank, (path, first, last) in enumerate(found):
        for target in find_targets(graph, f"{path}:{(first + last) // 2}", 1).targets:
            seeds.setdefault(target.id, Weights.FOUND / (rank + 1))
    return find_flow(graph, seeds, _NameWeights(text).weigh, check)


class _NameWeights:
    """The number of words of a question in the names of a function."""

    def __init__(self, text: str) -> None:
        words = (word for word in _WORD.findall(text) if word.lower() not in _COMMON | STOP)
        # as they are written
        self._written = {word for word in words if len(word) >= Weights.SHORTEST}
        terms = {term: weight for term, weight in weigh_terms(text).items() if term not in _COMMON}
        self._stems: dict[str, float] = {}
        for term, weight in terms.items():
            for stem in stems([term]):
                self._stems[stem] = max(weight, self._stems.get(stem, 0.0))
        self._all = sum(self._stems.values()) or 1.0
        self._shares: dict[str, float] = {}

    def weigh(self, symbol: Symbol) -> float:
        """The share of the words in its name, and in the best of the names around it."""
        *around, _ = symbol.qualified_name.split(".")
        own, outer = self._share(symbol.name), max(map(self._share, around), default=0.0)
        written = Weights.WRITTEN if symbol.name in self._written else 0.0
        return written + Weights.NAME * own + Weights.AROUND * outer

    def _share(self, name: str) -> float:
        """The share of the words that a name has; less for a name that has others, too."""
        if name not in self._shares:
            parts = [part.lower() for part in split_identifier(name)] or [name.lower()]
            known = sum(not self._stems.keys().isdisjoint(stems([part])) for part in parts)
            found = stems(terms_of_words(name))
            share = sum(weight for stem, weight in self._stems.items() if stem in found) / self._all
            self._shares[name] = share * math.sqrt(known / len(parts))
        return self._shares[name]


def chain_lines(flow: Flow) -> list[str]:
    """Each chain in a line: `A → B (file:line) → C`."""
    return [" → ".join(_shown(step) for step in chain) for chain in flow.chains()]


def _shown(step: FlowStep) -> str:
    name = ".".join(step.symbol.qualified_name.split(".")[-2:])
    return name if step.edge is None else f"{name} ({step.edge.path}:{step.edge.line})"


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
            candidate.add(Hit(symbol.path, *lines, evidence, best, reason))
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
