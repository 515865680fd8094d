"""Reviews of changes to small repositories with a history."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from repo_mcp.budget import Budget
from repo_mcp.changes import (
    ChangeQuestion,
    ChangeReview,
    ChangeReviewer,
    LinkedTrees,
    ReviewServices,
)
from repo_mcp.history import Histories
from repo_mcp.repository import OutdatedFiles, Repository, WaitPolicy
from repo_mcp.search import ExactEngine
from repo_mcp.services import services
from repo_mcp.settings import Options
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.refreshers import Waiting
from tests.repo_mcp.trees import FOREVER, write

NOW = ChangeQuestion()


class AtOnce(Waiting):
    """A refresher of an index that is as the files are."""

    def catch_up(self, _: Budget) -> bool:
        return True

    def wait_until_linked(self, _: Budget) -> bool:
        return True


def commit(root: Path, files: Mapping[str, str], message: str = "x") -> None:
    """Write files, and commit all that is there."""
    if not (root / ".git").exists():
        root.mkdir(parents=True, exist_ok=True)
        run_git(root, "init", "-q", "-b", "main")
    write(root, dict(files))
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", message)


class Reviewed:
    """Reviews changes of one root; the graph of all files is linked unless it is left out."""

    def __init__(self, root: Path, data: Path, *, linked: bool = True) -> None:
        self.parts = services(Options(str(root), str(data)))
        self.parts.manager.refresh(FOREVER)
        if linked:
            self.parts.manager.link(FOREVER)
        self.histories = Histories(self.parts.manager.parts)
        self.repository = Repository(
            self.parts.settings, self.parts.sandbox, self.parts.manager, AtOnce(Clock())
        )
        self.trees = LinkedTrees()

    def review(self, asked: ChangeQuestion = NOW) -> ChangeReview:
        """The review of a change."""
        engine = ExactEngine(self.parts.sandbox)
        parts = self.repository, self.histories, engine, 30.0
        given = ReviewServices(*parts, waits=True, trees=self.trees)
        reviewer = ChangeReviewer(given, asked, FOREVER)
        wait = WaitPolicy(first=0.0, complete=None, compared=None)
        review, _, _ = self.repository.run_graph_query(
            reviewer.review, lambda _: OutdatedFiles(), wait, FOREVER
        )
        return review

    def close(self) -> None:
        """Close what was opened."""
        self.histories.close()
        self.parts.manager.close()


def reviewed(
    folder: Path,
    old: Mapping[str, str],
    new: Mapping[str, str | None],
    asked: ChangeQuestion = NOW,
    *,
    linked: bool = True,
) -> ChangeReview:
    """The review of files that are written over committed ones; None removes a file."""
    root = folder / "root"
    commit(root, old)
    write(root, {path: text for path, text in new.items() if text is not None})
    for path, text in new.items():
        if text is None:
            (root / path).unlink()
    opened = Reviewed(root, folder / "data", linked=linked)
    try:
        return opened.review(asked)
    finally:
        opened.close()


def places(review: ChangeReview) -> list[tuple[str, str, int, str]]:
    """Verdict, path, line, and the declaration that has changed, of each place."""
    assert review.places is not None
    return [(item.verdict, item.path, item.line, item.used) for item in review.places]
