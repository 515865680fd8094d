"""Refreshes, merges, checks and repairs the index of one repository, one writer at a time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from index_format import (
    CorruptIndexError,
    IndexBusyError,
    IndexFormatError,
    IndexMissingError,
    InvalidInputError,
    Snapshot,
    UnsupportedVersionError,
)
from repo_mcp.budget import Budget, Clock
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.merging import compact
from repo_mcp.indexing.build.pool import Pool
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.fresh import statcache
from repo_mcp.indexing.fresh.refresh import Refresh, RunContext
from repo_mcp.indexing.fresh.statcache import StatCache
from repo_mcp.indexing.fresh.stored_index import StoredIndex, now, problems, signature_of
from repo_mcp.indexing.fresh.write_queue import Counts, WriteQueue
from repo_mcp.indexing.walk.walk import Candidate, Discovery, Selection, WalkedFile
from repo_mcp.languages import Languages
from repo_mcp.model import IndexState, Progress, RefreshResult, Settings
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import SCHEMA, IndexProgress

if TYPE_CHECKING:  # a healthy index does without
    from index_format import Finding

# so long another process that writes is waited for by who is not patient
_WRITER_WAIT: Final = 10.0
_MOST_WORKERS: Final = 8
# a reader that finds a file gone reads the newer manifest; this spares it the trouble
_GRACE: Final = 5.0

Tell = Callable[[Progress], None]


class IndexManager:
    """The index and how to bring it up to date; safe to use from several threads."""

    def __init__(self, settings: Settings, sandbox: Sandbox, clock: Clock = time.monotonic) -> None:
        """Say where; nothing is read or written yet."""
        self._settings = settings
        self._sandbox = sandbox
        self._recipe = Recipe.of(settings)
        self._languages = Languages(settings.languages)
        self._selection = Selection(
            settings.limits.max_file_bytes,
            settings.include_extensions,
            settings.exclude_globs,
            settings.any_name,
        )
        self._signature = signature_of(settings, self._languages)
        self._store = self._recipe.store(clock)
        self._stored = StoredIndex(settings, self._store, self._signature)
        self._writing = self._stored.index()  # its settings say how far a run has come
        self._queue = WriteQueue()
        self._pool = Pool(self._recipe, self._workers())
        self._remembered: StatCache | None = None

    @property
    def languages(self) -> Languages:
        """The languages of this repository, as its settings choose them."""
        return self._languages

    def snapshot(self) -> Snapshot | None:
        """The current generation; None when there is none that fits these settings."""
        return self._stored.snapshot()

    def state(self) -> IndexState:
        """The index as it stands now."""
        found = self.snapshot()
        progress, elsewhere = self._queue.progress, self._queue.elsewhere
        if found is None:
            return IndexState("missing", 0, 0, "", progress=progress, elsewhere=elsewhere)
        reached = IndexProgress.of(found)
        return IndexState(
            "ready" if reached.complete else "partial",
            found.generation,
            found.file_count,
            self._stored.last_refresh(),
            shallow=not reached.deep,
            progress=progress,
            elsewhere=elsewhere,
        )

    def files(self, budget: Budget) -> Iterator[WalkedFile]:
        """The files that belong into the index, as they are now."""
        return self._discovery().files(budget)

    def listed(self, folder: str, budget: Budget) -> Iterator[Candidate]:
        """What lies below a folder (the root is ""), and of each why it is not indexed."""
        walk = self._discovery()
        return walk.below(folder, budget) if folder else walk.candidates(budget)

    def awaited(self, budget: Budget) -> Iterator[str]:
        """Files that may not be indexed yet: those a run is at, else all there are."""
        awaited = self._queue.awaited
        if awaited is not None:
            yield from awaited
        else:
            yield from (file.path for file in self.files(budget))

    def refresh(
        self,
        budget: Budget,
        *,
        force: bool = False,
        deep: bool = True,
        tell: Tell | None = None,
        patient: bool = False,
    ) -> RefreshResult:
        """Bring the index up to date; `force` makes every document anew.

        Without `deep`, where there is much to do only words are indexed; the next refresh goes on.
        Who is `patient` waits for another process that writes as long as the budget lasts.
        """

        def work(run: Refresh) -> Counts:
            return run.run(self._discovery(), force=force, deep=deep)

        return self._run(budget, work, tell, None if patient else _WRITER_WAIT)

    def so_far(self) -> RefreshResult | None:
        """What the run under way has published; None while there is nothing."""
        told = self._queue.so_far
        return None if told is None else self._refreshed(*told, seconds=0.0)

    def refresh_paths(self, paths: Sequence[str], budget: Budget, *, deep: bool) -> RefreshResult:
        """Bring single files up to date; without `deep` their words only."""
        return self._run(
            budget,
            lambda run: run.run_paths(self._discovery(), paths, deep=deep),
            None,
            _WRITER_WAIT,
        )

    def tidy(self, budget: Budget, *, full: bool = False) -> int:
        """Merge segments where that pays; gives how many steps were taken."""
        damaged = False
        steps = 0
        with self._turn(budget), problems():
            try:
                steps = self._merged(budget, full=full)
            except CorruptIndexError:  # damage that nothing else read
                self._stored.drop()
                damaged = True
        if damaged:
            self.refresh(budget)
        return steps

    def check(self) -> Iterator[Finding]:
        """Read and verify all of the index."""
        from index_format import check  # noqa: PLC0415 rarely asked for

        return check(self._store)

    def repair(self, budget: Budget, tell: Tell | None = None) -> RefreshResult:
        """Heal the index, then read again what was lost."""
        from index_format import repair  # noqa: PLC0415 rarely asked for

        with self._turn(budget), problems():
            self._stored.prepare()
            try:
                again = repair(self._store, fallback=SCHEMA).again
            except UnsupportedVersionError:
                self._stored.drop()
                again = ()
            statcache.forget(self._settings.data_dir)
            self._remembered = None
        if again:
            self.refresh_paths(again, budget, deep=False)
        return self.refresh(budget, tell=tell)

    def dump(self, name: str | None, section: str | None, limit: int) -> Iterator[str]:
        """What a file of the index holds; without a name, which files there are."""
        from index_format import dump  # noqa: PLC0415 rarely asked for

        with problems():
            if name is None:
                yield from sorted(self._store.names())
            else:
                try:
                    yield from dump(self._store, name, section, limit)
                except InvalidInputError as error:
                    raise Problem("argument_invalid", str(error)) from error

    def rebuild(self, budget: Budget) -> RefreshResult:
        """Begin again, because reading the index showed damage."""
        with self._turn(budget), problems():
            self._stored.drop()
        return self.refresh(budget)

    def is_free(self, seconds: float) -> bool:
        """Whether the index can be written to so soon; a refresh would wait longer for that."""
        try:
            # by the system's clock: a wait this short is no budget
            with self._recipe.store().lock(seconds):
                return True
        except IndexBusyError:
            return False
        except (OSError, IndexFormatError):  # a refresh meets it again, and says what it is
            return True

    def rest(self) -> None:
        """Let go of what only another refresh soon would need."""
        self._pool.rest()

    def close(self) -> None:
        """End the workers that are kept."""
        self._pool.close()

    @contextmanager
    def _turn(self, budget: Budget) -> Iterator[None]:
        """One refresh at a time; who was cancelled, or has no time left, stops waiting."""
        self._stored.check_folder()
        with self._queue.take(budget):
            yield

    def _run(
        self,
        budget: Budget,
        work: Callable[[Refresh], Counts],
        tell: Tell | None,
        wait: float | None,
    ) -> RefreshResult:
        started = time.monotonic()
        with self._turn(budget), problems():
            self._stored.prepare()
            self._stored.drop_useless()
            try:
                counts = self._worked(work, budget, tell, wait)
            except CorruptIndexError:  # damage that shows only when all of it is read
                self._stored.drop()
                counts = self._worked(work, budget, tell, wait)
            timestamp = now()
            self._stored.set_last_refresh(timestamp)
            self._stored.latest = self._writing.snapshot(self._stored.latest)
        return self._refreshed(counts, timestamp, seconds=time.monotonic() - started)

    def _refreshed(self, counts: Counts, timestamp: str, *, seconds: float) -> RefreshResult:
        found = self.snapshot()
        return RefreshResult(
            counts.added,
            counts.updated,
            counts.removed,
            0 if found is None else found.file_count,
            seconds,
            timestamp,
            counts.complete and counts.deep,
            dict(counts.left_out),
            counts.words_left,
            counts.facts_left,
            self._queue.waited,
        )

    def _worked(
        self,
        work: Callable[[Refresh], Counts],
        budget: Budget,
        tell: Tell | None,
        wait: float | None,
    ) -> Counts:
        remembered, self._remembered = self._remembered, None
        run = Refresh(self._means(budget, tell, wait), budget, remembered)
        counts = work(run)
        self._remembered = run.cache
        if run.gave_up:  # what is denied now must not even lie on the disk
            self._writing.collect_garbage(grace_seconds=0)
        return counts

    def _means(self, budget: Budget, tell: Tell | None, wait: float | None) -> RunContext:
        queue = self._queue

        def progress(now: Progress) -> None:
            queue.tell_progress(now)
            if tell is not None:
                tell(now)

        return RunContext(
            self._writing,
            self._recipe,
            self._sandbox,
            self._languages,
            self._signature,
            self._pool,
            self._workers(),
            progress,
            queue.tell_awaited,
            self._published,
            lambda: queue.writer(self._writing, budget, self._stored.latest, wait),
        )

    def _merged(self, budget: Budget, *, full: bool) -> int:
        index = self._stored.index()
        self._pool.refresh()
        try:
            steps = compact(index, self._pool, budget, full=full)
        except IndexMissingError:
            return 0
        if steps and self._remembered is not None:
            statcache.follow(self._remembered, index.snapshot())
            statcache.save(self._settings.data_dir, self._remembered)
        if self.snapshot() is not None:
            # who asked for all of it waits for it; readers that are late read the manifest again
            index.collect_garbage(grace_seconds=0.0 if full else _GRACE)
        return steps

    def _published(self, counts: Counts) -> None:
        """All words are searchable from the first complete publication on: that is a refresh."""
        published, timestamp = self._queue.so_far, now()
        if published is None:  # nothing of this run is published yet
            timestamp = self._stored.last_refresh()
        elif counts.complete and not published[0].complete:
            self._stored.set_last_refresh(timestamp)
        self._queue.tell_published(counts, timestamp)

    def _workers(self) -> int:
        return self._settings.workers or min(os.cpu_count() or 1, _MOST_WORKERS)

    def _discovery(self) -> Discovery:
        return Discovery(self._sandbox, self._selection)
