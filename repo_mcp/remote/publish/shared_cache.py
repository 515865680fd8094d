"""The folder of index files that checkouts of one machine share: what goes in, and what leaves.

It is laid out as any place of published indexes, without labels. A checkout without an index adopts
the nearest publication by commits: its own indexes list the segments, which stay where they are. A
checkout that shares its index publishes it there, and then reads the segments there too, in place
of its own copies. The list of what an index needs keeps segments from the collector, as a run does
that publishes; lists of checkouts that are gone grow old, and count no longer after a while.

One lock of the system is held by whoever adds or removes; reading takes none. A process that dies
anywhere leaves segments that nobody needs, or a list of segments that are not needed: both are
collected some time.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import Final

from index_format import (
    CorruptIndexError,
    FileStore,
    Index,
    IndexBusyError,
    IndexFormatError,
    IndexMissingError,
    SharedStore,
    holds_segment,
    share_segments,
)
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import Progress
from repo_mcp.remote.objects.folder import FolderObjects
from repo_mcp.remote.publish import names
from repo_mcp.remote.publish.local_index import LocalIndex
from repo_mcp.remote.publish.notes import read_note
from repo_mcp.remote.publish.publication import Publication, read_publication
from repo_mcp.remote.publish.publishing import IndexExport, Publisher, export
from repo_mcp.remote.publish.pulling import Puller, PullReport
from repo_mcp.remote.publish.retention import collect
from repo_mcp.stored import STORED_KINDS

# a copy of an index takes seconds; longer is waited for by nobody
_ADOPT_WAIT: Final = 20.0
_SHARE_WAIT: Final = 1.0
_INDEX_LOCK_SECONDS: Final = 1.0
_DAY: Final = 24 * 3600.0
# publications that no checkout needs stay so long, and what a checkout needed that is gone
KEEP_SECONDS: Final = 30 * _DAY
GRACE_SECONDS: Final = 7 * _DAY
# where the folder is too large
_SHORT_GRACE: Final = _DAY
# an index that differs by less from one that is there is not worth another
_WORTH_SHARING: Final = 0.1
# folders that no other user may write to, each behind the one it is in
PRIVATE: Final = (
    *("v1", "v1/lock", names.SEGMENTS, names.PUBLICATIONS, names.COMMITS, names.RUNS),
    names.COLLECTOR,
)
_COLLECTED: Final = f"{names.COLLECTOR}/last.json"
_NO_LABEL: Final = None


class ShareReport(NamedTuple):
    """The result of sharing: bytes that went into the folder, and of own copies removed."""

    added_size: int = 0
    freed_size: int = 0


class CacheUse(NamedTuple):
    """The use of the folder: bytes of all segments, and how many checkouts list some."""

    size: int
    checkouts: int


class SharedCache:
    """The shared folder; `most_bytes` is what it may grow to."""

    def __init__(
        self,
        objects: FolderObjects,
        most_bytes: int,
        budget: Budget,
        on_progress: Callable[[Progress], None] = lambda _: None,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        """Keep the arguments; reads nothing."""
        self._folder = objects.folder
        self._objects = objects
        self._most = most_bytes
        self._budget = budget
        self._on_progress = on_progress
        self._wall_clock = wall_clock

    def adopt(
        self, local: LocalIndex, siblings: Iterable[LocalIndex] = (), *, keeps_copies: bool = False
    ) -> PullReport:
        """Let a checkout read the nearest index in place; one of a sibling is copied here first.

        Where the folder can be read and not written, the index is copied from it, and so it is for
        a checkout that keeps copies.
        """
        local = local._replace(trust=())  # the recipe of what is shared has the keys
        if not local.commit:
            raise Problem("publication_missing", "the checkout has no commit")
        objects, budget, on_progress = self._objects, self._budget, self._on_progress
        if not os.access(self._folder, os.W_OK) and os.path.isdir(self._folder):
            objects.check_private()
            return Puller(objects, budget, on_progress).pull(local, _NO_LABEL)
        with self._locked(_ADOPT_WAIT):
            puller = Puller(objects, budget, on_progress, in_place=not keeps_copies)
            nearest = self._nearest(puller, local)
            if nearest is None:
                self._add_nearest(local, siblings)
            try:
                return puller.pull(local, _NO_LABEL)
            except Problem as problem:
                if problem.code == "publication_invalid" and nearest is not None:
                    self._remove_damaged(nearest)
                raise

    def share(self, local: LocalIndex, *, keep_copies: bool = False) -> ShareReport:
        """Lend a complete index to other checkouts, and read it here as they do."""
        local = local._replace(trust=())
        if not local.commit or not _has_much_of_its_own(local):
            return ShareReport()
        with self._locked(_SHARE_WAIT):
            added = self._add(local, export(local))
            freed = 0 if keep_copies else self._replace_copies(local)
            self._collect_daily()
            return ShareReport(added, freed)

    def collect(self) -> list[str]:
        """Remove what no checkout needs and what is old; more, while the folder is too large."""
        with self._locked(_SHARE_WAIT):
            return self._collect()

    def use(self) -> CacheUse:
        """The use of the folder now."""
        checkouts = {row.name.rpartition("-")[0] for row in self._objects.rows(names.RUNS)}
        return CacheUse(self._size(), len(checkouts))

    @contextmanager
    def _locked(self, seconds: float) -> Iterator[None]:
        self._objects.make_private()
        lock = FileStore(os.path.join(self._folder, "v1", "lock"))
        with ExitStack() as held:
            try:
                held.enter_context(lock.lock(seconds))
            except IndexBusyError:
                raise Problem("index_busy") from None
            except IndexFormatError as error:
                raise Problem("store_unavailable", str(error)[:200]) from error
            # its writer has died: it is put under the lock alone
            self._objects.remove(names.COLLECTOR_NAME)
            yield

    def _add_nearest(self, local: LocalIndex, siblings: Iterable[LocalIndex]) -> None:
        """Copy the index of the nearest sibling that has one into the folder."""
        known = [item for item in siblings if item.commit and item.signature == local.signature]
        near = [local.commit, *local.relatives(dict.fromkeys(item.commit for item in known))]
        ranks = {commit: rank for rank, commit in enumerate(near)}
        usable = (item for item in known if item.commit in ranks)
        for sibling in sorted(usable, key=lambda item: ranks[item.commit]):
            # it has none that is complete, or is still copying it
            with suppress(Problem, CorruptIndexError):
                self._add(sibling, export(sibling))
                return

    def _nearest(self, puller: Puller, local: LocalIndex) -> Publication | None:
        """The nearest publication; removes those that are damaged before."""
        try:
            return puller.nearest(local)
        except Problem as problem:
            if problem.code != "publication_invalid":
                raise
        self._remove_unreadable()
        return puller.nearest(local)

    def _remove_unreadable(self) -> None:
        """Remove what can't be read: publications, commits and lists would stop a collector."""
        for folder, is_sound in _READERS.items():
            for row in list(self._objects.rows(folder)):
                if not is_sound(self._objects, row.name):
                    self._objects.remove(row.name)

    def _add(self, local: LocalIndex, found: IndexExport) -> int:
        """Publish into the folder, unless much the same is there or there is no room."""
        publication = found.publication
        there = {
            row.name.rpartition("/")[2]: row.size for row in self._objects.rows(names.SEGMENTS)
        }
        entries = [entry for _, entry in publication.segments()]
        missing = sum(entry.length for entry in entries if there.get(entry.name) != entry.length)
        size = sum(entry.length for entry in entries)
        if missing < _WORTH_SHARING * size and self._is_found(local, publication):
            return 0
        if sum(there.values()) + missing > self._most:
            self._collect(missing)
            if self._size() + missing > self._most:
                return 0
        publisher = Publisher(self._objects, self._budget, self._on_progress, uploads=1)
        return publisher.publish(found, _NO_LABEL).uploaded_size

    def _is_found(self, local: LocalIndex, publication: Publication) -> bool:
        """True if who looks for this commit finds an index that is much the same."""
        nearest = self._nearest(Puller(self._objects, self._budget), local)
        if nearest is None:
            return False
        sizes = {entry.name: entry.length for _, entry in publication.segments()}
        common = sum(sizes.get(entry.name, 0) for _, entry in nearest.segments())
        return common >= (1 - _WORTH_SHARING) * sum(sizes.values())

    def _replace_copies(self, local: LocalIndex) -> int:
        """Read in the folder what a checkout has copies of; an index that is in use is left out."""
        freed = 0
        there = {row.name.rpartition("/")[2] for row in self._objects.rows(names.SEGMENTS)}
        for kind in STORED_KINDS:
            store = local.store(kind)
            if not isinstance(store, SharedStore):
                continue
            unusable = suppress(IndexBusyError, IndexMissingError, CorruptIndexError)
            with unusable, store.lock(_INDEX_LOCK_SECONDS):
                entries = Index(store, kind.schema).snapshot().manifest.segments
                freed += share_segments(store, (item for item in entries if item.name in there))
        return freed

    def _remove_damaged(self, publication: Publication) -> None:
        """Remove what was refused, so that it is copied again by the next who shares it."""
        store = FileStore(os.path.join(self._folder, *names.SEGMENTS.split("/")))
        for _, entry in publication.segments():
            if not holds_segment(store, entry):
                store.remove(entry.name)
        self._objects.remove(names.publication(publication.identity))

    def _size(self) -> int:
        return sum(row.size for row in self._objects.rows(names.SEGMENTS))

    def _collect_daily(self) -> None:
        now = self._wall_clock()
        rows = self._objects.rows(names.COLLECTOR)
        last = next((row.modified for row in rows if row.name == _COLLECTED), 0.0)
        if not 0 <= now - last < _DAY:
            self._objects.put(_COLLECTED, [b"{}\n"])
            self._collect()

    def _collect(self, coming: int = 0) -> list[str]:
        """Remove what is old, and more where there is no room for so many bytes."""
        now = self._wall_clock()
        self._remove_unreadable()
        for row in list(self._objects.rows(names.RUNS)):
            if self._is_living(row.name):
                self._objects.touch(row.name)
        self._objects.sweep(_DAY, now)
        removed = collect(self._objects, KEEP_SECONDS, self._budget, GRACE_SECONDS)
        if self._size() + coming > self._most:
            removed += collect(self._objects, 0.0, self._budget, _SHORT_GRACE)
        return removed

    def _is_living(self, name: str) -> bool:
        """True if the index that has written a list is still there."""
        found = self._objects.get(name, names.MAX_RUN_BYTES)
        where = None if found is None else json.loads(found.data).get("index")
        kind = names.stem(name).rpartition("-")[2]
        return isinstance(where, str) and os.path.isdir(os.path.join(where, kind))


