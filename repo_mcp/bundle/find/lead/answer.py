"""The places that a question asks for by itself: the steps of an answer in their order.

A question about a setting, about what a type asks for, or about what runs has an answer that the
symbol graph gives. Its places come first; behind them other excerpts are shown only where the
question does not name all that it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from code_graph.paths.path_kinds import rank_path
from index_format.tuples import NamedTuple
from repo_mcp.bundle.find.candidates import Candidate
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.lead.of_flow import flow_lead
from repo_mcp.bundle.find.lead.of_settings import setting_lead
from repo_mcp.bundle.find.lead.of_types import type_lead
from repo_mcp.bundle.find.lead.steps import Lead
from repo_mcp.bundle.weights import LeadWeights as Weights
from repo_mcp.flow import FlowSources, Passage, asks_for_flow, find_question_flow
from repo_mcp.question.questions import (
    SettingQuestion,
    TypeQuestion,
    parse_setting_question,
    parse_type_question,
)

if TYPE_CHECKING:  # most servers have no graph
    from code_graph.query.flow import Flow
    from code_graph.query.settings import Place
    from repo_mcp.bundle.find.links import SymbolLinks


class LeadQuestion(NamedTuple):
    """A question by what it may ask for; the first that is found is answered."""

    text: str
    setting: SettingQuestion | None
    type: TypeQuestion | None
    is_flow: bool


class LeadSources(NamedTuple):
    """Sources of steps: files, searches, and what is known of the prompt until now."""

    files: Files
    flow: FlowSources
    lines_with: Callable[[str], Sequence[Place]]
    # lines that the search for the whole prompt has found, best first
    found: Sequence[Passage]
    candidates: Sequence[Candidate]


def parse_lead_question(text: str) -> LeadQuestion | None:
    """The question, if it asks for something that the symbol graph tells."""
    setting, wanted = parse_setting_question(text), parse_type_question(text)
    is_flow = asks_for_flow(text)
    if setting is None and wanted is None and not is_flow:
        return None
    return LeadQuestion(text, setting, wanted, is_flow)


def find_lead(links: SymbolLinks, question: LeadQuestion, sources: LeadSources) -> Lead:
    """The steps of the answer; none if nothing is found."""
    lead = None
    if question.type is not None:
        lead = _of_type(links, question.type, sources)
    if lead is None and question.setting is not None:
        lead = _of_setting(links, question.setting, sources)
    if lead is not None:
        # lines of a file that has changed since may be others
        current = [item for item in lead.steps if not links.is_outdated(item.path)]
        is_whole = lead.is_whole and len(current) == len(lead.steps)
        return lead._replace(steps=current, is_whole=is_whole)
    if not question.is_flow:
        return Lead()
    flow = _current_flow(links, question.text, sources)
    return flow_lead(links.graph, flow, sources.files, sources.flow, sources.candidates)


def _worth(candidates: Sequence[Candidate]) -> float:
    """The worth of a step: that of the best candidate."""
    return max((item.worth for item in candidates), default=0.0) or 1.0


def _of_setting(links: SymbolLinks, question: SettingQuestion, sources: LeadSources) -> Lead | None:
    from code_graph.query.settings import SettingSources, find_setting  # noqa: PLC0415 most servers have no graph

    files = sources.files
    given = SettingSources(sources.lines_with, files.text, files.line)
    found = find_setting(
        links.graph, question.key, given, sources.flow.check, is_named=question.is_named
    )
    if found is None:
        return None
    return setting_lead(links.graph, found, files, _worth(sources.candidates))


def _of_type(links: SymbolLinks, question: TypeQuestion, sources: LeadSources) -> Lead | None:
    """The lead of the likeliest type of a name: one that code implements."""
    from code_graph.query.implementing import find_demand  # noqa: PLC0415 as above
    from code_graph.query.names import find_targets  # noqa: PLC0415 as above

    files = sources.files
    for name in question.names:
        targets = find_targets(links.graph, name, Weights.MOST_TYPES).targets
        symbols = [item.symbol for item in targets if item.symbol is not None]
        demands = [find_demand(links.graph, symbol, files.line) for symbol in symbols]
        known = [item for item in demands if item is not None]
        if known:
            best = min(
                known, key=lambda item: (rank_path(item.symbol.path), -len(item.implementers))
            )
            lead = type_lead(links.graph, best, files, _worth(sources.candidates))
            return lead._replace(is_whole=question.is_written)
    return None


def _current_flow(links: SymbolLinks, text: str, sources: LeadSources) -> Flow:
    """The flow that a question is about, without steps in files that have changed since."""
    whole = find_question_flow(links.graph, text, sources.found, sources.flow)
    steps = [step for step in whole.steps if links.is_current(step.symbol.path)]
    routes = whole.routes if len(steps) == len(whole.steps) else ()
    return whole._replace(steps=steps, routes=routes)
