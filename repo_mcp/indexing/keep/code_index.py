"""The symbolic code of one repository on disk, and how it follows the text index.

It is what the graph is linked from. A file has code when the document with its path has the
fingerprint that the text index has; what else is there is of an older text, or of a newer one that
another process has indexed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import xxhash

from code_graph import Languages
from code_graph.expressions.wire import VERSION
from code_graph.link import SHARED_VERSION
from code_graph.store.code_files import CodeFiles
from code_graph.store.listing import FileChanges
from index_format import IndexWriter, Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget, Clock
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.keeper import LOCK_WAIT, IndexKeeper
from repo_mcp.indexing.workers.file_jobs import group_files
from repo_mcp.indexing.workers.lowering import LoweredPart, LowerTask, lower_tasks
from repo_mcp.model import Progress
from repo_mcp.processes.pool import Event, JobRunner
from repo_mcp.stored import CODE_INDEX, IndexProgress

# by count and not by time: a fresh build takes equally many generations on every machine
_PARTS_PER_PUBLICATION: Final = 2
PARSING: Final = "parsing"


class CodeCounts(NamedTuple):
    """The counts of a run; `changed` are files that are not as the text index has them."""

    lowered: int
    removed: int
    changed: Sequence[str]
    complete: bool


class CodeIndex(IndexKeeper):
    """The index of code beside the text index of a recipe."""

    def __init__(self, recipe: Recipe, languages: Languages, clock: Clock = time.monotonic) -> None:
        """Keep the arguments; reads nothing."""
        super().__init__(recipe, CODE_INDEX, clock)
        self._languages = languages

    @property
    def keepers(self) -> Sequence[IndexKeeper]:
        """This index."""
        return (self,)

    def drop_damaged(self, file: str) -> bool:
        """Remove the index, whether or not it is known to have this file; True if it has."""
        found = file in self.store.names()
        self.drop()
        return found

    def signature(self, text: Snapshot) -> str:
        """A hash of everything that decides which code files have."""
        parts = [IndexProgress.of(text).signature, VERSION, SHARED_VERSION]
        return xxhash.xxh3_128_hexdigest(json.dumps(parts).encode())

    def snapshot(self, text: Snapshot) -> Snapshot | None:
        """The current generation, or None if there is none of the settings of this text."""
        return self.open(self.signature(text))

    def files(self, text: Snapshot) -> CodeFiles:
        """The code of the current generation."""
        return CodeFiles(self.snapshot(text), self._languages.is_lowered)

    def refresh(
        self,
        text: Snapshot,
        parsers: JobRunner,
        pool: JobRunner,
        budget: Budget,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> CodeCounts:
        """Parse what has changed; `parsers` do it where one task is enough, else `pool`.

        `on_progress` is told of the files parsed so far. When the budget is spent the rest is left
        to the next run.
        """
        self.drop_unusable(self.signature(text))
        known = self.files(text)
        changes = known.changes(text)
        if not changes.changed and not changes.removed:
            return CodeCounts(0, 0, (), complete=True)
        self.index.settings = self.signature(text)
        with self.index.writer(previous=self.latest, wait_seconds=LOCK_WAIT) as writer:
            base = writer.base
            if base is not None and base.generation != known.generation:
                known = self._begin(writer, base, text)
                changes = known.changes(text)
            tasks = _tasks(changes.changed, text, known.wanted(text))
            events = (parsers if len(tasks) <= 1 else pool).run(tasks, budget)
            report = _Report(tasks, budget, on_progress)
            return _apply(writer, changes, report.of(events), len(tasks))

    def _begin(self, writer: IndexWriter, base: Snapshot, text: Snapshot) -> CodeFiles:
        """The code of a generation that another process has published meanwhile."""
        if self.fits(base, self.signature(text)):
            return CodeFiles(base, self._languages.is_lowered)
        for path in base.paths():
            writer.remove(path)
        return CodeFiles(None, self._languages.is_lowered)


class _Report:
    """Reports which of some tasks are done."""

    def __init__(
        self, tasks: Sequence[LowerTask], budget: Budget, on_progress: Callable[[Progress], None]
    ) -> None:
        self._on_progress = on_progress
        self._budget = budget
        self._files = sum(len(task.paths) for task in tasks)
        self._size = sum(task.size for task in tasks)

    def of(self, events: Iterable[Event]) -> Iterator[Event]:
        """The events, each result of which is reported."""
        started = self._budget.clock()
        files = size = 0
        for job, result, is_last in events:
            if is_last and isinstance(job, LowerTask):
                files, size = files + len(job.paths), size + job.size
                seconds = self._budget.clock() - started
                self._on_progress(Progress(PARSING, files, self._files, size, self._size, seconds))
            yield job, result, is_last


def _tasks(
    paths: Sequence[str], text: Snapshot, wanted: Mapping[bytes, bytes]
) -> Sequence[LowerTask]:
    files = [(path, 0 if (file := text.file(path)) is None else file.size) for path in paths]
    prints = {path: wanted[path.encode("utf-8", "surrogatepass")] for path in paths}
    return lower_tasks(group_files(files), prints)


def _apply(
    writer: IndexWriter, changes: FileChanges, events: Iterable[Event], tasks: int
) -> CodeCounts:
    """Publish parsed files part by part; ends early with the events."""
    for path in changes.removed:
        writer.remove(path)
    done = lowered = 0
    changed: list[str] = []
    for _, part, _ in events:
        if isinstance(part, LoweredPart):
            if part.entry is not None:
                writer.adopt(part.entry)
                lowered += part.entry.files
            changed += part.changed
            done += 1
            if not done % _PARTS_PER_PUBLICATION and done < tasks:
                writer.commit()
    writer.commit()
    return CodeCounts(lowered, len(changes.removed), sorted(changed), complete=done == tasks)
