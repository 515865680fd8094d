"""The index of one revision, which begins as the checkout's and then differs from it.

Segments of the checkout's index are linked into the folder of the revision, so that they are on the
disk once, and stay when the checkout's index merges them. A mark in the folder says that all files
are as the commit has them: an index without it was not finished, and is never shown.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final, Unpack

from index_format import (
    FileStore,
    Index,
    IndexBusyError,
    IndexMissingError,
    Snapshot,
)
from repo_mcp import side_files
from repo_mcp.budget import Budget, Clock
from repo_mcp.git import DAMAGE, GitHistory, GitObjects, Staging, read_staging
from repo_mcp.indexing.keep.adopting import adopt_indexes, remembered_files
from repo_mcp.indexing.keep.changes import known_stats
from repo_mcp.indexing.keep.fixed_index import FixedIndex
from repo_mcp.indexing.keep.keeper import LinkedGraph, raise_problems
from repo_mcp.indexing.keep.listener import NOBODY, RunListener
from repo_mcp.indexing.keep.manager import IndexManager, RefreshOptions
from repo_mcp.indexing.walk.memory import WalkMemory
from repo_mcp.model import RefreshResult, Settings
from repo_mcp.processes.pool import ProcessStock
from repo_mcp.revisions.revision import Revision
from repo_mcp.safety.sandbox import UNKNOWN_KEY, Sandbox
from repo_mcp.stored import STORED_KINDS, TEXT_INDEX, IndexProgress

# in the folder of the index, once it has all files of the commit
_WHOLE: Final = "whole"
# the folder of the lock of those that make the same index
_MAKING: Final = "making"
_LOCK_SECONDS: Final = 10.0
_POLL_SECONDS: Final = 0.5
# more files than this are searched by their words before they are parsed
_PARSED_AT_ONCE: Final = 200
# what can't be read is named in as many bytes at most
_MOST_MARK: Final = 8192
_MOST_BYTES: Final = 64 << 20
_KEPT_BYTES: Final = 16 << 20
# a file is known to be as a commit has it where its size and time are those that git has noted with
# its hash, and the index has read it at that size and time
_ATTRIBUTES: Final = ".gitattributes"
# git writes other bytes into a checkout than a commit has
_CONVERTING: Final = re.compile(
    rb"\b(?:filter=|eol=crlf|working-tree-encoding=|ident\b)", re.IGNORECASE
)
_CONVERTING_CONFIG: Final = re.compile(
    rb"^[ \t]*(?:autocrlf[ \t]*=[ \t]*true|eol[ \t]*=[ \t]*crlf)", re.MULTILINE | re.IGNORECASE
)
# files whose sizes are compared with those of their objects
_COMPARED: Final = 64


class RevisionIndex(FixedIndex):
    """The index of a revision, which is made once, by what the index of the checkout has."""

    def __init__(
        self,
        settings: Settings,
        sandbox: Sandbox,
        revision: Revision,
        checkout: IndexManager,
        clock: Clock = time.monotonic,
        stock: ProcessStock | None = None,
    ) -> None:
        """Keep the arguments; `settings` have the folder of this index."""
        super().__init__(settings, sandbox, clock, stock=stock)
        self._revision = revision
        self._checkout = checkout
        self._data = settings.data_dir
        # an index without folders that can't be read is whole until others can't
        self._unread = self._noted.partition(b"\n")[2].decode()

    @property
    def unread(self) -> str:
        """The folders of the commit that can't be read."""
        return self._unread

    def set_unread(self, text: str) -> None:
        """Keep which folders can't be read; an index that lacks others is made again."""
        self._unread = text

    def snapshot(self) -> Snapshot | None:
        """The current generation, or None as long as files of the checkout may be in it."""
        return super().snapshot() if self._is_marked else None

    def graph(self, text: Snapshot | None = None) -> LinkedGraph:
        """The graph, once it is of the revision: before, it is that of the checkout."""
        found = super().graph(text)
        return found if found.current else found._replace(snapshot=None)

    @property
    def _is_marked(self) -> bool:
        return self._noted == self._mark

    @property
    def _noted(self) -> bytes:
        """The mark that is in the folder; empty if there is none."""
        try:
            return side_files.get_tagged(self.index_dir, _WHOLE, _MOST_MARK)
        except (OSError, ValueError):
            return b""

    @property
    def _mark(self) -> bytes:
        lacks = f"\n{self.unread}" if self.unread else ""
        return f"{self._revision.tree} {self.text.signature}{lacks}".encode()

    def make(
        self, budget: Budget, listener: RunListener = NOBODY, **options: Unpack[RefreshOptions]
    ) -> RefreshResult:
        """Take over the checkout's index, then index what differs; else index all files."""
        with self._alone(budget):
            force = options.get("force")
            if force or not self.has_words:
                paths = None if force else self._take_over(budget)
                if paths is None:
                    done = super().make(budget, listener, **options)
                else:
                    at_once = len(paths) <= _PARSED_AT_ONCE
                    done = self.refresh_paths(paths, budget, deep=at_once)
                found = self.text.snapshot()
                if found is None or not IndexProgress.of(found).complete:
                    return done
                side_files.put_tagged(self.index_dir, _WHOLE, self._mark)
            if self.is_whole:
                return self.unchanged()
            return self.refresh_paths(self._lacking(), budget, deep=True)

    @property
    def has_words(self) -> bool:
        """True if all words can be searched."""
        progress = self._progress
        return progress is not None and progress.complete

    def _lacking(self) -> list[str]:
        """Files that are indexed by their words alone."""
        text = self.text.snapshot()
        return [] if text is None else self.text.with_memory(lambda it: _shallow_in(it, text))

    @contextmanager
    def _alone(self, budget: Budget) -> Iterator[None]:
        """Hold the lock of those that make this index, of this process and others."""
        with raise_problems():
            side_files.prepare(self._data)
            lock = FileStore(f"{self._data}/{_MAKING}")
            with ExitStack() as held:
                while True:
                    try:
                        held.enter_context(lock.lock(_POLL_SECONDS))
                        break
                    except IndexBusyError:
                        budget.check()
                yield

    def _take_over(self, budget: Budget) -> list[str] | None:
        """Begin as the index of the checkout, if that is whole; the files that differ then."""
        self._checkout.refresh(budget)
        from_checkout = self._checkout.recipe
        git = GitHistory(self._settings.real_root or self._settings.root)
        objects = git.open_objects(_MOST_BYTES, _KEPT_BYTES)
        try:
            with ExitStack() as held:
                for kind in STORED_KINDS:
                    held.enter_context(from_checkout.store(kind).lock(_LOCK_SECONDS))
                here = held.enter_context(self.replacing(budget))
                side_files.forget(here.index_dir, _WHOLE)
                text = Index(from_checkout.store(TEXT_INDEX), TEXT_INDEX.schema).snapshot()
                if IndexProgress.of(text) != IndexProgress(self.text.signature):
                    return None
                memory = remembered_files(self._checkout, text)
                differing = _differing_paths(
                    memory,
                    self._checkout.sandbox,
                    git,
                    objects,
                    bytes.fromhex(self._revision.tree),
                    budget,
                )
                with_code = not self._settings.scip
                memory.assign(adopt_indexes(from_checkout, here, text, with_code=with_code))
        except (IndexBusyError, IndexMissingError, *DAMAGE):
            return None
        finally:
            objects.close()
        # what is known of the files that are the same spares looking at all of them
        self.text.memory = memory
        return differing


