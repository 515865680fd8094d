"""Reads the indexes of SCIP that the settings name, and keeps what the linker needs of them.

An index is read when its file changes. A side file keeps what is needed of it, for workers too:
it has the fingerprints that the files had then, so that documents of files that change are left
out, and a file that gets its old text back counts again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import xxhash

from code_graph.scip.occurrences import VERSION, ScipBuilder, ScipIndex, ScipReport
from code_graph.scip.report import ScipChanges
from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp import side_files
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.workers.linking import read_scip
from repo_mcp.model import Progress
from repo_mcp.safety.sandbox import Sandbox, StatKey
from repo_mcp.stored import SCIP_FILE

# an index is read as a whole, one after the other, some 10 MB a second
_MAX_BYTES: Final = 128 << 20
_PHASE: Final = "reading SCIP of"
_MOST_INDEXES: Final = 32
_PENDING: Final = "not read yet"


class _Source(NamedTuple):
    """A file as it was last: its key and a hash of its content, or why it can't be read."""

    key: StatKey | None
    print: str
    problem: str = ""


class ScipImport:
    """The imported indexes of one repository."""

    def __init__(self, recipe: Recipe, sandbox: Sandbox) -> None:
        """Nothing is read yet."""
        self._recipe = recipe
        self._paths = recipe.scip[:_MOST_INDEXES]
        self._sandbox = sandbox
        self._sources: dict[str, _Source] = {}
        self._index: ScipIndex | None = None
        # the contents for which nothing was kept when it was looked for
        self._unread = ""
        # what was said last: the generation of the text, the digest, and the answer
        self._said: tuple[int, str, ScipChanges] | None = None

    def digest(self) -> str:
        """A hash of what the linker gets."""
        sources = self._look()
        self._load(sources)
        return _PENDING if self._index is None else self._index.digest

    def prepare(
        self,
        text: Snapshot,
        budget: Budget,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> ScipIndex:
        """The index for the linker; reads those that have changed since the last time."""
        sources = self._look()
        self._unread = ""
        self._load(sources)
        if self._index is None:
            packed = self._read(text, sources, budget, on_progress)
            try:
                side_files.put_tagged(self._recipe.index_dir, SCIP_FILE, packed)
            except OSError as error:
                reason = f"{SCIP_FILE} can't be written: {error.strerror}"
                raise Problem("index_unavailable", reason) from None
            self._index = ScipIndex(packed)
        return self._index

    def changes(self, text: Snapshot) -> ScipChanges:
        """The part that counts for the files of a text, as far as fingerprints tell."""
        key = text.generation, self.digest()
        if self._said is None or self._said[:2] != key:
            self._said = (*key, self._compare(text))
        return self._said[2]

    def _compare(self, text: Snapshot) -> ScipChanges:
        index = self._index
        if index is None:
            problems = [
                ScipReport(path, problem=self._sources[path].problem or _PENDING)
                for path in self._paths
            ]
            return ScipChanges(tuple(problems), 0, 0)
        changed = sum(index.fingerprint(path) != _fingerprint(text, path) for path in index.paths)
        return ScipChanges(index.reports, len(index.paths), changed)

    def _look(self) -> str:
        """A hash of the contents of all indexes; reads those whose files have changed."""
        for path in self._paths:
            self._sources[path] = self._look_at(path)
        prints = [[path, self._sources[path].print] for path in self._paths]
        return xxhash.xxh3_128_hexdigest(repr((VERSION, prints)).encode("utf-8", "surrogatepass"))

    def _look_at(self, path: str) -> _Source:
        known = self._sources.get(path)
        try:
            key = self._sandbox.file_key(path, most_bytes=_MAX_BYTES)
            if known is not None and known.key == key:
                return known
            content = self._sandbox.read(path, most_bytes=_MAX_BYTES)
        except Problem as problem:
            return _Source(None, problem.code, f"{problem.reason}. {problem.hint}")
        return _Source(content.key, xxhash.xxh3_128_hexdigest(content.data))

    def _load(self, sources: str) -> None:
        """Take what was kept, if it is of these contents."""
        if self._index is not None and self._index.sources == sources:
            return
        self._index = None
        if sources == self._unread:
            return
        found = read_scip(self._recipe)
        if found is not None and found.sources == sources:
            self._index = found
        else:
            self._unread = sources

    def _read(
        self,
        text: Snapshot,
        sources: str,
        budget: Budget,
        on_progress: Callable[[Progress], None],
    ) -> bytes:
        builder, begun = ScipBuilder(lambda path: _fingerprint(text, path)), budget.clock()

        def on_read(files: int, all_files: int, size: int, all_size: int) -> None:
            budget.check()
            seconds = budget.clock() - begun
            on_progress(Progress(_PHASE, files, all_files, size, all_size, seconds))

        for path in self._paths:
            problem = self._sources[path].problem
            if not problem:
                try:
                    data = self._sandbox.read(path, most_bytes=_MAX_BYTES).data
                except Problem as error:
                    problem = error.reason
                else:
                    builder.add(path, data, on_read)
                    continue
            builder.refuse(path, problem)
        return builder.pack(sources)


def _fingerprint(text: Snapshot, path: str) -> bytes:
    """The fingerprint of an indexed file; empty for none."""
    record = text.file(path)
    return b"" if record is None else record.fingerprint
