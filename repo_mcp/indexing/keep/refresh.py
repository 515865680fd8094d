"""Brings an index up to date: reindexes changed files, removes missing ones, keeps the rest.

Large changes take two rounds: first all words, so that everything can be searched soon, then the
facts that parsers find. Finished files are published on the way; a run that is killed loses only
what it had not published. Nothing that is published depends on a clock or on the workers: how files
are grouped, and after how many groups a generation is published, follows from their paths and
sizes. Where nothing changed, nothing is published.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from functools import partial
from itertools import groupby, islice
from typing import TYPE_CHECKING, Final

from code_graph.paths.path_kinds import CODE, rank_path
from index_format import IndexWriter, Snapshot
from index_format.analysis.content import fingerprint
from index_format.records import replace
from repo_mcp import git
from repo_mcp.allocator import release_freed_memory
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.tasks import (
    CRASHED,
    INDEXED,
    SAME,
    BuildResult,
    BuildTask,
    FileResult,
    FileTask,
    FileTasks,
    ProgressStep,
    build_tasks,
    size_of,
)
from repo_mcp.indexing.keep.changes import (
    Changes,
    Edits,
    cacheable_key,
    compare,
    known_stats,
    remember_folders,
)
from repo_mcp.indexing.keep.writer import Counts, RunContext, TextRun
from repo_mcp.indexing.walk.memory import (
    NO_FINGERPRINT,
    CachedStat,
    WalkMemory,
    folder_of,
    identity,
)
from repo_mcp.indexing.walk.walk import Discovery
from repo_mcp.indexing.workers.merging import ShareMerges, merge_runner
from repo_mcp.model import Progress
from repo_mcp.safety.sandbox import UNKNOWN_KEY
from repo_mcp.stored import IndexProgress

if TYPE_CHECKING:  # searching needs none
    from repo_mcp.indexing.build.builder import Builder

# the second round, in which all words can be searched already
SYMBOLS: Final = "symbols"
# by count and not by time: a fresh build takes equally many generations on every machine
_TASKS_PER_PUBLICATION: Final = 2
# up to this much is indexed in this process, without workers
_IN_PROCESS_FILES: Final = 64
_IN_PROCESS_BYTES: Final = 1 << 20
# before a tree of at least this many files is walked, so many are indexed, up to so many bytes
_MANY_FILES: Final = 4096
_FIRST_FILES: Final = 512
_FIRST_BYTES: Final = 4 << 20
# files of a task that tell if it is of code
_LOOKED_AT: Final = 32
# times as many where words are counted only, which is quicker than to start a worker
_IN_PROCESS_WORDS: Final = 4
# up to this much, some two seconds, is parsed in the same round as words are counted
_ONE_ROUND_BYTES: Final = 8 << 20
# files without facts that are listed while all are compared; more take longer than the comparison,
# and are listed once all words are indexed
_MOST_LISTED: Final = 4096
# folders of such files that are listed until edits are indexed
_FOLDERS_BETWEEN: Final = 256
# edits make segments of up to so many chunks, many at once the larger ones; once there are so many
# of one size, they are merged
_SMALL_CHUNKS: Final = (128, 1024)
_MOST_SMALL: Final = 16
# a task of a file that was reported counts as this long
_LATE_BYTES: Final = 1 << 14
# a run parses files that were changed meanwhile in so many rounds, and leaves the rest to the next
_LATE_ROUNDS: Final = 3
# to compare so many folders file by file next time is quicker than to save what is known of all
_FEW_FOLDERS: Final = 0.02


class Refresh(TextRun):
    """One run under the index's lock."""

    def __init__(
        self, context: RunContext, budget: Budget, remembered: WalkMemory | None = None
    ) -> None:
        """Keep the context and the memory of this process's last run; reads nothing."""
        self._context = context
        self._text = context.text
        self._budget = budget
        self._remembered = remembered
        # for the next run, once this one has ended
        self.memory = WalkMemory(context.text.signature)
        self._counts: Counter[str] = Counter()
        self._left_out: Counter[str] = Counter()
        self._started = time.monotonic()
        self._looked_at = time.time_ns()
        self._at_once = context.at_once
        self._discarded_paths: set[str] = set()
        # how many files have no words, and no facts, of their text as it is now
        self._unread = 0
        self._unparsed = 0
        self._edits = Edits(context.listener.take_edits)
        # whether the words of all files are indexed, but for those that a walk may still find
        self._complete = False

    def run(self, *, force: bool, most_parsed: float = math.inf) -> Counts:
        """Walk, compare, index, publish; changes of more than `most_parsed` files by words only."""
        discovery = self._text.discovery()
        with self._open() as writer:
            stored = self._begin(writer)
            if force:
                self.memory.invalidate()
                self._at_once = self._at_once or (
                    most_parsed > 0 and stored is not None and stored.complete and stored.deep
                )
            if self._at_once and stored is None:  # merging opens what a generation vouches for
                self._publish(writer, complete=False, deep=False)
            if stored is None and not self._at_once:
                self._index_first(writer)
            known = self.memory
            before = known.known_folders()
            between = partial(self._index_edits, writer)
            folders = discovery.by_folder(before, self._budget, between)
            lacking = self._at_once or known.shallow_count <= _MOST_LISTED
            changes = compare(folders, known, before, lacking=lacking)
            del before, folders  # of a million files some 30 MiB, and the run may take minutes
            self._left_out.update(discovery.left_out)
            self._left_out.update(changes.left_out)
            self._drop(writer, self._edits.without_present(changes.gone))
            self._context.writer.pending = changes.changed
            complete, deep = self._rounds(writer, changes, most_parsed)
            deep = self._index_late_facts(writer, words_only=not deep) and deep
            counts = self._finish(writer, complete=complete, deep=deep)
            self._save(changes)
            return counts

    def run_paths(self, paths: Sequence[str], *, deep: bool) -> Counts:
        """Update these files only, or their words only without `deep`.

        A path that ends with "/" stands for all indexed files below that folder.
        """
        discovery = self._text.discovery()
        with self._open() as writer:
            before = self._begin(writer)
            tasks = self._tasks_of(writer, discovery, paths)
            changes = Changes(FileTasks(self._without_same(writer, tasks)))
            complete, all_deep = self._rounds(writer, changes, math.inf if deep else 0)
            had_all = before is None or before.deep or not self.memory.shallow_count
            return self._finish(
                writer,
                complete=complete and before is not None and before.complete,
                deep=all_deep and had_all,
            )

    def _open(self) -> AbstractContextManager[IndexWriter]:
        context = self._context
        return context.writer.open(context.text, self._budget, context.wait)

    def _tasks_of(
        self, writer: IndexWriter, discovery: Discovery, paths: Sequence[str]
    ) -> list[FileTask]:
        """Tasks for these paths; those that are not to be indexed are removed."""
        tasks = []
        for path in self._with_files_below(paths):
            size = self._size_of(discovery, path)
            if size is None:
                self._drop(writer, [path])
            else:
                known = self.memory.get(path)
                fingerprint = b"" if known is None or known.reason else known.fingerprint
                tasks.append(FileTask(path, fingerprint, size))
        return tasks

    def _without_same(self, writer: IndexWriter, tasks: Sequence[FileTask]) -> list[FileTask]:
        """The tasks without files that are indexed as they are: no worker is started for these."""
        known = [item for item in tasks if item.known_fingerprint]
        if len(known) > _IN_PROCESS_FILES or size_of(known) > _IN_PROCESS_BYTES:
            return list(tasks)
        same: dict[str, FileResult] = {}
        looked_at = time.time_ns()
        contents = self._text.sandbox.read_plain([item.path for item in known])
        for (path, print_, _), content in zip(known, contents, strict=True):
            if content is None or self._is_shallow(path) or fingerprint(content.data) != print_:
                continue
            size = len(content.data)
            same[path] = FileResult(path, SAME, content.key, print_, size, shallow=False)
        if same:
            self._record_results(writer, [*same.values()], looked_at, count=True)
        return [item for item in tasks if item.path not in same]

    def _index_first(self, writer: IndexWriter) -> None:
        """Publish the words of a large tree's likeliest files before all of it is walked.

        These are the files that git has changed last, or the first ones of the tree. The round of
        words passes over them, and the round of facts indexes them like all others.
        """
        discovery = self._text.discovery()
        files = [file.path for file in islice(discovery.files(self._budget), _MANY_FILES)]
        if len(files) < _MANY_FILES:
            return
        recent = git.recent_files(self._text.recipe.root, _FIRST_FILES)
        tasks, held = FileTasks(), 0
        for item in self._tasks_of(writer, discovery, recent or files[:_FIRST_FILES]):
            held += item.size
            if held > _FIRST_BYTES:
                break
            tasks.append(item)
        self._index_here(writer, self._builder(), tasks, parse=False)
        self._publish_part(writer, complete=False)

    def _builder(self) -> Builder:
        return self._text.recipe.builder(self._text.sandbox, self._text.languages)

    def _index_here(
        self, writer: IndexWriter, builder: Builder, tasks: Sequence[FileTask], *, parse: bool
    ) -> Sequence[FileResult]:
        """Index files in this process, without publishing them."""
        looked_at = time.time_ns()
        built = builder.build(tasks, parse=parse, at=lambda _: self._budget.check())
        if built.entry is not None:
            writer.adopt(built.entry)
        self._record_results(writer, built.files, looked_at, count=True)
        return built.files

    def _index_edits(self, writer: IndexWriter) -> None:
        """Index and publish the files that have changed during this run; their words at least."""
        paths = self._edits.next_paths()
        if self._edits.are_incomplete and self._complete:
            paths = sorted({*paths, *self._unreported(writer)})
        if not paths:
            return
        discovery = self._text.discovery()
        tasks = self._tasks_of(writer, discovery, paths)
        for path in {*paths}.difference(item.path for item in tasks):
            self._edits.record(path)
        builder = self._builder()
        for begin in range(0, len(tasks), _IN_PROCESS_FILES):
            part = tasks[begin : begin + _IN_PROCESS_FILES]
            parse = self._fits_in_process(part, parse=True)
            for item in self._index_here(writer, builder, part, parse=parse):
                self._edits.record(item.path, item.fingerprint)
        if writer.has_changes:
            for chunks in _SMALL_CHUNKS:
                writer.gather(most_chunks=chunks, least=_MOST_SMALL)
            self._publish(writer, complete=self._complete, deep=False)
            if not self._at_once:
                writer.free_replaced()

    def _unreported(self, writer: IndexWriter) -> Iterator[str]:
        """The files that have changed since this run saw them; edits are indexed meanwhile."""
        self._edits.are_incomplete = False
        known = self.memory
        before = known.known_folders()
        between = partial(self._index_edits, writer)
        folders = self._text.discovery().by_folder(before, self._budget, between)
        # its words are complete: it has read every file that it did not know
        found = compare(folders, known, before, lacking=False, read_since=self._looked_at)
        yield from (item.path for item in found.changed)
        yield from found.gone

    def _index_late_facts(self, writer: IndexWriter, *, words_only: bool) -> bool:
        """Index the facts of files that were changed during this run; whether all have theirs.

        Under edits that never pause the run ends without some: merging waits for it.
        """
        for _ in range(_LATE_ROUNDS):
            late = [path for path in self._edits.paths if self._is_shallow(path)]
            if not late or words_only:
                return not late
            tasks = FileTasks(FileTask(path, b"", _LATE_BYTES) for path in late)
            if not self._round(writer, SYMBOLS, tasks, parse=True):
                return False
        return not any(map(self._is_shallow, self._edits.paths))

    def _with_files_below(self, paths: Sequence[str]) -> list[str]:
        """The files among these paths, and those below the folders among them."""
        folders = tuple(path for path in paths if path.endswith("/"))
        below = self.memory.below(folders)
        files = (path for path in paths if not path.endswith("/"))
        return list(dict.fromkeys([*files, *below] if folders else files))

    def _size_of(self, discovery: Discovery, path: str) -> int | None:
        """A file's size, or None if it is not to be indexed."""
        if discovery.reason(path):
            return None
        try:
            return self._text.sandbox.file_key(path).size
        except Problem:
            return None

    def _begin(self, writer: IndexWriter) -> IndexProgress | None:
        """Load which files the index holds; discard an index made with other settings.

        Returns the stored progress, or None if there is no index or it was discarded.
        """
        base = writer.base
        signature = self._text.signature
        if base is None:
            return None
        stored = IndexProgress.of(base)
        if stored.signature != signature:
            self._discard(writer, base)
            return None
        self._complete = stored.complete
        remembered = self._remembered
        if remembered is None or remembered.signature != signature:
            remembered = WalkMemory.load(self._text.recipe.index_dir, signature)
        else:
            self.overtaken = remembered.generation != identity(base)
        known_stats(base, remembered)
        self.memory = remembered
        return stored

    def _discard(self, writer: IndexWriter, base: Snapshot) -> None:
        """Remove all files: none that only the old settings allow may be shown meanwhile."""
        self.discarded = True
        for path in base.paths():
            writer.remove(path)
            self.memory[path] = CachedStat(UNKNOWN_KEY, NO_FINGERPRINT)
            self._discarded_paths.add(path)

    def _rounds(
        self, writer: IndexWriter, changes: Changes, most_parsed: float = math.inf
    ) -> tuple[bool, bool]:
        """Run the rounds; returns whether all words and whether all facts were indexed."""
        changes.changed = changes.changed.in_order()
        changes.shallow = changes.shallow.in_order()
        self._unread = len(changes.changed)
        lacking = self._count_parsed(changes.changed) + self._count_parsed(changes.shallow)
        self._unparsed = lacking + changes.unlisted_shallow
        self._record(complete=False, deep=False)
        self._complete = self._complete and (self._at_once or not changes.changed)
        together = changes.changed.merge(changes.shallow)
        listed = not changes.unlisted_shallow
        if listed and self._is_one_round(together, words_only=most_parsed <= 0):
            have_words = {item.path for item in changes.shallow}
            wanted = FileTasks(self._with_shallow_unknown(together))
            done = self._round(writer, "indexing", wanted, have_words, parse=True)
            return done, done
        words_only = most_parsed <= 0
        if not self._round(writer, "words", changes.changed, parse=False):
            return False, False
        self._complete = True
        self._index_edits(writer)
        lacking = self.memory.shallow_count
        if words_only or not lacking or lacking > most_parsed:
            return True, not lacking
        changes.shallow = FileTasks()  # all are listed below
        self._publish(writer, complete=True, deep=False)
        self._save(changes)  # the round of facts may be long, and need not end
        shallow = self._list_shallow(writer, changes.changed)
        del together
        release_freed_memory()  # planning took more than the round will
        return True, self._round(writer, SYMBOLS, shallow, parse=True)

    def _list_shallow(self, writer: IndexWriter, changed: FileTasks) -> FileTasks:
        """All files with words only; of some that `changed`, sizes are known from their tasks only.

        Edits are indexed meanwhile. Files that were edited lately are left for later.
        """
        known, found = self.memory, FileTasks()
        for number, item in enumerate(known.notable()):
            if item.shallow:
                sizes = known.shallow_sizes(item.folder)
                found.add_folder(item.folder, (row for row in sizes if row[1] >= 0))
            if not number % _FOLDERS_BETWEEN:
                self._index_edits(writer)
        lately = FileTasks(
            item._replace(known_fingerprint=b"")
            for item in changed
            if (seen := known.get(item.path)) and seen.shallow and seen.key == UNKNOWN_KEY
        )
        return found.in_order(partial(self._index_edits, writer)).merge(lately)

    def _save(self, changes: Changes) -> None:
        """Remember folders that are compared, and save what is known of files if that pays."""
        known = self.memory
        remembered = remember_folders(changes, known)
        if self.memory.unsaved or remembered > known.folder_count * _FEW_FOLDERS:
            self.memory.save(self._text.recipe.index_dir)

    def _with_shallow_unknown(self, wanted: Sequence[FileTask]) -> Iterator[FileTask]:
        """The tasks; files without facts are indexed even if their content did not change."""
        for item in wanted:
            again = item.known_fingerprint and self._is_shallow(item.path)
            yield item._replace(known_fingerprint=b"") if again else item

    def _is_shallow(self, path: str) -> bool:
        known = self.memory.get(path)
        return known is not None and known.shallow

    def _is_one_round(self, parsed: Sequence[FileTask], *, words_only: bool) -> bool:
        """True if parsing is quick enough to need no earlier round for words."""
        if self._at_once and not words_only:
            return True
        if words_only:
            return self._fits_in_process(parsed, parse=True)
        return size_of(parsed) <= _ONE_ROUND_BYTES

    def _fits_in_process(self, wanted: Sequence[FileTask], *, parse: bool) -> bool:
        """True if this process can do it: few files, and no parser that may crash."""
        needs_worker = self._text.languages.needs_worker
        few = len(wanted) <= _IN_PROCESS_FILES * (1 if parse else _IN_PROCESS_WORDS)
        safe = few and not (parse and any(needs_worker(item.path) for item in wanted))
        return safe and size_of(wanted) <= _IN_PROCESS_BYTES

    def _round(
        self,
        writer: IndexWriter,
        name: str,
        wanted: FileTasks,
        have_words: Collection[str] = (),
        *,
        parse: bool,
    ) -> bool:
        """Index these files; returns whether all were done before the budget was spent.

        Files that `have_words` are in the index already, without facts.
        """
        first = name != SYMBOLS
        # what has words only is replaced soon: to merge it would cost a quarter of indexing it
        shares = self._shares_of(writer, wanted if parse else FileTasks())
        meter = _ProgressMeter(name, wanted, self._report, self._started)
        done = 0
        for number, built in enumerate(self._build(writer, wanted, meter, parse=parse), 1):
            if built.entry is not None:
                writer.adopt(built.entry)
            whole = self._record_results(writer, built.files, self._looked_at, count=first)
            self._unparsed -= whole
            self._edits.check(built.files)
            if first:
                self._unread -= sum(item.path not in have_words for item in built.files)
            done += len(built.files)
            self._index_edits(writer)
            shares.add(built.files)
            if not number % _TASKS_PER_PUBLICATION and done < len(wanted):
                self._publish_part(writer, complete=not first)
                self._merge_shares(writer, shares)
        if shares.planned and done == len(wanted):
            self._publish_part(writer, complete=not first)
            self._merge_shares(writer, shares)
        return done == len(wanted)

    def _report(self, now: Progress) -> None:
        self._context.writer.report(self._context.listener, now)

    def _shares_of(self, writer: IndexWriter, wanted: FileTasks) -> ShareMerges:
        """The merges of a round on its way: none if it publishes at once."""
        merged = FileTasks() if self._at_once else wanted
        return ShareMerges(writer, merged, partial(self._index_edits, writer))

    def _merge_shares(self, writer: IndexWriter, shares: ShareMerges) -> None:
        if writer.has_changes:  # files that were reported meanwhile
            return
        self._text.sandbox.check_root()
        # a merge that has begun is finished: what it takes is little beside what indexing took
        budget = self._budget.within(math.inf)
        for snapshot in shares.merge(merge_runner(self._text.index, self._context.pool, budget)):
            self._note_published(snapshot)

    def _build(
        self, writer: IndexWriter, wanted: FileTasks, meter: _ProgressMeter, *, parse: bool
    ) -> Iterator[BuildResult]:
        if not wanted:
            return
        if self._fits_in_process(wanted, parse=parse):
            self._budget.check()
            if self._budget.spent:
                return
            yield self._builder().build(wanted, parse=parse, at=lambda _: self._budget.check())
            meter.add(len(wanted), size_of(wanted))
            return
        tasks = build_tasks(wanted, parse=parse)
        if not parse:  # code before tests, documentation and data
            tasks.sort(key=_share_of_code, reverse=True)
        waiting = partial(self._index_edits, writer)
        for task, told, _ in self._context.pool.run(tasks, self._budget, waiting):
            if isinstance(told, BuildResult) and isinstance(task, BuildTask):
                meter.add(*task.finish())
                yield told
            elif isinstance(told, ProgressStep):
                meter.add(told.files, told.size)

    def _record_results(
        self, writer: IndexWriter, results: Sequence[FileResult], looked_at: int, *, count: bool
    ) -> int:
        """Remember files that were read after they were looked at.

        Returns how many of those that have a language are whole.
        """
        self.memory.unsaved = True
        self._discarded_paths.difference_update(item.path for item in results)
        whole: list[FileResult] = []
        for folder, items in groupby(results, lambda item: folder_of(item.path)):
            known = self.memory.of_folder(folder)
            seen: dict[str, CachedStat] = {}
            left_out: list[FileResult] = []
            for item in items:
                name = item.path[len(folder) :]
                before = known.get(name)
                if item.outcome == INDEXED:
                    was_there = before is not None and not before.reason
                    self._counts["updated" if was_there else "added"] += count
                    key = cacheable_key(item.key, looked_at)
                    seen[name] = CachedStat(key, item.fingerprint, "", item.shallow)
                    if item.shallow:
                        continue
                elif item.outcome == SAME and before is not None:
                    seen[name] = before._replace(key=cacheable_key(item.key, looked_at))
                    if before.shallow:
                        continue
                else:
                    left_out.append(item)
                whole.append(item)
            self.memory.update_folder(folder, seen)
            for item in left_out:
                self._record_left_out(writer, item, looked_at)
        return self._count_parsed(whole)

    def _count_parsed(self, files: Iterable[FileTask | FileResult]) -> int:
        """Count those of these files that have a language."""
        language_of = self._text.languages.language_of
        return sum(bool(language_of(item.path)) for item in files)

    def _record_left_out(self, writer: IndexWriter, item: FileResult, looked_at: int) -> None:
        known = self.memory.get(item.path)
        self._left_out[item.outcome] += 1
        if known is not None and not known.reason:
            self._drop(writer, [item.path])
        key = cacheable_key(item.key, looked_at)
        if item.outcome == CRASHED:  # not retried before it changes
            with suppress(Problem):
                key = cacheable_key(self._text.sandbox.file_key(item.path), looked_at)
        if item.fingerprint or item.outcome == CRASHED:
            fingerprint = item.fingerprint or NO_FINGERPRINT
            self.memory[item.path] = CachedStat(key, fingerprint, item.outcome)

    def _drop(self, writer: IndexWriter, paths: Sequence[str]) -> None:
        for path in paths:
            known = self.memory.pop(path, None)
            self.memory.unsaved = True
            self._discarded_paths.discard(path)
            if known is not None and not known.reason:
                writer.remove(path)
                self._counts["removed"] += 1

    def _publish_part(self, writer: IndexWriter, *, complete: bool) -> None:
        """Publish what a round has done so far, if that changes anything.

        A run that indexes every file of a sound index again replaces it at once, at its end: in
        most cases nothing has changed then.
        """
        if writer.has_changes and not self._at_once:
            self._publish(writer, complete=complete, deep=False)
            writer.free_replaced()

    def _publish(
        self, writer: IndexWriter, *, complete: bool, deep: bool, compact: bool = False
    ) -> None:
        # under the write lock: what a run over the folder now at the root publishes, stays
        self._text.sandbox.check_root()
        progress = IndexProgress(self._text.signature, complete, deep)
        self._text.index.settings = progress.to_settings()
        run = merge_runner(self._text.index, self._context.pool, self._budget)
        snapshot = writer.commit(compact=compact, run=run)
        self._note_published(snapshot)
        self._record(complete=complete, deep=deep)

    def _record(self, *, complete: bool, deep: bool) -> None:
        counts = self._current_counts(complete=complete, deep=deep)
        self._context.writer.record(counts, self._text)

    def _note_published(self, snapshot: Snapshot) -> None:
        self._text.latest = snapshot  # it need not be opened again
        self.memory.unsaved |= identity(snapshot) != self.memory.generation
        self.memory.assign(snapshot)

    def _finish(self, writer: IndexWriter, *, complete: bool, deep: bool) -> Counts:
        self._drop(writer, sorted(self._discarded_paths))
        compact = self._at_once and complete and deep
        self._publish(writer, complete=complete, deep=deep, compact=compact)
        self._text.index.settings = self._text.signature
        return self._current_counts(complete=complete, deep=deep)

    def _current_counts(self, *, complete: bool, deep: bool) -> Counts:
        counts = self._counts
        return Counts(
            counts["added"],
            counts["updated"],
            counts["removed"],
            complete,
            deep,
            {name: count for name, count in sorted(self._left_out.items()) if count},
            max(self._unread, 0),
            max(self._unparsed, 0),
        )