def _shallow_in(memory: WalkMemory, text: Snapshot) -> list[str]:
    known_stats(text, memory)
    return [
        item.folder + name
        for item in memory.notable()
        if item.shallow
        for name, _ in memory.shallow_sizes(item.folder)
    ]


def _differing_paths(
    memory: WalkMemory,
    sandbox: Sandbox,
    git: GitHistory,
    objects: GitObjects,
    tree: bytes,
    budget: Budget,
) -> list[str]:
    """Files that a tree has not, or may not have, as an index has them; raises one of `DAMAGE`.

    The `memory` tells when the index has read what; the sandbox is that of the checkout.
    """
    staging = read_staging(git.own)
    found: set[bytes] = set()
    for old, new in staging.changed_since(objects, tree):
        budget.check()
        if old is not None:
            found.add(os.fsencode(old.path))
        if new is not None:
            found.add(new.path)
    converts = _converts(staging, sandbox, git) or _has_other_sizes(staging, objects)
    tracked = {file.path: file for file in (*staging.files, *staging.left_out(objects))}
    for folder in memory.folders:
        budget.check()
        for name, seen in memory.of_folder(folder).items():
            path = os.fsencode(folder + name)
            file = tracked.pop(path, None)
            is_same = file is not None and seen.key != UNKNOWN_KEY and not converts
            if file is None or not (
                is_same and staging.is_as_added(file, seen.key.size, seen.key.mtime_ns)
            ):
                found.add(path)
    # the index has none of these: they are left out by rules, or were not there to be read
    return sorted(map(os.fsdecode, found.union(tracked)))


def _converts(staging: Staging, sandbox: Sandbox, git: GitHistory) -> bool:
    """True if files of the checkout may have other bytes than those of the same hash."""
    if _CONVERTING_CONFIG.search(git.config()):
        return True
    named = (file.path for file in staging.files if file.path.endswith(_ATTRIBUTES.encode()))
    return any(_CONVERTING.search(sandbox.read_rules(os.fsdecode(path))) for path in named)


def _has_other_sizes(staging: Staging, objects: GitObjects) -> bool:
    """True if some files of the checkout are longer or shorter than what the repository has."""
    step = -(-len(staging.files) // _COMPARED) or 1
    return any(
        file.size and file.mode.startswith(b"100") and objects.size(file.identity) != file.size
        for file in staging.files[::step]
    )
