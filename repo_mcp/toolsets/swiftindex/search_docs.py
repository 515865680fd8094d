"""`search_docs`: passages of documentation with the headings above them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from code_graph import PROSE_ENDINGS, markdown_rows
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning, SearchHit
from repo_mcp.question.syntax.tree import Filter
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
from repo_mcp.toolsets.swiftindex.passages import DeclaredPassage, PassageReader
from repo_mcp.toolsets.swiftindex.results import DocResult, SearchDocsResult

# arguments that another page must repeat, besides folder and limit
_NARROWING: Final = ("query", "path_filter", "docstrings")
# kinds of documentation files
_NOTEBOOK: Final = ".ipynb"
_PROSE: Final = (*PROSE_ENDINGS, ".txt")
_DOCS: Final = tuple(Filter("ext", ending.lstrip(".")) for ending in _PROSE)


class SearchDocs(ToolHandler):
    """Searches documentation."""

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The best passages, as many as fit."""
        services, budget = self._services, context.budget
        folder = folder_of(services, arguments["path"])
        warnings: list[AnswerWarning] = []
        filters = path_filters(folder, path_filter=arguments["path_filter"] or "")
        if not arguments["docstrings"]:
            filters = (*filters, *_DOCS)
        limit = services.clamp("limit", arguments["limit"], MOST_RESULTS, warnings)
        question = FilteredQuery(arguments["query"], limit, SearchOptions(filters))
        key = ["search_docs", *map(arguments.get, _NARROWING), folder, limit]
        open_index(services, folder, budget)

        def answer(index: OpenIndex) -> Outcome:
            found, index = find_hits(services, question, index, budget)
            rows = list(self._rows(found.hits, PassageReader(index.snapshot), budget))
            told = list(warnings)
            seen = SeenHits.of_cursor(arguments["cursor"], key, index.generation, told)
            page = fit_page(services, rows, found, index, told, seen)
            return page.outcome(SearchDocsResult(results=page.rows, total=page.total))

        return services.repository.run_query(answer, services.wait, budget)

    def _rows(
        self, hits: Sequence[SearchHit], reader: PassageReader, budget: Budget
    ) -> Iterator[DocResult]:
        for hit in hits:
            passage = reader.of(hit)
            content = self._content(hit, passage, budget)
            if not content:
                continue
            row = DocResult(
                path=hit.path,
                start_line=hit.start_line,
                end_line=hit.end_line,
                relevance_percent=hit.relevance,
                content=content,
            )
            headings = passage.breadcrumb(whole=True)
            if headings:
                row.breadcrumb = headings
            yield row

    def _content(self, hit: SearchHit, passage: DeclaredPassage, budget: Budget) -> str:
        """The text of a passage; nothing for one that documents nothing."""
        if not hit.path.lower().endswith(_PROSE):
            return hit.snippet if passage.doc_comment else ""
        if not hit.path.lower().endswith(_NOTEBOOK):
            return hit.snippet
        try:
            read = self._services.repository.read(hit.path, budget)
        except Problem as problem:
            if problem.code == "cancelled":
                raise
            return ""
        rows = markdown_rows(read.lines)[hit.start_line - 1 : hit.end_line]
        return "\n".join(rows).strip("\n")
