"""Rebuilds segments of text and code from the files, and compares names: hashes of the bytes.

A segment's bytes depend on its files alone, so one that was made of these files has the name that a
rebuild gives. Files that have changed since, and dead ones, are taken out on both sides: what is
left of the stored segment is merged into a new one, which has to have the name of a segment of the
files that are left. Code is made from facts that were found here, never from the audited ones. The
graph is linked from all files at once and has no segments that could be rebuilt alone.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from typing import Final, Literal

from code_graph import Languages
from index_format import (
    FileStore,
    Index,
    IndexMissingError,
    LiveSegment,
    MergeTask,
    SegmentEntry,
    Snapshot,
    adopt_manifest,
    read_segment,
    receive_segment,
)
from index_format.analysis.content import fingerprint
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp import side_files
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.build.tasks import BuildResult, FileTask, build_tasks
from repo_mcp.indexing.keep.code_index import CodeIndex
from repo_mcp.indexing.keep.keeper import raise_problems
from repo_mcp.indexing.workers.file_jobs import group_files
from repo_mcp.indexing.workers.lowering import LoweredPart, lower_tasks
from repo_mcp.indexing.workers.merging import MEMORY, MergeJob
from repo_mcp.indexing.workers.pool import Pool
from repo_mcp.model import Settings
from repo_mcp.processes.pool import Job, usual_workers
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import CODE_INDEX, TEXT_INDEX, IndexProgress, StoredKind

# beside the indexes: what is rebuilt, while an audit runs
_FOLDER: Final = "audit"
_RUNNING: Final = "running"
_LOCK_SECONDS: Final = 1.0
AUDITED: Final = (TEXT_INDEX, CODE_INDEX)

# "unjudged": no file of it is as it was indexed
Verdict = Literal["right", "altered", "unjudged"]


class SegmentVerdict(NamedTuple):
    """The result of a rebuild: `compared` of the segment's files were as they were indexed."""

    kind: str
    segment: str
    verdict: Verdict
    files: int
    compared: int


class _File(NamedTuple):
    path: str
    fingerprint: bytes
    size: int


class _Sample(NamedTuple):
    kind: StoredKind
    snapshot: Snapshot
    segment: LiveSegment


