"""The flows of a question: chains of calls as a tree, a line for each step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from code_graph.query.choice import choose_target
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.answers.verdicts import ABSENT, PARTLY, Verdict
from repo_mcp.ask import CallTree
from repo_mcp.budget import Budget
from repo_mcp.model import SearchHit
from repo_mcp.question.kinds import Intent
from repo_mcp.repository import OpenGraph, OpenIndex, OutdatedFiles
from repo_mcp.research import (
    Chain,
    Node,
    Report,
    Research,
    ResearchAnswer,
    Step,
    research_opened,
    research_result,
)
from repo_mcp.search import MEASURED_BEST, SearchOptions
from repo_mcp.text.cutting import cut
from repo_mcp.toolsets.interrogator.answer_part import AnswerPart, rows_that_fit
from repo_mcp.toolsets.kit.index_warnings import graph_warnings
from repo_mcp.toolsets.kit.services import Context, ToolServices

# the longest that a flow is followed
_SECONDS: Final = 20.0
_WIDEST: Final = 140
_INDENT: Final = "  "
_MOST_GAPS: Final = 2


class _CallsAround(NamedTuple):
    """The rows of the trees, and their places."""

    rows: Sequence[str] = ()
    shown: Sequence[str] = ()

    def outdated(self) -> OutdatedFiles:
        """None: the places are those of the graph."""
        return OutdatedFiles()


class FollowedFlow:
    """Follows what runs."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services

    def answer(self, words: str, ends: Sequence[str], most: int, context: Context) -> AnswerPart:
        """The steps of what runs, with their places; `ends` are names that are known."""
        services, budget = self._services, context.budget
        followed, opened, index = services.ask_graph(
            ends,
            lambda opened, index: self._follow(words, opened, index, budget),
            ResearchAnswer.outdated,
            budget,
        )
        report = followed.report
        warnings = [*index.warnings, *([] if opened.graph is None else graph_warnings(opened))]
        lines = [*_tree(report)]
        if not lines:
            rest = replace(report, diagram=None)
            lines = [*research_result(rest, most).as_text()]
        lines = [*rows_that_fit(lines, most)]
        shown = [f"{item.path}:{item.line}" for item in _steps(report)]
        return AnswerPart(words, _verdict(report), lines, warnings, shown, index.generation)

    def around(self, name: str, most: int, context: Context) -> AnswerPart:
        """The calls that lead to a function and those that it leads to, as trees."""
        services, budget = self._services, context.budget

        def ask(opened: OpenGraph, _: OpenIndex) -> _CallsAround:
            if opened.graph is None:
                return _CallsAround()
            symbol = next(iter(choose_target(opened.graph, name).symbols), None)
            if symbol is None:
                return _CallsAround()
            tree = CallTree(opened.graph)
            return _CallsAround([*tree.callers(symbol), *tree.callees(symbol)], [*tree.shown])

        found, opened, index = services.ask_graph([name], ask, _CallsAround.outdated, budget)
        warnings = [*index.warnings, *([] if opened.graph is None else graph_warnings(opened))]
        verdict = Verdict()
        if not opened.is_whole:
            verdict = Verdict(PARTLY, "not all symbols are linked yet")
        elif not found.rows:
            verdict = Verdict(ABSENT, f"no function is called {name}")
        rows = [*rows_that_fit(found.rows, most)]
        return AnswerPart(f"flow {name}", verdict, rows, warnings, found.shown, index.generation)

    def _follow(
        self, words: str, opened: OpenGraph, index: OpenIndex, budget: Budget
    ) -> ResearchAnswer:
        services = self._services
        options = SearchOptions(meaning=MEASURED_BEST)

        def search(text: str, limit: int) -> Sequence[SearchHit]:
            if index.snapshot is None:
                return ()
            given = index.snapshot, text, limit, None, budget
            return services.engine.search(*given, options=options).hits

        return research_opened(
            opened,
            index,
            services.repository.sandbox,
            search,
            Research(words),
            budget.within(_SECONDS),
        )


def _verdict(report: Report) -> Verdict:
    """The verdict about a flow: a way has to lead over all that was asked for."""
    gaps = "; ".join(gap.text for gap in report.gaps[:_MOST_GAPS])
    if report.kind is Intent.CONNECTION and len(report.subjects) > 1:
        ends = [{node.key for node in subject.chosen} for subject in report.subjects[:2]]
        if any(_joins(chain, *ends) for chain in report.chains):
            return Verdict()
        names = " and ".join(subject.name for subject in report.subjects[:2])
        lacks = f"no way of calls joins {names}; what each of them does follows"
        return Verdict(PARTLY, f"{lacks}; {gaps}" if gaps else lacks)
    if not (report.chains or report.hops):
        return Verdict(ABSENT, gaps or "nothing that runs is known by these words")
    return Verdict(PARTLY, gaps) if gaps else Verdict()


def _joins(chain: Chain, starts: set[str], ends: set[str]) -> bool:
    """True if a chain leads from one of the first to one of the second, or back."""
    first, last = chain.steps[0].source.key, chain.steps[-1].target.key
    return (first in starts and last in ends) or (first in ends and last in starts)


def _steps(report: Report) -> Iterator[Node]:
    for chain in report.chains:
        yield chain.steps[0].source
        yield from (step.target for step in chain.steps)


def _tree(report: Report) -> Iterator[str]:
    """The chains as a tree: a way that several begin with is written once."""
    details = {item.node.key: item.detail for hop in report.hops for item in hop.findings}
    before: Sequence[Step] = ()
    for chain in report.chains:
        first = chain.steps[0].source
        same = 0
        if before and before[0].source.key == first.key:
            pairs = zip(before, chain.steps, strict=False)
            same = next((at for at, (a, b) in enumerate(pairs) if a.target.key != b.target.key), 0)
        if not (before and before[0].source.key == first.key):
            yield _row(first, details)
        for depth, step in enumerate(chain.steps[same:], same + 1):
            yield f"{_INDENT * depth}{_edge(step)} {_row(step.target, details)}"
        before = chain.steps


def _edge(step: Step) -> str:
    """The place of an edge, and how sure it is."""
    evidence = step.evidence
    kind = "" if evidence.edge_type == "calls" else f" {evidence.edge_type}"
    sure = "" if evidence.confidence == "exact" else f" [{evidence.confidence}]"
    return f"{evidence.path.rpartition('/')[2]}:{evidence.line}{kind}{sure} →"


def _row(node: Node, details: dict[str, str]) -> str:
    """A symbol with its place, and the first time its signature."""
    place = f"{node.path}:{node.line}" if node.line else node.path
    detail = " ".join(details.pop(node.key, "").split())
    return f"{node.name} {place}" + (f": {cut(detail, _WIDEST)}" if detail else "")
