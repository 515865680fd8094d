"""The places that a question asks for by itself: the steps of an answer in their order.

A question about a setting, about what a type asks for, or about what runs has an answer that the
symbol graph gives. Its places come first; behind them other excerpts are shown only where the
question does not name all that it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Final, TypeAlias

from code_graph.paths.path_kinds import rank_path
from index_format.tuples import NamedTuple
from repo_mcp.bundle.find.candidates import Candidate
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.lead.of_flow import flow_lead
from repo_mcp.bundle.find.lead.of_settings import setting_lead
from repo_mcp.bundle.find.lead.of_types import type_lead
from repo_mcp.bundle.find.lead.steps import Lead
from repo_mcp.bundle.weights import LeadWeights as Weights
from repo_mcp.flow import FlowSources, Passage
from repo_mcp.question.kinds import Intent, Question, Reading
from repo_mcp.question.word_lists import NO_TYPE

if TYPE_CHECKING:  # most servers have no graph
    from repo_mcp.bundle.find.links import SymbolLinks
    from repo_mcp.flow import Place


class LeadSources(NamedTuple):
    """Sources of steps: files, searches, and what is known of the prompt until now."""

    files: Files
    flow: FlowSources
    lines_with: Callable[[str], Sequence[Place]]
    # lines that the search for the whole prompt has found, best first
    found: Sequence[Passage]
    candidates: Sequence[Candidate]


def asks_for_lead(question: Question) -> bool:
    """True if it asks for something that the symbol graph tells."""
    return not question.is_report and any(_readings(question))


def find_lead(links: SymbolLinks, question: Question, sources: LeadSources) -> Lead:
    """The steps of the answer; none if nothing is found."""
    for reading in _readings(question):
        lead = _BY_KIND[reading.kind](links, question.text, reading, sources)
        if lead is not None:
            return lead
    return Lead()


def _readings(question: Question) -> Iterator[Reading]:
    """The readings that are about a name, or about what runs."""
    readings = question.readings(_BY_KIND)
    return (reading for reading in readings if reading.phrases or reading.kind is Intent.WAY)


def _worth(candidates: Sequence[Candidate]) -> float:
    """The worth of a step: that of the best candidate."""
    return max((item.worth for item in candidates), default=0.0) or 1.0


def _of_setting(
    links: SymbolLinks, _text: str, reading: Reading, sources: LeadSources
) -> Lead | None:
    from repo_mcp.flow import SettingSources, find_setting  # noqa: PLC0415 most servers have no graph

    files, (key,) = sources.files, reading.phrases
    given = SettingSources(sources.lines_with, files.text, files.line)
    is_named = reading.kind is Intent.SETTING or key.startswith("--")
    way = find_setting(links.graph, key, given, sources.flow.check, is_named=is_named)
    if way is None:
        return None
    return _current(links, setting_lead(links.graph, way, files, _worth(sources.candidates)))


def _of_type(links: SymbolLinks, _text: str, reading: Reading, sources: LeadSources) -> Lead | None:
    """The lead of the likeliest type of a name: one that code implements."""
    from code_graph.query.implementing import find_demand  # noqa: PLC0415 as above
    from code_graph.query.names import find_targets  # noqa: PLC0415 as above

    files, (phrase,) = sources.files, reading.phrases
    first = phrase.split()[0]
    for name in _type_names(phrase):
        targets = find_targets(links.graph, name, Weights.MOST_TYPES).targets
        symbols = [item.symbol for item in targets if item.symbol is not None]
        demands = [find_demand(links.graph, symbol, files.line) for symbol in symbols]
        known = [item for item in demands if item is not None]
        if known:
            best = min(
                known, key=lambda item: (rank_path(item.symbol.path), -len(item.implementers))
            )
            lead = type_lead(links.graph, best, files, _worth(sources.candidates))
            return _current(links, lead._replace(is_whole=first != first.lower()))
    return None


def _current(links: SymbolLinks, lead: Lead) -> Lead:
    """The lead without files that have changed since: their lines may be others."""
    steps = [step for step in lead.steps if not links.is_outdated(step.path)]
    return lead._replace(steps=steps, is_whole=lead.is_whole and len(steps) == len(lead.steps))


def _type_names(phrase: str) -> Iterator[str]:
    """The names that a phrase of up to three words may mean, the likeliest first."""
    words = phrase.split()
    if words[0] != words[0].lower():
        yield words[0]
        return
    words = [*takewhile(lambda word: word.lower() not in NO_TYPE, words)]
    for count in range(len(words), 0, -1):
        camel = "".join(word[:1].upper() + word[1:] for word in words[:count])
        yield camel
        if camel.endswith("s"):
            yield camel[:-1]


def _of_flow(links: SymbolLinks, text: str, _reading: Reading, sources: LeadSources) -> Lead:
    """The flow that a question is about, without steps in files that have changed since."""
    from repo_mcp.flow import find_question_flow, find_sides  # noqa: PLC0415 most servers have no graph

    whole = find_question_flow(links.graph, text, sources.found, sources.flow)
    steps = [step for step in whole.steps if links.is_current(step.symbol.path)]
    routes = whole.routes if len(steps) == len(whole.steps) else ()
    flow = whole._replace(steps=steps, routes=routes)
    sides = find_sides(links.graph, flow, sources.flow)
    return flow_lead(links.graph, flow, sides, sources.files, sources.candidates)


# the first reading whose places are found is answered
_FindLead: TypeAlias = "Callable[[SymbolLinks, str, Reading, LeadSources], Lead | None]"
_BY_KIND: Final[Mapping[Intent, _FindLead]] = {
    Intent.ANOTHER: _of_type,
    Intent.SETTING: _of_setting,
    Intent.KEY: _of_setting,
    Intent.WAY: _of_flow,
}
