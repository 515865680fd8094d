"""Finds passages of a folder, which is the repository or lies in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning, SearchAnswer
from repo_mcp.repository import OpenIndex, collapse_path
from repo_mcp.search import SearchOptions
from repo_mcp.text.doubts import doubt
from repo_mcp.text.plurals import counted
from repo_mcp.toolsets.kit.answers import Outcome, size
from repo_mcp.toolsets.kit.index_warnings import COMPARING, lacking_warning
from repo_mcp.toolsets.kit.seen_hits import SeenHits, cursor_size
from repo_mcp.toolsets.kit.services import ToolServices
from repo_mcp.toolsets.swiftindex.errors import NO_FOLDER, NO_INDEX, SwiftIndexRefusal
from repo_mcp.toolsets.swiftindex.results import (
    CodeResult,
    DocResult,
    SearchCodeResult,
    SearchDocsResult,
)


def folder_of(services: ToolServices, path: str) -> str:
    """The folder below the root, the root as ""; whether others exist is not disclosed."""
    sandbox = services.repository.sandbox
    try:
        below = sandbox.normalize_path(collapse_path(path.strip() or "."))
        sandbox.list_folder(below)
    except Problem as problem:
        if problem.code in {"root_missing", "reopened"}:
            raise
        raise SwiftIndexRefusal(NO_FOLDER, path) from None
    return below


def open_index(services: ToolServices, folder: str, budget: Budget) -> OpenIndex:
    """The index; without one, unless it is just being built, the call fails."""
    repository = services.repository
    index = repository.current_index()
    if index.snapshot is None and repository.progress is not None:
        index = repository.open(services.wait, budget)
    if index.snapshot is None:
        root = repository.settings.root.rstrip("/")
        raise SwiftIndexRefusal(NO_INDEX, f"{root}/{folder}" if folder else root or "/")
    return index


class FilteredQuery(NamedTuple):
    """A query, and the place to search."""

    text: str
    limit: int
    options: SearchOptions


def find_hits(
    services: ToolServices, question: FilteredQuery, index: OpenIndex, budget: Budget
) -> tuple[SearchAnswer, OpenIndex]:
    """The hits, and the index that gave them; changed files are indexed again first.

    That a word is nowhere is said of the files as they are now.
    """

    def find(index: OpenIndex) -> SearchAnswer:
        if index.snapshot is None:  # it was damaged, and is being built again
            return SearchAnswer((), (), ())
        return services.engine.search_code(
            index.snapshot, question.text, question.limit, budget, question.options
        )

    return services.repository.run_current_query(
        find,
        lambda found: found.stale_paths,
        lambda found: found.lacking,
        *(index, services.wait, budget),
    )


class AnswerPage(NamedTuple):
    """The rows of an answer that fit, how many there are, and what else the answer says."""

    rows: list[Any]
    total: int
    cursor: str
    suggestions: list[str]
    warnings: list[AnswerWarning]

    def outcome(self, result: SearchCodeResult | SearchDocsResult) -> Outcome:
        """The outcome of a call with these rows."""
        result.cursor = self.cursor
        if self.suggestions:
            result.suggestions = self.suggestions
        places = [f"{row.path}:{row.start_line}-{row.end_line}" for row in self.rows]
        return Outcome(result, self.warnings, shown=places)


def fit_page(
    services: ToolServices,
    rows: Sequence[CodeResult | DocResult],
    found: SearchAnswer,
    index: OpenIndex,
    warnings: Sequence[AnswerWarning],
    seen: SeenHits,
) -> AnswerPage:
    """As many of the rows not seen yet as an answer has room for.

    `warnings` are those of the arguments.
    """
    unseen = seen.unseen(rows)
    room = services.page_size(None, []) - cursor_size(len(rows))
    shown = unseen[: _fitting([size(row) for row in unseen], room)]
    cut: list[AnswerWarning] = []
    cursor = ""
    if len(shown) < len(unseen):
        cursor = seen.cursor_after(shown, index.generation)
        text = f"{len(unseen) - len(shown)} more results: continue with the cursor"
        cut.append(AnswerWarning("cut", text))
    doubts = []
    if not found.confident:
        text = doubt(found.terms, found.nowhere, counted(len(rows), "result"))
        doubts.append(AnswerWarning("not_confident", text))
    listed = [*doubts, *warnings, *cut, *index_warnings(services, index), *found.warnings]
    suggestions = [item.text for item in found.suggestions]
    return AnswerPage(shown, len(rows), cursor, suggestions, listed)


def _fitting(sizes: Sequence[int], room: int) -> int:
    """The number of the first items that fit, at least one."""
    used = 0
    for count, size_of_item in enumerate(sizes):
        used += size_of_item
        if used > room and count:
            return count
    return len(sizes)


def index_warnings(services: ToolServices, index: OpenIndex) -> list[AnswerWarning]:
    """Warnings about the gaps of the index."""
    warnings = [*services.background_notes, *index.warnings]
    if index.gap is not None:
        warnings.append(lacking_warning(index, services.repository))
    elif not index.compared:
        warnings.append(COMPARING)
    return warnings
