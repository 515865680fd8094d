"""Brings an index up to date: what changed is indexed anew, what is gone removed, all else left.

Much work is done in two rounds: first all words, so that everything can be searched soon, then the
facts that parsers find. What is done is published now and then; a run that is ended loses what it
was at and nothing more.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import Final

from index_format import Index, IndexWriter, Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.builder import INDEXED, SAME, Built, FileResult, FileTask
from repo_mcp.indexing.build.pool import Pool
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.build.tasks import CRASHED, BuildTask, ProgressStep, build_tasks
from repo_mcp.indexing.fresh import statcache
from repo_mcp.indexing.fresh.changes import Changes, agreed, compare, indexed, settled
from repo_mcp.indexing.fresh.statcache import NO_FINGERPRINT, UNKNOWN, CachedStat, StatCache
from repo_mcp.indexing.fresh.write_queue import Counts
from repo_mcp.indexing.walk.walk import Discovery
from repo_mcp.languages import Languages
from repo_mcp.model import Progress
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import IndexProgress

# the round in which all words can be searched already
SYMBOLS: Final = "symbols"
_PUBLISH_SECONDS: Final = 5.0
# as much as this is indexed in this process, and in one round
_ALONE_FILES: Final = 64
_ALONE_BYTES: Final = 1 << 20
_ONE_ROUND_BYTES: Final = 24 << 20


@dataclass(frozen=True, slots=True)
class RunContext:
    """What a run works with; `signature` is of the settings that documents depend on."""

    index: Index
    recipe: Recipe
    sandbox: Sandbox
    languages: Languages
    signature: str
    pool: Pool
    workers: int
    progress: Callable[[Progress], None]
    # hears which files are to be looked into, once that is known
    awaiting: Callable[[Sequence[str]], None]
    # hears what was done and published so far
    published: Callable[[Counts], None]
    # holds the index's lock for as long as the run takes
    writer: Callable[[], AbstractContextManager[IndexWriter]]


class Refresh:
    """One run under the index's lock."""

    def __init__(
        self, means: RunContext, budget: Budget, remembered: StatCache | None = None
    ) -> None:
        """Take the means, and what the last run of this process remembered; nothing is read yet."""
        self._means = means
        self._index = means.index
        self._budget = budget
        self._remembered = remembered
        self._cache = StatCache(means.signature)
        self._counts: Counter[str] = Counter()
        self._left_out: Counter[str] = Counter()
        self._started = time.monotonic()
        self._published = budget.clock()
        self._looked_at = time.time_ns()
        self._stored: IndexProgress | None = None
        self._gave_up = False
        self._given_up: set[str] = set()
        self._unread: set[str] = set()
        self._unparsed: set[str] = set()

    @property
    def gave_up(self) -> bool:
        """Whether documents that other settings let in were removed."""
        return self._gave_up

    @property
    def cache(self) -> StatCache:
        """What to give to the next run, once this one has come to its end."""
        return self._cache

    def run(self, discovery: Discovery, *, force: bool, deep: bool) -> Counts:
        """Walk, compare, change, publish; without `deep`, words only where there is much."""
        with self._means.writer() as writer:
            self._begin(writer)
            if force:
                statcache.read_again(self._cache)
            changes = compare(discovery.files(self._budget), self._cache.files)
            self._left_out.update(discovery.left_out)
            self._left_out.update(changes.left_out)
            self._drop(writer, changes.gone)
            self._means.awaiting([item.path for item in changes.changed])
            complete, deep = self._rounds(writer, changes, words_only=not deep)
            counts = self._finish(writer, complete=complete, deep=deep)
            if self._cache.unsaved:
                statcache.save(self._means.recipe.data_dir, self._cache)
            return counts

    def run_paths(self, discovery: Discovery, paths: Sequence[str], *, deep: bool) -> Counts:
        """Look at these paths only, all else is as it was; without `deep`, at their words."""
        with self._means.writer() as writer:
            before = self._begin(writer)
            changes = Changes()
            for path in dict.fromkeys(paths):
                size = self._size_of(discovery, path)
                if size is None:
                    self._drop(writer, [path])
                else:
                    known = self._cache.files.get(path)
                    unless = b"" if known is None or known.reason else known.fingerprint
                    changes.changed.append(FileTask(path, unless, size))
            complete, all_deep = self._rounds(writer, changes, words_only=not deep)
            return self._finish(
                writer,
                complete=complete and before is not None and before.complete,
                deep=all_deep and (before is None or before.deep),
            )

    def _size_of(self, discovery: Discovery, path: str) -> int | None:
        """A file's size, None when it is none that is indexed."""
        if discovery.reason(path):
            return None
        try:
            return self._means.sandbox.look(path).size
        except Problem:
            return None

    def _begin(self, writer: IndexWriter) -> IndexProgress | None:
        """Learn what the index holds; what was made under other settings is given up.

        Gives what the index says of itself, None when nothing of it is of use.
        """
        base = writer.base
        signature = self._means.signature
        if base is None:
            return None
        stored = self._stored = IndexProgress.of(base)
        if stored.signature != signature:
            self._give_up(writer, base)
            return None
        remembered = self._remembered
        if remembered is None or remembered.settings != signature:
            remembered = statcache.load(self._means.recipe.data_dir, signature)
        if remembered.generation == statcache.identity(base):
            self._cache = remembered
        else:
            known = indexed(base, None if stored.deep else self._means.languages)
            self._cache.files = agreed(known, remembered.files)
        return stored

    def _give_up(self, writer: IndexWriter, base: Snapshot) -> None:
        """Remove everything: nothing that other settings let in may be shown meanwhile."""
        self._gave_up = True
        for path in base.paths():
            writer.remove(path)
            self._cache.files[path] = CachedStat(UNKNOWN, NO_FINGERPRINT)
            self._given_up.add(path)

    def _rounds(
        self, writer: IndexWriter, changes: Changes, *, words_only: bool = False
    ) -> tuple[bool, bool]:
        """Whether all words, and whether all facts, were gone through."""
        language_of = self._means.languages.language_of
        parsed = [item for item in changes.changed if language_of(item.path)]
        self._unread = {item.path for item in changes.changed}
        self._unparsed = {item.path for item in [*parsed, *changes.shallow]}
        self._means.published(self._counted(complete=False, deep=False))
        together = sorted([*changes.changed, *changes.shallow])
        if self._is_one_round([*parsed, *changes.shallow], words_only=words_only):
            done = self._round(writer, "indexing", together, parse=True)
            return done, done
        if not self._round(writer, "words", changes.changed, parse=False):
            return False, False
        if words_only:
            return True, False
        self._publish(writer, complete=True, deep=False)
        files = self._cache.files
        shallow = [
            FileTask(item.path, b"", item.size)
            for item in sorted([*parsed, *changes.shallow])
            if item.path in files and files[item.path].shallow
        ]
        return True, self._round(writer, SYMBOLS, shallow, parse=True)

    def _is_one_round(self, parsed: Sequence[FileTask], *, words_only: bool) -> bool:
        """Whether parsing takes so little that words need not be published before."""
        if words_only:
            return self._is_little(parsed, parse=True)
        return _size(parsed) <= _ONE_ROUND_BYTES

    def _is_little(self, wanted: Sequence[FileTask], *, parse: bool) -> bool:
        """Whether it is done here: soon, and by no parser that might not survive it."""
        needs_worker = self._means.languages.needs_worker
        safe = not parse or not any(needs_worker(item.path) for item in wanted)
        return safe and len(wanted) <= _ALONE_FILES and _size(wanted) <= _ALONE_BYTES

    def _round(
        self, writer: IndexWriter, name: str, wanted: Sequence[FileTask], *, parse: bool
    ) -> bool:
        """Index these; gives whether it came to the end in time."""
        first = name != SYMBOLS
        gauge = _Gauge(name, wanted, self._means.progress, self._started)
        done = 0
        for built in self._built(wanted, gauge, parse=parse):
            if built.entry is not None:
                writer.adopt(built.entry)
            for item in built.files:
                self._take(writer, item, count=first)
            done += len(built.files)
            if self._budget.clock() - self._published > _PUBLISH_SECONDS:
                self._publish(writer, complete=not first, deep=False)
        return done == len(wanted)

    def _built(self, wanted: Sequence[FileTask], gauge: _Gauge, *, parse: bool) -> Iterator[Built]:
        if not wanted:
            return
        if self._is_little(wanted, parse=parse):
            self._budget.check()
            if self._budget.spent:
                return
            builder = self._means.recipe.builder(self._means.sandbox, self._means.languages)
            yield builder.build(wanted, parse=parse, at=lambda _: self._budget.check())
            gauge.add(len(wanted), _size(wanted))
            return
        tasks = build_tasks(wanted, self._means.workers, parse=parse)
        for task, told, _ in self._means.pool.run(tasks, self._budget):
            if isinstance(told, Built) and isinstance(task, BuildTask):
                gauge.add(*task.rest())
                yield told
            elif isinstance(told, ProgressStep):
                gauge.add(told.files, told.size)

    def _take(self, writer: IndexWriter, item: FileResult, *, count: bool) -> None:
        files = self._cache.files
        self._cache.unsaved = True
        known = files.get(item.path)
        self._given_up.discard(item.path)
        was_there = known is not None and not known.reason
        key = settled(item.key, self._looked_at)
        if item.outcome == SAME and known is not None:
            files[item.path] = known._replace(key=key)
        elif item.outcome == INDEXED:
            files[item.path] = CachedStat(key, item.fingerprint, "", item.shallow)
            if count:
                self._counts["updated" if was_there else "added"] += 1
        else:
            self._left_out[item.outcome] += 1
            if was_there:
                self._drop(writer, [item.path])
            if item.outcome == CRASHED:  # not to be tried again before it changes
                with suppress(Problem):
                    key = settled(self._means.sandbox.look(item.path), self._looked_at)
            if item.fingerprint or item.outcome == CRASHED:
                files[item.path] = CachedStat(key, item.fingerprint or NO_FINGERPRINT, item.outcome)
        self._unread.discard(item.path)
        if item.path not in files or not files[item.path].shallow:
            self._unparsed.discard(item.path)

    def _drop(self, writer: IndexWriter, paths: Sequence[str]) -> None:
        for path in paths:
            known = self._cache.files.pop(path, None)
            self._cache.unsaved = True
            self._given_up.discard(path)
            if known is not None and not known.reason:
                writer.remove(path)
                self._counts["removed"] += 1

    def _publish(self, writer: IndexWriter, *, complete: bool, deep: bool) -> None:
        reached = IndexProgress(self._means.signature, complete, deep)
        self._index.settings = reached.to_settings()
        if reached != self._stored:
            writer.renew()
            self._stored = reached
        now = statcache.identity(writer.commit())
        self._cache.unsaved |= now != self._cache.generation
        self._cache.generation = now
        self._published = self._budget.clock()
        self._means.published(self._counted(complete=complete, deep=deep))

    def _finish(self, writer: IndexWriter, *, complete: bool, deep: bool) -> Counts:
        self._drop(writer, sorted(self._given_up))
        self._publish(writer, complete=complete, deep=deep)
        self._index.settings = self._means.signature
        return self._counted(complete=complete, deep=deep)

    def _counted(self, *, complete: bool, deep: bool) -> Counts:
        counts = self._counts
        return Counts(
            counts["added"],
            counts["updated"],
            counts["removed"],
            complete,
            deep,
            {name: count for name, count in sorted(self._left_out.items()) if count},
            len(self._unread),
            len(self._unparsed),
        )


class _Gauge:
    """Tells how far a round has come."""

    def __init__(
        self,
        phase: str,
        wanted: Sequence[FileTask],
        tell: Callable[[Progress], None],
        started: float,
    ) -> None:
        self._tell = tell
        self._started = started
        self._now = Progress(phase, 0, len(wanted), 0, _size(wanted), 0.0)
        tell(self._now)

    def add(self, files: int, size: int) -> None:
        now = self._now
        self._now = Progress(
            now.phase,
            min(now.files + files, now.all_files),
            now.all_files,
            min(now.size + size, now.all_size),
            now.all_size,
            time.monotonic() - self._started,
        )
        self._tell(self._now)


def _size(wanted: Sequence[FileTask]) -> int:
    return sum(item.size for item in wanted)
