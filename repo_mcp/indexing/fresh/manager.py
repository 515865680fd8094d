"""Keeps the index of one repository: opens it, refreshes it, rebuilds it when it is of no use."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import xxhash

from index_format import (
    CorruptIndexError,
    Index,
    IndexBusyError,
    IndexFormatError,
    IndexMissingError,
    InvalidInputError,
    Snapshot,
    StoreError,
    UnsupportedVersionError,
)
from repo_mcp import side_files
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.build import chunking
from repo_mcp.indexing.build.merging import compact
from repo_mcp.indexing.build.pool import Pool
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.fresh import origin, statcache
from repo_mcp.indexing.fresh.refresh import Refresh, RunContext, follow
from repo_mcp.indexing.fresh.statcache import StatCache
from repo_mcp.indexing.fresh.write_queue import Counts, Turns
from repo_mcp.indexing.walk import file_types
from repo_mcp.indexing.walk.walk import Candidate, Discovery, Selection, WalkedFile
from repo_mcp.languages.facts import wire
from repo_mcp.languages.registry import Languages
from repo_mcp.model import IndexState, Progress, RefreshResult, Settings
from repo_mcp.safety import denylist
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import INDEX_FOLDER, SCHEMA, IndexProgress
from repo_mcp.text import counting

if TYPE_CHECKING:  # a healthy index does without
    from index_format import Finding

_LOCK_WAIT: Final = 10.0
_MOST_WORKERS: Final = 8
# a reader that finds a file gone reads the newer manifest; this spares it the trouble
_GRACE: Final = 5.0
# marks the settings of an index of all that is text
_ANY_NAME: Final = "any name"
_USELESS: Final = (CorruptIndexError, UnsupportedVersionError)

Tell = Callable[[Progress], None]


class IndexManager:
    """The index and how to bring it up to date; safe to use from several threads."""

    def __init__(self, settings: Settings, sandbox: Sandbox) -> None:
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
        self._wanted = _signature(settings, self._languages)
        self._store = self._recipe.store()
        self._folder = os.path.join(settings.data_dir, INDEX_FOLDER)
        self._open: Snapshot | None = None
        self._writing = self._index()  # its settings say how far a run has come
        self._turns = Turns()
        self._pool = Pool(self._recipe, self._workers())
        self._remembered: StatCache | None = None

    @property
    def languages(self) -> Languages:
        """The languages of this repository, as its settings choose them."""
        return self._languages

    def snapshot(self) -> Snapshot | None:
        """The current generation; None when there is none that fits these settings."""
        try:
            self._check_folder()
            found = self._index().snapshot(self._open)
        except (IndexMissingError, *_USELESS):
            return None
        except IndexFormatError as error:
            raise problem_of(error) from error
        if not origin.is_ours(self._settings.data_dir, self._folder):
            return None
        if found.schema != SCHEMA or IndexProgress.of(found).signature != self._wanted:
            return None
        self._open = found
        return found

    def state(self) -> IndexState:
        """The index as it stands now."""
        found = self.snapshot()
        progress, elsewhere = self._turns.progress, self._turns.elsewhere
        if found is None:
            return IndexState("missing", 0, 0, "", progress=progress, elsewhere=elsewhere)
        reached = IndexProgress.of(found)
        return IndexState(
            "ready" if reached.complete else "partial",
            found.generation,
            found.file_count,
            read(self._settings.data_dir),
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
        awaited = self._turns.awaited
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

        return self._run(budget, work, tell, None if patient else _LOCK_WAIT)

    def so_far(self) -> RefreshResult | None:
        """What the run under way has published; None while there is nothing."""
        told = self._turns.so_far
        return None if told is None else self._refreshed(*told, seconds=0.0)

    def refresh_paths(self, paths: Sequence[str], budget: Budget, *, deep: bool) -> RefreshResult:
        """Bring single files up to date; without `deep` their words only."""
        return self._run(
            budget,
            lambda run: run.run_paths(self._discovery(), paths, deep=deep),
            None,
            _LOCK_WAIT,
        )

    def tidy(self, budget: Budget, *, full: bool = False) -> int:
        """Merge segments where that pays; gives how many steps were taken."""
        damaged = False
        steps = 0
        with self._turn(budget), explained():
            try:
                steps = self._merged(budget, full=full)
            except CorruptIndexError:  # damage that nothing else read
                self._drop()
                damaged = True
        if damaged:
            self.refresh(budget)
        return steps

    def _merged(self, budget: Budget, *, full: bool) -> int:
        index = self._index()
        self._pool.refresh()
        try:
            steps = compact(index, self._pool, budget, full=full)
        except IndexMissingError:
            return 0
        if steps and self._remembered is not None:
            follow(self._remembered, index.snapshot())
            statcache.save(self._settings.data_dir, self._remembered)
        if self.snapshot() is not None:
            # who asked for all of it waits for it; readers that are late read the manifest again
            index.collect_garbage(grace_seconds=0.0 if full else _GRACE)
        return steps

    def check(self) -> Iterator[Finding]:
        """Read and verify all of the index."""
        from index_format import check  # noqa: PLC0415 rarely asked for

        return check(self._store)

    def repair(self, budget: Budget, tell: Tell | None = None) -> RefreshResult:
        """Heal the index, then read again what was lost."""
        from index_format import repair  # noqa: PLC0415 rarely asked for

        with self._turn(budget), explained():
            self._begin()
            try:
                again = repair(self._store, fallback=SCHEMA).again
            except UnsupportedVersionError:
                self._drop()
                again = ()
            statcache.forget(self._settings.data_dir)
            self._remembered = None
        if again:
            self.refresh_paths(again, budget, deep=False)
        return self.refresh(budget, tell=tell)

    def dump(self, name: str | None, section: str | None, limit: int) -> Iterator[str]:
        """What a file of the index holds; without a name, which files there are."""
        from index_format import dump  # noqa: PLC0415 rarely asked for

        with explained():
            if name is None:
                yield from sorted(self._store.names())
            else:
                try:
                    yield from dump(self._store, name, section, limit)
                except InvalidInputError as error:
                    raise Problem("argument_invalid", str(error)) from error

    def rebuild(self, budget: Budget) -> RefreshResult:
        """Begin again, because reading the index showed damage."""
        with self._turn(budget), explained():
            self._drop()
        return self.refresh(budget)

    @contextmanager
    def _turn(self, budget: Budget) -> Iterator[None]:
        """One refresh at a time; who was cancelled, or has no time left, stops waiting."""
        self._check_folder()
        with self._turns.take(budget):
            yield

    def _check_folder(self) -> None:
        """Use no folder that a link of the repository leads to."""
        folder = self._folder
        above = self._settings.root + os.sep
        while os.path.islink(folder) is False:
            folder = os.path.dirname(folder)
            if not folder.startswith(above):
                return
        raise Problem("data_link")

    def _run(
        self,
        budget: Budget,
        work: Callable[[Refresh], Counts],
        tell: Tell | None,
        wait: float | None,
    ) -> RefreshResult:
        started = time.monotonic()
        with self._turn(budget), explained():
            self._begin()
            self._drop_useless()
            try:
                counts = self._worked(work, budget, tell, wait)
            except CorruptIndexError:  # damage that shows only when all of it is read
                self._drop()
                counts = self._worked(work, budget, tell, wait)
            timestamp = now()
            write(self._settings.data_dir, timestamp)
            self._open = self._writing.snapshot(self._open)
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
            self._turns.waited,
        )

    def rest(self) -> None:
        """Let go of what only another refresh soon would need."""
        self._pool.rest()

    def close(self) -> None:
        """End the workers that are kept."""
        self._pool.close()

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
        turns = self._turns

        def progress(now: Progress) -> None:
            turns.tell_progress(now)
            if tell is not None:
                tell(now)

        return RunContext(
            self._writing,
            self._recipe,
            self._sandbox,
            self._languages,
            self._wanted,
            self._pool,
            self._workers(),
            progress,
            turns.tell_awaited,
            self._published,
            lambda: turns.writer(self._writing, budget, self._open, wait),
        )

    def _published(self, counts: Counts) -> None:
        """All words are searchable from the first complete publication on: that is a refresh."""
        data = self._settings.data_dir
        told, timestamp = self._turns.so_far, now()
        if told is None:  # nothing of this run is published yet
            timestamp = read(data)
        elif counts.complete and not told[0].complete:
            write(data, timestamp)
        self._turns.tell_published(counts, timestamp)

    def _workers(self) -> int:
        return self._settings.workers or min(os.cpu_count() or 1, _MOST_WORKERS)

    def _discovery(self) -> Discovery:
        return Discovery(self._sandbox, self._selection)

    def _index(self) -> Index:
        return Index(self._store, SCHEMA, settings=self._wanted)

    def _drop_useless(self) -> None:
        """Remove an index that is damaged, of another version or of other fields."""
        try:
            if self._index().snapshot(self._open).schema != SCHEMA:
                self._drop()
        except IndexMissingError:
            return
        except _USELESS:
            self._drop()

    def _begin(self) -> None:
        """Make room, and remove an index that did not grow here."""
        data = self._settings.data_dir
        if not os.path.isdir(self._settings.root):
            raise Problem("index_unavailable", "the repository's folder is gone")
        side_files.prepare(data)
        if not origin.is_ours(data, self._folder):
            self._open = None
            with self._store.lock(_LOCK_WAIT):
                if not origin.is_ours(data, self._folder):  # nobody else was quicker
                    self._remove_all()
                    origin.claim(data, self._folder)

    def _drop(self) -> None:
        self._open = None
        with self._store.lock(_LOCK_WAIT):
            self._remove_all()

    def _remove_all(self) -> None:
        for name in self._store.names():
            self._store.remove(name)


def _signature(settings: Settings, languages: Languages) -> str:
    """What decides which documents an index holds and which terms they have."""
    parts = [
        counting.VERSION,
        chunking.VERSION,
        wire.VERSION,
        asdict(settings.windows),
        languages.signature(),
        denylist.signature(),
        file_types.signature(),
        settings.limits.max_file_bytes,
        sorted(settings.include_extensions),
        sorted(settings.exclude_globs),
        sorted(settings.deny_globs),
        settings.allow_hardlinks,
        *([_ANY_NAME] if settings.any_name else []),
    ]
    return xxhash.xxh3_128_hexdigest(json.dumps(parts).encode())


_MOST_SAID: Final = 200


@contextmanager
def explained() -> Iterator[None]:
    """Turn what the disk or the index says into an answer."""
    try:
        yield
    except (OSError, IndexFormatError) as error:
        raise problem_of(error) from error


def problem_of(error: Exception) -> Problem:
    """What to answer to an error of the disk or the index."""
    if isinstance(error, IndexBusyError):
        return Problem("index_busy")
    said = type(error).__name__
    if isinstance(error, OSError):
        said = error.strerror or said
    elif isinstance(error, StoreError):  # it names files of the index only
        said = str(error)
    return Problem("index_unavailable", said[:_MOST_SAID])


_NAME: Final = "refresh.json"


def now() -> str:
    """The time of day, as it is shown."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def write(data_dir: str, timestamp: str) -> None:
    """Remember when the index was last brought up to date, if that can be written."""
    with suppress(OSError):
        side_files.put(data_dir, _NAME, json.dumps({"timestamp": timestamp}).encode())


def read(data_dir: str) -> str:
    """When that was; empty when it is not known."""
    with suppress(OSError, ValueError, AttributeError, RecursionError):
        return _checked(json.loads(side_files.get(data_dir, _NAME)).get("timestamp"))
    return ""


def _checked(found: object) -> str:
    """Only what is a time is passed on: the file may have come with the repository."""
    if not isinstance(found, str):
        return ""
    return datetime.fromisoformat(found).isoformat(timespec="seconds").replace("+00:00", "Z")
