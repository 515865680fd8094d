"""`repo.changes`: what a change may break, the tests to run, and what is missing in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from repo_mcp.changes import (
    ChangeQuestion,
    ChangeReviewer,
    LinkedTrees,
    ListPlace,
    ReviewServices,
    changes_page,
)
from repo_mcp.model import AnswerWarning
from repo_mcp.search import ExactEngine
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.cursors import (
    CHANGED,
    PAGING,
    decode_cursor,
    encode_cursor,
    invalid_cursor,
)
from repo_mcp.toolsets.kit.progress import ProgressReporter
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices

# seconds for linking each side that is not the checkout
_LINKING: Final = 5.0


class ReviewedChange:
    """Reviews a change."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services
        self._trees = LinkedTrees()

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The places that may break by it, the tests that tell, and what is missing."""
        services = self._services
        repository = services.repository
        warnings: list[AnswerWarning] = []
        most = services.page_size(arguments["max_chars"], warnings)
        key = sorted((name, value) for name, value in arguments.items() if name not in PAGING)
        after: list[ListPlace] = []
        if arguments["cursor"]:
            (places,) = decode_cursor(arguments["cursor"], key, list).place
            after = _places_of(places)
        question = ChangeQuestion(
            rev=(arguments["rev"] or "").strip(),
            since=(arguments["since"] or "").strip(),
            staged=arguments["staged"],
            patch=arguments["patch"] or "",
            path=(arguments["path"] or "").strip().strip("/"),
        )
        parts = ReviewServices(
            repository,
            services.histories,
            ExactEngine(repository.sandbox, services.distributed),
            _LINKING,
            waits=False,
            trees=self._trees,
        )
        reviewer = ChangeReviewer(parts, question, context.budget)
        with ProgressReporter(services, context):
            review, _, index = repository.run_graph_query(
                reviewer.review, reviewer.outdated, services.wait, context.budget
            )
        services.repository.freshen()
        with_context = arguments["context"]
        page = changes_page(review, most, reviewer.read, after, with_context=with_context)
        result = page.result
        if page.is_other:
            warnings.append(CHANGED)
        if page.after:
            result.cursor = encode_cursor(key, index.generation, [[*map(list, page.after)]])
        shown = [f"{entry.path}:{entry.line}" for entry in result.breaking]
        shown += [f"{entry.path}:{entry.line}" for entry in result.context]
        return Outcome(
            result, [*warnings, *index.warnings], shown=shown, generation=index.generation
        )


def _places_of(content: Sequence[Any]) -> list[ListPlace]:
    """The lists that go on, as a cursor has them."""
    try:
        return [(str(name), max(int(count), 0), str(digest)) for name, count, digest in content]
    except (TypeError, ValueError):
        raise invalid_cursor() from None
