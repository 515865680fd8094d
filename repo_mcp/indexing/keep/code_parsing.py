"""Parses the files whose code an index lacks, and publishes it part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.store.code_files import CodeFiles
from code_graph.store.listing import FileChanges
from index_format import IndexWriter, Snapshot
from repo_mcp.budget import Budget
from repo_mcp.indexing.keep.code_index import CodeCounts
from repo_mcp.indexing.keep.keeper import LOCK_WAIT
from repo_mcp.indexing.workers.file_jobs import group_files
from repo_mcp.indexing.workers.lowering import LoweredPart, LowerTask, lower_tasks
from repo_mcp.model import Progress
from repo_mcp.processes.pool import Event, JobRunner

if TYPE_CHECKING:
    from repo_mcp.indexing.keep.code_index import CodeIndex

# by count and not by time: a fresh build takes equally many generations on every machine
_PARTS_PER_PUBLICATION: Final = 2
PARSING: Final = "parsing"


def parse_changes(
    code: CodeIndex,
    text: Snapshot,
    parsers: JobRunner,
    pool: JobRunner,
    budget: Budget,
    on_progress: Callable[[Progress], None],
) -> CodeCounts:
    """Bring the code to this text, as far as the budget lasts."""
    known = code.files(text)
    changes = known.changes(text)
    if not changes.changed and not changes.removed:
        return CodeCounts(0, 0, (), complete=True)
    code.index.settings = code.signature(text)
    with code.index.writer(previous=code.latest, wait_seconds=LOCK_WAIT) as writer:
        base = writer.base
        if base is not None and base.generation != known.generation:
            known = _begin(code, writer, base, text)
            changes = known.changes(text)
        tasks = _tasks(changes.changed, text, known.wanted(text))
        events = (parsers if len(tasks) <= 1 else pool).run(tasks, budget)
        report = _Report(tasks, budget, on_progress)
        return _apply(writer, changes, report.of(events), len(tasks))


def _begin(code: CodeIndex, writer: IndexWriter, base: Snapshot, text: Snapshot) -> CodeFiles:
    """The code of a generation that another process has published meanwhile."""
    if code.fits(base, code.signature(text)):
        return code.files_of(base)
    for path in base.paths():
        writer.remove(path)
    return code.files_of(None)


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
