"""Reviews changes of a checkout, each after its index and graph are as its files are.

Nothing is done in the background, and nothing is left out for want of time, so that other work on
a machine changes no figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from repo_mcp.budget import Budget
from repo_mcp.changes import ChangeQuestion, ChangeReview, ChangeReviewer, ReviewServices
from repo_mcp.history import Histories
from repo_mcp.repository import OutdatedFiles, Repository, WaitPolicy
from repo_mcp.search import ExactEngine
from repo_mcp.services import services
from repo_mcp.settings import Options

# for linking a side of a change; a server takes 5
_SECONDS: Final = 30.0
_AT_ONCE: Final = WaitPolicy(first=0.0, complete=None, compared=None)


class _UpToDate:
    """A refresher of an index that is as the files are."""

    has_walked = True
    failure = None

    def wait_until_ready(self, budget: Budget) -> None:
        """Do nothing."""

    def rebuild(self, budget: Budget, file: str = "") -> None:
        """Do nothing."""

    def freshen(self) -> None:
        """Do nothing."""

    def index_first(self, paths: Sequence[str], budget: Budget) -> None:
        """Do nothing."""

    def relink(self) -> None:
        """Do nothing."""

    def catch_up(self, _: Budget) -> bool:
        """It is."""
        return True

    def wait_until_linked(self, _: Budget) -> bool:
        """It is."""
        return True


class Reviewing:
    """Reviews of what is not committed in one checkout."""

    def __init__(self, root: Path, data: Path) -> None:
        """Open its index, or make one."""
        self._parts = services(Options(str(root), str(data), watch=False, workers=1))
        self._histories = Histories(self._parts.manager.parts)
        self._repository = Repository(
            self._parts.settings, self._parts.sandbox, self._parts.manager, _UpToDate()
        )

    def review(self) -> ChangeReview:
        """The review of what differs from the last commit."""
        budget = Budget()
        self._parts.manager.refresh(budget)
        self._parts.manager.link(budget)
        engine = ExactEngine(self._parts.sandbox)
        given = ReviewServices(self._repository, self._histories, engine, _SECONDS, waits=True)
        reviewer = ChangeReviewer(given, ChangeQuestion(), budget)
        review, _, _ = self._repository.run_graph_query(
            reviewer.review, lambda _: OutdatedFiles(), _AT_ONCE, budget
        )
        if review.places is None or not review.files:
            raise SystemExit(f"a review failed: {review.notes}")
        return review
