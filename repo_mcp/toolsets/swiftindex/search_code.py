"""`search_code`: passages of code by words and meaning, with their declarations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from repo_mcp.model import AnswerWarning, SearchHit
from repo_mcp.repository import OpenIndex
from repo_mcp.search import SearchOptions, path_filters
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.seen_hits import SeenHits
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolHandler
from repo_mcp.toolsets.swiftindex.declarations import MOST_RESULTS
from repo_mcp.toolsets.swiftindex.finding import (
    FilteredQuery,
    find_hits,
    fit_page,
    folder_of,
    open_index,
)
from repo_mcp.toolsets.swiftindex.passages import PassageReader
from repo_mcp.toolsets.swiftindex.results import CodeResult, Expansion, SearchCodeResult
from repo_mcp.toolsets.swiftindex.sampling import expand, synthesize

# arguments that another page must repeat, besides folder, limit and weight
_NARROWING: Final = ("query", "extensions", "path_filter", "expand_query")
_WORDS_ALONE: Final = AnswerWarning(
    "words_alone", "ranked by words alone: embeddings are turned off (embeddings.enabled)"
)


class SearchCode(ToolHandler):
    """Searches code."""

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The best passages, as many as fit."""
        services, budget = self._services, context.budget
        folder = folder_of(services, arguments["path"])
        warnings: list[AnswerWarning] = []
        filters = path_filters(
            folder, arguments["extensions"] or "", arguments["path_filter"] or ""
        )
        limit = services.clamp("limit", arguments["limit"], MOST_RESULTS, warnings)
        meaning = _weight(arguments["semantic_weight"], warnings)
        if services.repository.embedder is None and meaning > 0:
            warnings.append(_WORDS_ALONE)
        question = FilteredQuery(arguments["query"], limit, SearchOptions(filters, meaning=meaning))
        index = open_index(services, folder, budget)
        key = ["search_code", *map(arguments.get, _NARROWING), folder, limit, meaning]
        expansion: Expansion | None = None
        if arguments["expand_query"] and index.snapshot is not None:
            expansion = expand(question.text, index.snapshot, services.repository.embedder, context)
            near = expansion.near
            more = [term for term in expansion.terms if term not in near]
            question = question._replace(options=question.options._replace(more=more, near=near))

        def answer(index: OpenIndex) -> Outcome:
            found, index = find_hits(services, question, index, budget)
            rows = _rows(found.hits, PassageReader(index.snapshot))
            told = list(warnings)
            seen = SeenHits.of_cursor(arguments["cursor"], key, index.generation, told)
            page = fit_page(services, rows, found, index, told, seen)
            result = SearchCodeResult(results=page.rows, total=page.total)
            if expansion is not None:
                result.expansion = expansion
            if arguments["synthesize"]:
                result.summary = synthesize(question.text, page.rows, context)
            return page.outcome(result)

        return services.repository.run_query(answer, services.wait, budget)


def _rows(hits: Sequence[SearchHit], reader: PassageReader) -> list[CodeResult]:
    rows: list[CodeResult] = []
    for hit in hits:
        passage = reader.of(hit)
        row = CodeResult(
            path=hit.path,
            start_line=hit.start_line,
            end_line=hit.end_line,
            relevance_percent=hit.relevance,
            kind=passage.kind,
            symbols=passage.symbols,
            content=hit.snippet,
        )
        for name, text in (
            ("signature", passage.signature),
            ("breadcrumb", passage.breadcrumb()),
            ("doc_comment", passage.doc_comment),
        ):
            if text:
                setattr(row, name, text)
        rows.append(row)
    return rows


def _weight(given: float, warnings: list[AnswerWarning]) -> float:
    """The weight of meaning; one outside 0 to 1 is the nearest of these, with a warning."""
    weight = min(1.0, max(0.0, given))
    if weight != given:
        text = f"semantic_weight is from 0 to 1; {weight:g} was used"
        warnings.append(AnswerWarning("limited", text))
    return weight
