"""The index for a command: refreshed in the foreground, with visible progress."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Final, TypeVar

from code_graph.store.schema import GraphProgress
from index_format import CorruptIndexError, IndexFormatError, Snapshot
from repo_mcp.budget import Budget
from repo_mcp.cli.display import Display
from repo_mcp.cli.search.freshness import (
    CURRENT,
    UNKNOWN_AGE,
    WallClock,
    describe,
    freshen,
    wall_clock,
)
from repo_mcp.console import print_error
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.keeper import LinkedGraph
from repo_mcp.indexing.keep.listener import RunListener
from repo_mcp.indexing.keep.manager import Indexes
from repo_mcp.model import Progress
from repo_mcp.repository import COMMAND_WAIT, IndexGap, OpenIndex
from repo_mcp.services import Services
from repo_mcp.stored import IndexProgress

_INCOMPLETE: Final = (
    "not all files are indexed yet: `repo-mcp index` continues, unless another process is doing so"
    " already"
)
_GAPS: Final = {
    IndexGap.FILES: _INCOMPLETE,
    IndexGap.BUILD: _INCOMPLETE,
    IndexGap.DECLARATIONS: (
        "the declarations of some files are not indexed yet, and parts of their names not found:"
        " `repo-mcp index` continues"
    ),
}

# of more files, only those of an answer from the graph are compared with it
_COMPARED_FILES: Final = 100_000
# so many are read and linked without a word
_SILENT_FILES: Final = 20
# the declarations of more files take so long that the first answer does without them
MOST_PARSED_FILES: Final = 3_000

T = TypeVar("T")


class ForegroundRefresh:
    """Refreshes the index in the foreground, with a progress display."""

    failure = None

    def __init__(
        self,
        manager: Indexes,
        most_parsed: float = math.inf,
        most_linked: float = math.inf,
        *,
        needs_graph: bool = True,
    ) -> None:
        """A new index has no declarations yet if more than `most_parsed` files have some.

        A first graph of more than `most_linked` files is left to others. That another process is
        linking it is a `Problem` for those who need one.
        """
        self._manager = manager
        self._most_parsed = most_parsed
        self._most_linked = most_linked
        self._needs_graph = needs_graph
        # true if a comparison has found changes; true if files and index were compared
        self.has_changed = self._is_compared = False

    @property
    def has_walked(self) -> bool:
        """True if files and index have been compared for this command."""
        return self._is_compared

    def wait_until_ready(self, budget: Budget) -> None:
        """Refresh the index as `repo-mcp index` does, or its words only."""
        most = math.inf if self._manager.snapshot() else self._most_parsed
        with Display(sys.stderr) as display:
            display.phase("looking for changes")
            done = self._manager.refresh(budget, display, most_parsed=most)
            display.phase("merging")
            is_new = bool(done.added and done.added == done.files and not done.facts_left)
            self._manager.tidy(budget, full=is_new, free=True)
        self._is_compared = True

    def catch_up(self, budget: Budget) -> bool:
        """Compare files and index once, and bring one that is not too large up to date silently.

        If another process is writing, that one does it.
        """
        found = self._manager.snapshot()
        if found is None or found.file_count > _COMPARED_FILES:
            return self._is_compared
        return self.compare(budget)

    def compare(self, budget: Budget) -> bool:
        """The same of an index of any size."""
        if self._is_compared:
            return True
        try:
            self.has_changed = self.update(budget)
        except Problem as problem:
            if problem.code != "index_busy":
                raise
            return False
        self._is_compared = True
        return True

    def check_free(self) -> None:
        """Raise the `Problem` if another process is writing, for longer than a moment."""
        lock = COMMAND_WAIT.lock
        if lock is not None and not self._manager.is_free(lock):
            raise Problem("index_busy")

    def update(self, budget: Budget) -> bool:
        """Bring the index up to date; whether anything had changed.

        Raises the `Problem` if another process is writing.

        Declarations that a first answer went without stay for `repo-mcp index`.
        """
        self.check_free()
        found = self._manager.snapshot()
        most = math.inf if found is None or IndexProgress.of(found).deep else 0
        with Display(sys.stderr) as display:
            done = self._manager.refresh(budget, _LongRuns(display), most_parsed=most)
        return bool(done.added or done.updated or done.removed)

    def wait_until_linked(self, budget: Budget) -> bool:
        """Link the graph in the foreground, if it is behind; an older one does if that is busy."""
        manager = self._manager
        before, text = manager.graph(), manager.snapshot()
        if before.current:
            return True
        if text is not None and text.file_count > self._most_linked and not _is_whole(before):
            return False
        lock = COMMAND_WAIT.lock
        if lock is not None and not manager.graph_index.can_link(lock):
            return self._do_without(before)
        with Display(sys.stderr) as display:
            listener = _LongRuns(display)
            try:
                changed = manager.link(budget, listener)
                if changed:  # files were saved meanwhile
                    manager.refresh_paths(changed, budget, deep=True)
                    manager.link(budget, listener)
            except Problem as problem:
                if problem.code != "index_busy":
                    raise
                return self._do_without(before)
            except KeyboardInterrupt:
                linked, text = manager.graph().snapshot, manager.snapshot()
                if text is not None:
                    done = 0 if linked is None else linked.file_count
                    print_error(f"{done} of {text.file_count} files are linked")
                raise
        return manager.graph().current

    def _do_without(self, graph: LinkedGraph) -> bool:
        """False, as another process is linking: an older graph does, or none where none must be."""
        if graph.snapshot is None and self._needs_graph:
            raise Problem("index_busy")
        return False

    def relink(self) -> None:
        """Do nothing: the next command links."""

    def index_first(self, paths: Sequence[str], budget: Budget) -> None:
        """Do nothing: a command has waited for all files."""

    def rebuild(self, budget: Budget, file: str = "") -> None:
        """Rebuild a damaged index."""
        with Display(sys.stderr) as display:
            display.phase("the index is damaged: rebuilding it")
            self._manager.rebuild(budget, file=file)

    def freshen(self) -> None:
        """Do nothing: a command has no background work."""


def _is_whole(graph: LinkedGraph) -> bool:
    return graph.snapshot is not None and GraphProgress.of(graph.snapshot).complete


class _LongRuns(RunListener):
    """Shows the progress of a run that takes more than a moment."""

    def __init__(self, display: Display) -> None:
        self._display = display

    def on_progress(self, now: Progress) -> None:
        """Show it, if there are enough files."""
        if now.all_files > _SILENT_FILES:
            self._display.on_progress(now)


class CommandIndex:
    """One repository's index, for one command."""

    def __init__(
        self,
        services: Services,
        *,
        refresh: bool,
        stale_ok: bool = False,
        of_lines: bool = False,
        now: WallClock = wall_clock,
    ) -> None:
        """Refresh the index first if `refresh` is true; with `stale_ok`, take it as it is.

        Otherwise files and index are compared if that is quick. Questions `of_lines` need no
        declarations. Of packages those that were never asked are indexed.
        """
        self._of_lines = of_lines
        self._refresher = ForegroundRefresh(
            services.manager, math.inf if refresh else MOST_PARSED_FILES
        )
        self._repository = services.repository(self._refresher)
        self._index = OpenIndex(None, compared=False)
        self._budget = services.budget
        self._stale_ok = stale_ok or services.made_once
        self._now = now
        self._has_changed = False
        self._freshness = UNKNOWN_AGE
        found = services.manager.snapshot() if services.made_once else None
        if refresh or (found is not None and not IndexProgress.of(found).complete):
            self._refresher.wait_until_ready(self._budget)
            self._freshness = CURRENT
        elif not self._stale_ok:
            self._freshness = freshen(services.manager, self._budget, self._update)

    def _update(self) -> None:
        self._has_changed |= self._refresher.update(self._budget)

    def catch_up(self) -> bool:
        """Bring the index up to date, however long that takes; False if that is not possible."""
        try:
            self._refresher.check_free()
            self._refresher.wait_until_ready(self._budget)
        except Problem as problem:
            if problem.code == "cancelled":
                raise
            self._freshness = self._freshness._replace(problem=problem)
            return False
        self._freshness = CURRENT
        return True

    @property
    def is_current(self) -> bool:
        """True if the answer is from the current text of all files, or need not be."""
        return self._stale_ok or (self._freshness.compared and self._gap is None)

    @property
    def unindexed(self) -> Iterable[str]:
        """Files whose current text may not be indexed."""
        manager = self._repository.manager
        return self.differing or manager.pending_files(self._budget)

    @property
    def has_all_words(self) -> bool:
        """True if the index that answered lacks no file that it is asked about."""
        return self._gap is None

    @property
    def knows_changes(self) -> bool:
        """True if files and index were compared, so that `differing` has all that differ."""
        return self._freshness.compared or bool(self.differing)

    @property
    def differing(self) -> tuple[str, ...]:
        """Files that are known to differ from what is indexed, or may differ."""
        return (*self._freshness.changed, *self._freshness.unproved)

    @property
    def compared(self) -> bool:
        """True if files and index were compared for the answer."""
        return self._freshness.compared

    @property
    def generation(self) -> int:
        """The generation of the index that answered."""
        return self._index.generation

    @property
    def complete(self) -> bool:
        """True if the index that answered had all files."""
        return self._index.complete

    @property
    def warnings(self) -> list[str]:
        """Warnings about a stale or incomplete index."""
        texts = [warning.text for warning in self._index.warnings]
        gap = self._gap
        if gap is not None:
            return [*texts, _GAPS[gap]]
        age = "" if self._stale_ok else self._describe_age()
        return [*texts, age] if age else texts

    @property
    def _gap(self) -> IndexGap | None:
        """The gap of the answer: parts that may be missing."""
        gap = self._index.gap
        return None if gap is IndexGap.DECLARATIONS and self._of_lines else gap

    def _describe_age(self) -> str:
        return describe(self._freshness, self._repository.manager.state().last_refresh, self._now)

    def answer(self, ask: Callable[[Snapshot], T], outdated: Callable[[T], Iterable[str]]) -> T:
        """The answer; asks again after an update if files in the answer have changed."""
        repository, budget = self._repository, self._budget

        def find(index: OpenIndex) -> T:
            try:
                return ask(_snapshot_of(index))
            except CorruptIndexError:
                raise
            except IndexFormatError as error:
                raise Problem("index_unavailable", str(error)) from error

        answer, self._index = repository.run_query(
            lambda index: repository.run_fresh_query(find, outdated, index, COMMAND_WAIT, budget),
            COMMAND_WAIT,
            budget,
        )
        return answer

    def tidy(self) -> None:
        """Copy the rest of a published index, and merge segments after an update.

        Nothing is merged while another process is writing.
        """
        manager = self._repository.manager
        if manager.copies:
            from repo_mcp.cli.state.published import copy_rest  # noqa: PLC0415 most need no copy

            with Display(sys.stderr) as display:
                copy_rest(manager, self._budget, display)
        lock = COMMAND_WAIT.lock
        changed = self._index.updated or self._has_changed
        if changed and lock is not None and manager.is_free(lock):
            with suppress(Problem):  # the answer is printed, and the next command tries again
                manager.tidy(self._budget)


def _snapshot_of(index: OpenIndex) -> Snapshot:
    if index.snapshot is None:
        raise Problem("index_unavailable", "the index was removed meanwhile")
    return index.snapshot
