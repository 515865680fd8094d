"""One root open for questions: a snapshot to answer from, waited for, rebuilt, updated."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final, Protocol, TypeVar

from index_format import CorruptIndexError
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.fresh.manager import IndexManager
from repo_mcp.indexing.walk.walk import Discovery, Selection
from repo_mcp.languages import Languages
from repo_mcp.model import AnswerWarning, Progress, Settings
from repo_mcp.repository.open_index import OpenIndex, Patience
from repo_mcp.repository.reading import FileContent, read, with_near_paths
from repo_mcp.safety.sandbox import Sandbox

T = TypeVar("T")
_REBUILT: Final = AnswerWarning("rebuilt", "the index was damaged, and has been built anew")


class Refresher(Protocol):
    """Brings the index up to date: in the background, or while a person watches."""

    @property
    def has_walked(self) -> bool:
        """Whether files and index were compared since this process began."""
        ...

    @property
    def failure(self) -> Problem | None:
        """Why the last refresh failed, if it did."""
        ...

    def ready(self, budget: Budget) -> None:
        """Wait until all words can be searched, no longer than the budget lasts."""
        ...

    def rebuild(self, budget: Budget) -> None:
        """Begin the index again, because reading it showed damage."""
        ...

    def freshen(self) -> None:
        """Compare files and index soon, if that was not done just now; returns at once."""
        ...


class Repository:
    """Settings, sandbox and index of one root; for any number of threads.

    `sandbox` is what opens files that a client names.
    """

    def __init__(
        self, settings: Settings, sandbox: Sandbox, manager: IndexManager, refresher: Refresher
    ) -> None:
        self.settings = settings
        self.sandbox = sandbox
        self.manager = manager
        self._refresher = refresher

    def ask(self, answer: Callable[[OpenIndex], T], patience: Patience, budget: Budget) -> T:
        """What `answer` makes of the index; of a damaged one, once more after it is rebuilt."""
        index = self.open(patience, budget)
        try:
            return answer(index)
        except CorruptIndexError:
            limit = budget if patience.rebuild is None else budget.within(patience.rebuild)
            self._refresher.rebuild(limit)
            warnings = (*index.warnings, _REBUILT)
            return answer(replace(self.now(), unbuilt=index.unbuilt, warnings=warnings))
        finally:  # not before: it would take its time from the answer
            self._refresher.freshen()

    def ask_current(
        self,
        find: Callable[[OpenIndex], T],
        stale: Callable[[T], Iterable[str]],
        index: OpenIndex,
        patience: Patience,
        budget: Budget,
    ) -> tuple[T, OpenIndex]:
        """What is found in the index, and the index; once more where `stale` files are found."""
        found = find(index)
        changed = sorted(set(stale(found)))
        if not changed:
            return found, index
        problem = self.update(changed, patience, budget)
        if problem is not None:
            text = f"changed files were not indexed again: {problem.reason}"
            warning = AnswerWarning("not_updated", text)
            return found, replace(index, warnings=(*index.warnings, warning))
        again = self.now()
        if index.complete and not again.complete:  # it was damaged, and begun anew with these files
            again = self.awaited(patience, budget.within(patience.first))
        again = replace(again, updated=True, warnings=index.warnings)
        return find(again), again

    def open(self, patience: Patience, budget: Budget) -> OpenIndex:
        """The index; where it is not good enough, waited for.

        One look at the disk where nothing is left to wait for, as most questions find it.
        """
        index = self.now()
        seconds = patience.seconds(index)
        return index if seconds is None else self.awaited(patience, budget.within(seconds))

    def now(self) -> OpenIndex:
        """The index as it is now."""
        # asked before: a comparison that ends meanwhile is not one with this generation
        compared, failure = self._refresher.has_walked, self._refresher.failure
        return OpenIndex(self.manager.snapshot(), compared, failure)

    def awaited(self, patience: Patience, budget: Budget) -> OpenIndex:
        """The index once all words are in it, or as it is when the time is up."""
        try:
            self._refresher.ready(budget)
        except Problem as problem:
            if problem.code == "cancelled":
                raise
            index = replace(self.now(), unbuilt=True)
            busy = problem.code == "index_busy" and index.snapshot is not None
            if patience.needs_index and not busy:
                raise
            return index
        return self.now()

    def update(self, paths: Iterable[str], patience: Patience, budget: Budget) -> Problem | None:
        """Index these files anew; gives why that can't be done, if it can't."""
        manager = self.manager
        locked = patience.lock is not None and not manager.is_free(patience.lock)
        if locked or manager.state().elsewhere:
            return Problem("index_busy")
        try:
            manager.refresh_paths(sorted(set(paths)), budget.within(patience.update), deep=True)
        except Problem as problem:
            if problem.code == "cancelled":
                raise
            return problem
        return None

    def read(self, path: str, budget: Budget) -> FileContent:
        """The file of this path; where there is none, the `Problem` names paths like it."""
        try:
            return read(self.sandbox, path)
        except Problem as problem:
            if problem.code != "not_found":
                raise
            raise with_near_paths(problem, path, self.manager.snapshot(), budget) from None

    @property
    def languages(self) -> Languages:
        """The languages of the repository, as it chooses them."""
        return self.manager.languages

    @property
    def progress(self) -> Progress | None:
        """How far a run has come; None while there is none."""
        return self.manager.state().progress

    def discovery(self) -> Discovery:
        """A walk that says of every path why it is not indexed."""
        settings = self.settings
        selection = Selection(
            settings.limits.max_file_bytes,
            settings.include_extensions,
            settings.exclude_globs,
            settings.any_name,
        )
        return Discovery(self.sandbox, selection)
