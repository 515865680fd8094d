"""The symbolic code of one repository on disk, and how it follows the text index.

It is what the graph is linked from. A file has code when the document with its path has the
fingerprint that the text index has; what else is there is of an older text, or of a newer one that
another process has indexed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import xxhash

from code_graph.expressions import VERSION
from code_graph.link import SHARED_VERSION
from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget, Clock
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.keeper import LOCK_WAIT, IndexKeeper
from repo_mcp.model import Progress
from repo_mcp.processes.pool import JobRunner
from repo_mcp.stored import CODE_INDEX, IndexProgress

if TYPE_CHECKING:  # an answer parses nothing
    from code_graph import Languages
    from code_graph.store.code_files import CodeFiles
    from index_format import IndexWriter


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
        return self._files_of(self.snapshot(text))

    def _files_of(self, found: Snapshot | None) -> CodeFiles:
        """The code of a generation; without one, of no file."""
        from code_graph.store.code_files import CodeFiles  # noqa: PLC0415 answers read no code

        return CodeFiles(found, self._languages.is_lowered)

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
        from repo_mcp.indexing.keep.code_parsing import (  # noqa: PLC0415 answers parse nothing
            ParsingReport,
            parse_tasks,
            publish_parts,
        )

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
            tasks = parse_tasks(changes.changed, text, known.wanted(text))
            events = (parsers if len(tasks) <= 1 else pool).run(tasks, budget)
            report = ParsingReport(tasks, budget, on_progress)
            parsed, changed, is_done = publish_parts(writer, changes, report.of(events), len(tasks))
            return CodeCounts(parsed, len(changes.removed), sorted(changed), is_done)

    def _begin(self, writer: IndexWriter, base: Snapshot, text: Snapshot) -> CodeFiles:
        """The code of a generation that another process has published meanwhile."""
        if self.fits(base, self.signature(text)):
            return self._files_of(base)
        for path in base.paths():
            writer.remove(path)
        return self._files_of(None)
