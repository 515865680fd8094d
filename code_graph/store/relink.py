"""Brings the graph to a snapshot of the text index: links what changed names reach.

A first build publishes finished parts and may end at any file. It goes on from there: if files have
changed since, their old exports come from the tree that they were linked from; if that is gone,
the build begins again. A later run publishes once, at its end. If it has to end early, files
that changed keep their older version, and in the place of others that it should still have linked
again stand their old exports alone: the next run finds both, and compares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Final

from code_graph.store.dependents import ExportChanges, compare
from code_graph.store.documents import make_placeholder, make_project_exports
from code_graph.store.listing import FileChanges, compare_files
from code_graph.store.schema import (
    EXPORTS,
    GRAPH_SCHEMA,
    PROJECT_EXPORTS_PATH,
    GraphProgress,
    digest_of_segments,
)
from code_graph.store.text_tree import TextTree
from index_format import Index, IndexWriter, SegmentEntry, SegmentReader, Snapshot
from index_format.tuples import NamedTuple

# by count and not by time: a first build takes equally many generations on every machine
_PARTS_PER_PUBLICATION: Final = 2
_LOCK_WAIT: Final = 10.0


class LinkedPart(NamedTuple):
    """Files that were linked, and the unpublished segment with them."""

    paths: Sequence[str]
    entry: SegmentEntry | None


# links files in parts, in any order; gives fewer parts where it has to end early
LinkRun = Callable[[Sequence[str]], Iterator[LinkedPart]]

# the exports of paths and manifests; asked for when these have changed
ProjectExports = Callable[[], Sequence[tuple[int, int]]]


class EarlierTree(NamedTuple):
    """The tree that an unfinished first build is of, and the exports of its files."""

    tree: TextTree
    exports: Callable[[str], Mapping[int, int]]


class LinkCounts(NamedTuple):
    """The counts of a run."""

    linked: int
    removed: int
    complete: bool


def relink(
    index: Index,
    tree: TextTree,
    signature: str,
    link: LinkRun,
    *,
    project_exports: ProjectExports = tuple,
    previous: Snapshot | None = None,
    earlier: EarlierTree | None = None,
    wait_seconds: float = _LOCK_WAIT,
) -> LinkCounts:
    """Link the changes to this tree and publish them.

    A graph with another signature is replaced, and with it files that did not change.
    `project_exports` gives those of the paths and manifests of the tree.
    """
    with index.writer(previous=previous, wait_seconds=wait_seconds) as writer:
        return _Relinking(index, writer, tree, signature, link, project_exports, earlier).run()


class _Relinking:
    """One run under the lock of the graph's index."""

    def __init__(
        self,
        index: Index,
        writer: IndexWriter,
        tree: TextTree,
        signature: str,
        link: LinkRun,
        project_exports: ProjectExports,
        earlier: EarlierTree | None,
    ) -> None:
        self._index = index
        self._writer = writer
        self._tree = tree
        self._signature = signature
        self._link = link
        self._project_exports = project_exports
        self._earlier = earlier
        self._linked: set[str] = set()

    def run(self) -> LinkCounts:
        base = self._writer.base
        known = None if base is None else GraphProgress.of(base)
        changes = compare(self._tree.files, base)
        if base is None or known is None or known.signature != self._signature:
            self._remove([] if base is None else base.paths())
            self._store_project_exports(self._project_exports())
            complete = self._first_build(self._tree.digest(), [*self._tree.paths()])
        else:
            self._remove(changes.removed)
            if known.tree:
                complete = self._go_on(known.tree, base, changes)
            else:
                complete = self._follow(base, changes)
        complete = complete and self._tree.is_complete
        return LinkCounts(len(self._linked), len(changes.removed), complete)

    def _go_on(self, digest: str, base: Snapshot, changes: FileChanges) -> bool:
        """Go on with a first build; without its tree begin again, if files have changed since.

        What unlinked files said then is not known without it, so that it could not be told which of
        the linked ones depend on that.
        """
        if digest == self._tree.digest():
            return self._first_build(digest, changes.changed)
        earlier = self._earlier
        if earlier is None or earlier.tree.digest() != digest:
            self._remove(base.paths())
            self._store_project_exports(self._project_exports())
            return self._first_build(self._tree.digest(), [*self._tree.paths()])
        since = compare_files(earlier.tree.files, self._tree.files)
        exports = self._with_project_exports(ExportChanges(base, earlier.exports), base)
        unlinked, _ = self._link_reached(exports, since)
        if unlinked:  # nothing is published: the next run starts from the same tree
            return False
        rest = [path for path in changes.changed if path not in self._linked]
        return self._first_build(self._tree.digest(), rest)

    def _first_build(self, digest: str, paths: Sequence[str]) -> bool:
        """Link these files; no linked file depends on their older versions."""
        try:
            for number, part in enumerate(self._link(paths), 1):
                self._adopt(part)
                if not number % _PARTS_PER_PUBLICATION and not self._linked.issuperset(paths):
                    self._publish(complete=False, digest=digest)
        except KeyboardInterrupt:
            if self._linked:
                self._publish(complete=False, digest=digest)
            raise
        complete = self._linked.issuperset(paths)
        if complete or self._linked:
            self._publish(complete=complete, digest=digest)
        return complete

    def _follow(self, base: Snapshot, changes: FileChanges) -> bool:
        """Link changed files and what they reach, and publish that."""
        exports = self._with_project_exports(ExportChanges(base), base)
        unlinked, reached = self._link_reached(exports, changes)
        # changed files that are not linked differ from the graph, and so are found again
        changed = set(changes.changed)
        for path in [*reached, *(path for path in unlinked if path not in changed)]:
            self._writer.add(make_placeholder(path, base.attachment(path, EXPORTS)))
        self._publish(complete=not unlinked)
        return not unlinked

    def _link_reached(
        self, exports: ExportChanges, changes: FileChanges
    ) -> tuple[Sequence[str], Sequence[str]]:
        """Link changed files, then those that depend on an export that changed, and so on.

        Gives files that were to be linked when it had to end early, and those that they reach.
        """
        for path in changes.removed:
            exports.remove(path)
        gone = set(changes.removed)
        # dependents of removed files are known at once
        wanted: Sequence[str] = [*changes.changed, *exports.dependents({*gone, *changes.changed})]
        unlinked: list[str] = []
        while wanted and not unlinked:
            for part in self._link(wanted):
                self._adopt(part)
                if part.entry is not None:
                    self._compare_exports(exports, part.entry)
            unlinked = [path for path in wanted if path not in self._linked]
            wanted = exports.dependents({*self._linked, *gone, *unlinked})
        return unlinked, wanted

    def _with_project_exports(self, changes: ExportChanges, base: Snapshot) -> ExportChanges:
        """Store what paths and manifests export, if that changed; the changes, with these."""
        stored = base.file(PROJECT_EXPORTS_PATH)
        if stored is None or stored.fingerprint != self._tree.projects_fingerprint:
            exports = self._project_exports()
            changes.replace_project_exports(exports)
            self._store_project_exports(exports)
        return changes

    def _store_project_exports(self, exports: Sequence[tuple[int, int]]) -> None:
        if exports:
            self._writer.add(make_project_exports(exports, self._tree.projects_fingerprint))
        else:
            self._writer.remove(PROJECT_EXPORTS_PATH)

    def _adopt(self, part: LinkedPart) -> None:
        if part.entry is not None:
            self._writer.adopt(part.entry)
        self._linked.update(part.paths)

    def _compare_exports(self, exports: ExportChanges, entry: SegmentEntry) -> None:
        with closing(self._index.store.open(entry.name)) as handle:
            exports.replace(SegmentReader(handle, GRAPH_SCHEMA, entry.seal))

    def _remove(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._writer.remove(path)

    def _publish(self, *, complete: bool, digest: str = "") -> None:
        text = self._tree.snapshot
        digest = "" if complete else digest
        # files whose code is missing are linked without, and again later
        complete = complete and self._tree.is_complete
        source = digest_of_segments(text)
        progress = GraphProgress(self._signature, text.generation, complete, digest, source)
        self._index.settings = progress.to_settings()
        self._writer.commit()
