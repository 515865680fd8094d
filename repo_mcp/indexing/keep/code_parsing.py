"""Tasks that parse files for an index of code, and the publication of what they give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from code_graph.store.listing import FileChanges
from index_format import IndexWriter, Snapshot
from repo_mcp.budget import Budget
from repo_mcp.indexing.workers.file_jobs import group_files
from repo_mcp.indexing.workers.lowering import LoweredPart, LowerTask, lower_tasks
from repo_mcp.model import Progress
from repo_mcp.processes.pool import Event

# by count and not by time: a fresh build takes equally many generations on every machine
_PARTS_PER_PUBLICATION: Final = 2
PARSING: Final = "parsing"


class ParsingReport:
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


def parse_tasks(
    paths: Sequence[str], text: Snapshot, wanted: Mapping[bytes, bytes]
) -> Sequence[LowerTask]:
    """The tasks that parse files; `wanted` are the fingerprints that their code will have."""
    files = [(path, 0 if (file := text.file(path)) is None else file.size) for path in paths]
    prints = {path: wanted[path.encode("utf-8", "surrogatepass")] for path in paths}
    return lower_tasks(group_files(files), prints)


def publish_parts(
    writer: IndexWriter, changes: FileChanges, events: Iterable[Event], tasks: int
) -> tuple[int, list[str], bool]:
    """Publish parsed files part by part; ends early with the events.

    Returns how many files were parsed, which have changed meanwhile, and whether all were parsed.
    """
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
    return lowered, changed, done == tasks
