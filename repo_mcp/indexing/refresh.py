"""Brings an index up to date: what changed is added, what is gone removed, the rest left alone.

A file counts as unchanged when its content has the stored fingerprint and size. Work that takes
long is published now and then, marked as partial until a walk has come to its end.
"""

from __future__ import annotations

import time
from typing import Final, NamedTuple

from index_format import Index, IndexMissingError, IndexWriter, Snapshot
from repo_mcp.analysis import Analyser
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.discovery import Discovery
from repo_mcp.indexing.documents import document
from repo_mcp.sandbox import Content, Sandbox
from repo_mcp.text import fingerprint

PARTIAL: Final = " partial"
_MEMORY: Final = 256 * 1024 * 1024
_PUBLISH_SECONDS: Final = 5.0


class Counts(NamedTuple):
    """What a refresh did."""

    added: int
    updated: int
    removed: int
    complete: bool


class Refresh:
    """One run; the index's settings say afterwards whether it came to its end."""

    def __init__(
        self, index: Index, sandbox: Sandbox, discovery: Discovery, settings: str, budget: Budget
    ) -> None:
        """Take what the run works with; `settings` is what documents depend on."""
        self._index = index
        self._sandbox = sandbox
        self._discovery = discovery
        self._settings = settings
        self._budget = budget
        self._analyser = Analyser()
        self._seen: set[str] = set()
        self._added = self._updated = self._removed = 0

    def run(self, *, force: bool) -> Counts:
        """Compare, change, publish, tidy up."""
        with self._index.writer(memory=_MEMORY) as writer:
            base = current(self._index)
            stale = base is not None and base.manifest.settings.split(" ")[0] != self._settings
            self._index.settings = self._settings + PARTIAL
            if stale and base is not None:  # nothing that other rules let in may be shown meanwhile
                for path in base.paths():
                    writer.remove(path)
            complete = self._add_changed(writer, base, anew=force or stale)
            self._remove_gone(writer, base, all_unseen=complete or stale)
            if complete:
                self._index.settings = self._settings
            writer.commit()
        if complete:
            self._index.compact(full=base is None or stale or force, memory=_MEMORY)
            self._index.collect_garbage()
        return Counts(self._added, self._updated, self._removed, complete)

    def _add_changed(self, writer: IndexWriter, base: Snapshot | None, *, anew: bool) -> bool:
        """Whether the walk came to its end in time."""
        published = time.monotonic()
        for path in self._discovery.paths(self._budget):
            if self._budget.spent:
                return False
            self._budget.check()
            content = self._read(path)
            if content is not None:
                self._add(writer, base, content, anew=anew)
            if time.monotonic() - published > _PUBLISH_SECONDS:
                writer.commit()
                published = time.monotonic()
        return True

    def _read(self, path: str) -> Content | None:
        try:
            return self._sandbox.read(path, follow=False)
        except Problem as problem:
            self._discovery.left_out[problem.code] += 1
            return None

    def _add(
        self, writer: IndexWriter, base: Snapshot | None, content: Content, *, anew: bool
    ) -> None:
        known = base.file(content.path) if base is not None else None
        same = known is not None and known.size == len(content.data)
        if same and not anew and known and known.fingerprint == fingerprint(content.data):
            self._seen.add(content.path)
            return
        made = document(content, self._analyser, writer.vocabulary)
        if made is None:
            self._discovery.left_out["binary"] += 1
            return
        writer.add(made)
        self._seen.add(content.path)
        self._updated += known is not None
        self._added += known is None

    def _remove_gone(self, writer: IndexWriter, base: Snapshot | None, *, all_unseen: bool) -> None:
        for path in base.paths() if base is not None and all_unseen else ():
            if path not in self._seen:
                writer.remove(path)
                self._removed += 1


def current(index: Index) -> Snapshot | None:
    """The current generation, None when there is none."""
    try:
        return index.snapshot()
    except IndexMissingError:
        return None