def _has_much_of_its_own(local: LocalIndex) -> bool:
    """True if a checkout has copies that are worth sharing; reads no segment."""
    own = borrowed = 0
    for kind in STORED_KINDS:
        store = local.store(kind)
        if isinstance(store, SharedStore):
            use = Index(store, kind.schema).disk_use()
            own, borrowed = own + use.total - use.superseded, borrowed + use.shared
    return own > _WORTH_SHARING * (own + borrowed)


def _is_publication(objects: FolderObjects, name: str) -> bool:
    try:
        return read_publication(objects, names.stem(name)) is not None
    except Problem as problem:
        return problem.code != "publication_invalid"


def _is_note(objects: FolderObjects, name: str) -> bool:
    try:
        return read_note(objects, name) is not None
    except Problem as problem:
        return problem.code != "publication_invalid"


def _is_list(objects: FolderObjects, name: str) -> bool:
    try:
        found = objects.get(name, names.MAX_RUN_BYTES)
        return found is not None and isinstance(json.loads(found.data), dict)
    except (ValueError, RecursionError):
        return False
    except Problem as problem:
        return problem.code != "publication_invalid"


_READERS: Final[Mapping[str, Callable[[FolderObjects, str], bool]]] = {
    names.PUBLICATIONS: _is_publication,
    names.COMMITS: _is_note,
    names.RUNS: _is_list,
}