def _share_of_code(task: BuildTask) -> int:
    """Of some files of a task, how many are code."""
    step = -(-len(task.wanted) // _LOOKED_AT)
    return sum(rank_path(item.path) == CODE for item in task.wanted[::step])


class _ProgressMeter:
    """Reports the progress of a round."""

    def __init__(
        self,
        phase: str,
        wanted: Sequence[FileTask],
        report: Callable[[Progress], None],
        started: float,
    ) -> None:
        self._report = report
        self._started = started
        self._now = self._first = Progress(phase, 0, len(wanted), 0, size_of(wanted), 0.0, 0.0)
        report(self._now)

    def add(self, files: int, size: int) -> None:
        now = self._now
        now = replace(
            now,
            files=min(now.files + files, now.all_files),
            size=min(now.size + size, now.all_size),
            seconds=time.monotonic() - self._started,
        )
        self._now = replace(now, speed=self._speed(now))
        if not self._first.files:
            self._first = self._now
        self._report(self._now)

    def _speed(self, now: Progress) -> float:
        """Bytes or files a second since the first were done; 0 until some were."""
        first = self._first
        seconds = now.seconds - first.seconds
        done = now.size - first.size if now.all_size else now.files - first.files
        return done / seconds if first.files and seconds > 0 else 0.0
