"""The index as a search finds it: built where there is none, brought up to date where it is not."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from index_format import CorruptIndexError, IndexBusyError, IndexFormatError, Snapshot
from repo_mcp.app import Services
from repo_mcp.cli.display import Display
from repo_mcp.cli.search.style import Answer, Ask
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.recipe import Recipe

# how long another process may keep the index to itself before a search goes on with what is there
_LOCK_WAIT: Final = 0.5
_INCOMPLETE: Final = (
    "not all files are indexed yet: `repo-mcp index` goes on with it, unless another process is at"
    " it already"
)
_SHALLOW: Final = "what some files declare is not indexed yet: `repo-mcp index` goes on with it"


class OpenIndex:
    """One repository's index, for one search."""

    def __init__(self, services: Services, *, refresh: bool) -> None:
        """Build the index if there is none, compare it with all files if that is asked for."""
        self._manager = services.manager
        self._budget = services.budget
        self._store = Recipe.of(services.settings).store()
        self._outgrown = False
        self._happened: list[str] = []
        self._lacking: list[str] = []
        self.complete = False
        found = None if refresh else self._opened()
        if found is None:
            self._bring_up_to_date(refresh=refresh)
            found = self._reopened()
        self.snapshot = found

    @property
    def warnings(self) -> list[str]:
        """What the index lacks, and what could not be done about it."""
        return [*self._happened, *self._lacking]

    def answer(self, ask: Ask) -> Answer:
        """The answer; when files changed that it is about, that of an index that knows of it."""
        answer = self._asked(ask)
        was_complete = self.complete
        if answer.outdated and self._follow(answer.outdated):
            self.snapshot = self._reopened()
            if was_complete and not self.complete:  # it was damaged, and begun anew with these
                self._bring_up_to_date(refresh=True)
                self.snapshot = self._reopened()
            answer = self._asked(ask)
        return answer

    def tidy(self) -> None:
        """Merge what has become many small pieces by this search, if nobody else is at it."""
        if self._outgrown and self._is_free():
            with suppress(Problem):  # the search is done, and the next one tries again
                self._manager.tidy(self._budget)

    def _asked(self, ask: Ask) -> Answer:
        try:
            return self._answered(ask)
        except CorruptIndexError:
            self._happened.append("the index was damaged, and has been built anew")
            with Display(sys.stderr) as display:
                display.phase("the index is damaged: building it anew")
                self._manager.rebuild(self._budget)
            self.snapshot = self._reopened()
        return self._answered(ask)

    def _answered(self, ask: Ask) -> Answer:
        try:
            return ask(self.snapshot)
        except CorruptIndexError:
            raise
        except IndexFormatError as error:
            raise Problem("index_unavailable", str(error)) from error

    def _bring_up_to_date(self, *, refresh: bool) -> None:
        """What `repo-mcp index` does; what another process is building will do where none was."""
        try:
            with Display(sys.stderr) as display:
                display.phase("looking for changes")
                done = self._manager.refresh(self._budget, tell=display.show)
                display.phase("merging")
                self._manager.tidy(self._budget, full=bool(done.added and done.added == done.files))
        except Problem as problem:
            if refresh or problem.code != "index_busy":
                raise
            if self._opened() is None:
                raise

    def _reopened(self) -> Snapshot:
        """The index after a change."""
        found = self._opened()
        if found is None:
            raise Problem("index_unavailable", "it was removed meanwhile")
        return found

    def _opened(self) -> Snapshot | None:
        """The current generation, if there is one, and how complete it is."""
        # asked before: an index that is completed meanwhile must not make a part look whole
        state = self._manager.state()
        found = self._manager.snapshot()
        self.complete = state.status == "ready"
        self._lacking = [_SHALLOW] if state.shallow else []
        if not self.complete:
            self._lacking = [_INCOMPLETE]
        return found

    def _follow(self, paths: Sequence[str]) -> bool:
        """Bring these files up to date; where that can't be done, say why."""
        try:
            if not self._is_free():
                raise Problem("index_busy")  # noqa: TRY301 it is told like what the manager says
            self._manager.refresh_paths(paths, self._budget, deep=True)
        except Problem as problem:
            self._happened.append(f"changed files were not indexed again: {problem.reason}")
            return False
        self._outgrown = True
        return True

    def _is_free(self) -> bool:
        """Whether the index can be written to soon; the manager would wait longer for that."""
        try:
            with self._store.lock(_LOCK_WAIT):
                return True
        except IndexBusyError:
            return False
        except (OSError, IndexFormatError):  # the manager meets it again, and says what it is
            return True
