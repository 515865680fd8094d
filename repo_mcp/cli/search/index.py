"""The index as a command asks it: refreshed in the foreground, with its progress shown."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final, TypeVar

from index_format import CorruptIndexError, IndexFormatError, Snapshot
from repo_mcp.app import Services
from repo_mcp.budget import Budget
from repo_mcp.cli.display import Display
from repo_mcp.errors import Problem
from repo_mcp.indexing.fresh.manager import IndexManager
from repo_mcp.repository import COMMAND, Lacking, OpenIndex, Repository

_INCOMPLETE: Final = (
    "not all files are indexed yet: `repo-mcp index` goes on with it, unless another process is at"
    " it already"
)
_LACKING: Final = {
    Lacking.FILES: _INCOMPLETE,
    Lacking.BUILD: _INCOMPLETE,
    Lacking.DECLARATIONS: (
        "what some files declare is not indexed yet: `repo-mcp index` goes on with it"
    ),
}

T = TypeVar("T")


class ForegroundRefresh:
    """Brings the index up to date while a person watches."""

    has_walked = False
    failure = None

    def __init__(self, manager: IndexManager) -> None:
        self._manager = manager

    def ready(self, budget: Budget) -> None:
        """Do what `repo-mcp index` does."""
        with Display(sys.stderr) as display:
            display.phase("looking for changes")
            done = self._manager.refresh(budget, tell=display.show)
            display.phase("merging")
            self._manager.tidy(budget, full=bool(done.added and done.added == done.files))

    def rebuild(self, budget: Budget) -> None:
        """Begin again, because reading the index showed damage."""
        with Display(sys.stderr) as display:
            display.phase("the index is damaged: building it anew")
            self._manager.rebuild(budget)

    def freshen(self) -> None:
        """Nothing: a command ends with its answer."""


class CommandIndex:
    """One repository's index, for one command."""

    def __init__(self, services: Services, *, refresh: bool) -> None:
        """Compare the index with all files if that is asked for."""
        refresher = ForegroundRefresh(services.manager)
        self._repository = Repository(
            services.settings, services.sandbox, services.manager, refresher
        )
        self._index = OpenIndex(None, compared=False)
        self._budget = services.budget
        if refresh:
            refresher.ready(self._budget)

    @property
    def generation(self) -> int:
        """The generation that answered."""
        return self._index.generation

    @property
    def complete(self) -> bool:
        """Whether all files were in what answered."""
        return self._index.complete

    @property
    def warnings(self) -> list[str]:
        """What the index lacked, and what could not be done about it."""
        said = [warning.text for warning in self._index.warnings]
        lacking = self._index.lacking
        return said if lacking is None else [*said, _LACKING[lacking]]

    def answer(self, ask: Callable[[Snapshot], T], outdated: Callable[[T], Iterable[str]]) -> T:
        """The answer; when files changed that it is about, that of an index that knows of it."""
        repository, budget = self._repository, self._budget

        def find(index: OpenIndex) -> T:
            try:
                return ask(_snapshot_of(index))
            except CorruptIndexError:
                raise
            except IndexFormatError as error:
                raise Problem("index_unavailable", str(error)) from error

        answer, self._index = repository.ask(
            lambda index: repository.ask_current(find, outdated, index, COMMAND, budget),
            COMMAND,
            budget,
        )
        return answer

    def tidy(self) -> None:
        """Merge what has become many small pieces by this question, if nobody else is at it."""
        manager = self._repository.manager
        if self._index.updated and COMMAND.lock is not None and manager.is_free(COMMAND.lock):
            with suppress(Problem):  # the answer is there, and the next command tries again
                manager.tidy(self._budget)


def _snapshot_of(index: OpenIndex) -> Snapshot:
    if index.snapshot is None:
        raise Problem("index_unavailable", "it was removed meanwhile")
    return index.snapshot