class SegmentAudit:
    """Audits the indexes in a folder; other processes may change them meanwhile."""

    def __init__(self, settings: Settings, sandbox: Sandbox, index_dir: str) -> None:
        """Keep the arguments; reads nothing."""
        own = sandbox.own_path(settings.data_dir)
        given = settings.data_dir + index_dir.removeprefix(own)
        self._recipe = Recipe.of(settings, index_dir)
        scratch = Recipe.of(settings, os.path.join(given, _FOLDER))
        workers = replace(scratch, folder=tuple(sandbox.folder))
        self._scratch = scratch.within(sandbox)
        self._sandbox = sandbox
        self._languages = Languages(settings.languages)
        self._pool = Pool(workers, settings.workers or usual_workers())

    def run(self, count: int, seed: int, budget: Budget) -> Iterator[SegmentVerdict]:
        """Rebuild so many segments, chosen by the seed, or all if there are fewer."""
        with raise_problems():
            rows = self._segments()
        chosen = random.Random(seed).sample(rows, min(count, len(rows)))  # noqa: S311 who audits chooses it
        with closing(self._pool), raise_problems(), self._folder():
            for sample in chosen:
                try:
                    yield self._judge(sample, budget)
                finally:
                    self._empty()

    def _segments(self) -> list[_Sample]:
        """The segments of the current generations, by name."""
        text = Index(self._recipe.store(create=False), TEXT_INDEX.schema).snapshot()
        progress = IndexProgress.of(text)
        if not (progress.complete and progress.deep):
            raise Problem("index_behind", "only a complete index is audited")
        code = CodeIndex(self._recipe, self._languages).signature(text)
        found = []
        for kind in AUDITED:
            with suppress(IndexMissingError):
                store = self._recipe.store(kind, create=False)
                snapshot = Index(store, kind.schema).snapshot()
                if kind is CODE_INDEX and snapshot.manifest.settings != code:
                    continue  # it is made anew by the next link
                found += [_Sample(kind, snapshot, segment) for segment in snapshot.segments]
        return sorted(found, key=lambda sample: (sample.kind.folder, sample.segment.entry.name))

    @contextmanager
    def _folder(self) -> Iterator[None]:
        """Hold an empty folder for what is rebuilt, and remove it at the end."""
        folder = self._scratch.index_dir
        if os.path.islink(folder):
            raise Problem("data_link")
        side_files.prepare(folder)
        # the stores in it are locked by those who publish
        with FileStore(os.path.join(folder, _RUNNING)).lock(_LOCK_SECONDS):
            self._empty()
            try:
                yield
            finally:  # under the lock: who takes it next makes the folder anew
                with suppress(OSError):
                    shutil.rmtree(folder)

    def _empty(self) -> None:
        for kind in AUDITED:
            store = self._scratch.store(kind)
            for name in store.names():
                store.remove(name)

    def _judge(self, sample: _Sample, budget: Budget) -> SegmentVerdict:
        entry, kind = sample.segment.entry, sample.kind
        files = list(self._unchanged_files(sample.segment))
        text = self._publish(TEXT_INDEX, self._build(files, budget))
        files = [file for file in files if _has(text, file)]
        ours = text
        if kind is CODE_INDEX and text is not None:
            ours = self._publish(CODE_INDEX, self._lower(files, budget))
            files = [file for file in files if _has(ours, file)]
        verdict: Verdict = "unjudged"
        if ours is not None and files:
            name = self._merged_name(kind, ours, files, budget)
            whole = len(files) == entry.files
            theirs = entry.name if whole else self._rest_of(sample, files, budget)
            verdict = "right" if name == theirs else "altered"
        return SegmentVerdict(kind.folder, entry.name, verdict, entry.files, len(files))

    def _unchanged_files(self, segment: LiveSegment) -> Iterator[_File]:
        """The live files of a segment that are on the disk as they were indexed."""
        prints = segment.reader.files.fingerprints()
        for name, number in segment.live_files():
            path = name.decode("utf-8", "surrogatepass")
            with suppress(Problem):
                data = self._sandbox.read(path, follow=False).data
                if fingerprint(data) == prints[number]:
                    yield _File(path, prints[number], len(data))

    def _build(self, files: Sequence[_File], budget: Budget) -> list[SegmentEntry]:
        tasks = build_tasks([FileTask(file.path, size=file.size) for file in files], parse=True)
        found = [done for done in self._results(tasks, budget) if isinstance(done, BuildResult)]
        return [done.entry for done in found if done.entry is not None]

    def _lower(self, files: Sequence[_File], budget: Budget) -> list[SegmentEntry]:
        sizes = [(file.path, file.size) for file in files]
        prints = {file.path: file.fingerprint for file in files}
        tasks = lower_tasks(group_files(sizes), prints)
        found = [done for done in self._results(tasks, budget) if isinstance(done, LoweredPart)]
        return [done.entry for done in found if done.entry is not None]

    def _publish(self, kind: StoredKind, entries: Sequence[SegmentEntry]) -> Snapshot | None:
        """A generation of these segments, which workers read from."""
        if not entries:
            return None
        with Index(self._scratch.store(kind), kind.schema).writer() as writer:
            for entry in entries:
                writer.adopt(entry)
            return writer.commit()

    def _rest_of(self, sample: _Sample, files: Sequence[_File], budget: Budget) -> str:
        """The name that a segment has without its other files."""
        self._empty()
        kind, segment = sample.kind, sample.segment
        store = self._scratch.store(kind)
        receive_segment(store, segment.entry, read_segment(self._recipe.store(kind), segment.entry))
        manifest = replace(sample.snapshot.manifest, segments=(segment.entry,))
        adopt_manifest(store, manifest, "")
        snapshot = Index(store, kind.schema).snapshot()
        return self._merged_name(kind, snapshot, files, budget)

    def _merged_name(
        self, kind: StoredKind, snapshot: Snapshot, files: Sequence[_File], budget: Budget
    ) -> str:
        """The name of one segment with these files of a generation in the folder."""
        entries = snapshot.manifest.segments
        if len(entries) == 1 and entries[0].files == len(files):
            return entries[0].name
        places = {segment.entry.name: at for at, segment in enumerate(snapshot.segments)}
        rows = [
            (places[found[0].entry.name], found[1])
            for file in sorted(files, key=lambda file: _encoded(file.path))
            if (found := snapshot.find(file.path)) is not None
        ]
        job = MergeJob(MergeTask.of_files(entries, rows, MEMORY), kind)
        (merged,) = self._results([job], budget)
        if not isinstance(merged, SegmentEntry):  # pragma: no cover
            raise TypeError
        return merged.name

    def _results(self, jobs: Sequence[Job], budget: Budget) -> Iterator[object]:
        """The results of all jobs."""
        done = 0
        for _, value, is_result in self._pool.run(jobs, budget):
            if is_result:
                done += 1
                yield value
        if done < len(jobs):
            raise Problem("cancelled")


def _encoded(path: str) -> bytes:
    return path.encode("utf-8", "surrogatepass")


def _has(snapshot: Snapshot | None, file: _File) -> bool:
    """True if a rebuild has a file as it was indexed."""
    found = None if snapshot is None else snapshot.file(file.path)
    return found is not None and found.fingerprint == file.fingerprint
