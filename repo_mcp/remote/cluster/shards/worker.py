"""The part of a worker in searches: it keeps shards open and answers queries.

Segments are read in place from a folder, or copied once from the object store into the worker's
own; either way they are used once the hash of their bytes has given their names.
"""

from __future__ import annotations

import asyncio
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from index_format import (
    CorruptIndexError,
    FileMissingError,
    FileStore,
    IndexFormatError,
    Manifest,
    SegmentEntry,
    SegmentReader,
    ShardSnapshot,
    SnapshotQuery,
    Store,
    import_manifest,
    open_checked,
    open_shard,
    receive_segment,
)
from repo_mcp.budget import Budget, Clock
from repo_mcp.errors import Problem
from repo_mcp.remote.cluster.segments import fetch_pieces
from repo_mcp.remote.cluster.shards.orders import (
    ANSWER,
    BUSY,
    FAILED,
    LACKING,
    REFUSED,
    UNKNOWN,
    VERSION,
    ShardOrder,
    ShardReply,
    ShardRequest,
    ShardSource,
    pack,
    unpack_request,
)
from repo_mcp.remote.publish import ObjectReader, open_reader, segment_object
from repo_mcp.stored import TEXT_INDEX

if TYPE_CHECKING:
    from repo_mcp.remote.cluster.worker import Host

# requests that wait or are being answered, and shards that are kept open
_MOST_WAITING: Final = 16
_MOST_SHARDS: Final = 8
# names of requests that were cancelled before they began
_MOST_CANCELLED: Final = 256
_FOLDER: Final = "repo-mcp-segments"


async def answer_request(data: bytes, dask_worker: Host) -> bytes:
    """Answer a request on the worker that this is called on, beside its event loop."""
    desk = _desk_of(dask_worker)
    if not desk.enter():
        return pack(ShardReply(BUSY))
    try:
        loop = asyncio.get_running_loop()
        request, since = unpack_request(data), desk.clock()
        reply = await loop.run_in_executor(desk.threads, desk.reply, request, since)
    finally:
        desk.leave()
    return pack(reply)


async def cancel_requests(names: list[str], dask_worker: Host) -> None:
    """Leave these requests unanswered, unless they have begun."""
    _desk_of(dask_worker).cancel(names)


class ShardDesk:
    """Answers the requests of one worker, one after the other."""

    def __init__(self, folder: str, clock: Clock = time.monotonic) -> None:
        """Copied segments are kept below a folder."""
        self.clock = clock
        self.threads = ThreadPoolExecutor(1, thread_name_prefix="repo-mcp-shard")
        self._folder = Path(folder, _FOLDER)
        self._lock = threading.Lock()
        self._waiting = 0
        self._cancelled: OrderedDict[str, None] = OrderedDict()
        self._shards: OrderedDict[str, ShardSnapshot] = OrderedDict()

    def enter(self) -> bool:
        """Take a place among those who wait, if there is one."""
        with self._lock:
            if self._waiting >= _MOST_WAITING:
                return False
            self._waiting += 1
            return True

    def leave(self) -> None:
        """Give the place back."""
        with self._lock:
            self._waiting -= 1

    def cancel(self, names: list[str]) -> None:
        """Remember what need not be answered."""
        with self._lock:
            self._cancelled.update(dict.fromkeys(names))
            while len(self._cancelled) > _MOST_CANCELLED:
                self._cancelled.popitem(last=False)

    def reply(self, request: ShardRequest, since: float | None = None) -> ShardReply:
        """The reply to a request that came then; what can go wrong is part of it."""
        if request.version != VERSION:
            return ShardReply(REFUSED, VERSION)
        if request.identity in self._cancelled or self._is_late(request, since):
            return ShardReply(FAILED, "nobody waits")
        try:
            return self._answer(request)
        except _LackingError as error:
            return ShardReply(LACKING, error.names)
        except Problem as problem:
            return ShardReply(FAILED, f"{problem.code}: {problem.detail}")
        except (OSError, IndexFormatError) as error:
            return ShardReply(FAILED, str(error)[:200])

    def _is_late(self, request: ShardRequest, since: float | None) -> bool:
        return since is not None and self.clock() - since >= request.seconds

    def _answer(self, request: ShardRequest) -> ShardReply:
        snapshot = self._shards.get(request.shard)
        if snapshot is None:
            if request.order is None:
                return ShardReply(UNKNOWN)
            snapshot = self._open(request.shard, request.order)
        self._shards.move_to_end(request.shard)
        query = cast("SnapshotQuery[object] | None", request.query)
        return ShardReply(ANSWER, None if query is None else query.answer(snapshot))

    def _open(self, name: str, order: ShardOrder) -> ShardSnapshot:
        """Open a shard; segments of other shards that are open are open already."""
        manifest = import_manifest(order.manifest, TEXT_INDEX.schema)
        known: dict[str, SegmentReader] = {
            item.entry.name: item.reader
            for snapshot in self._shards.values()
            for item in snapshot.segments
        }
        store, remote = self._stores(order.source)
        lacking: list[str] = []
        for entry in manifest.segments:
            if entry.name not in known:
                try:
                    known[entry.name] = _open_segment(store, remote, entry, manifest)
                except (FileMissingError, CorruptIndexError):
                    lacking.append(entry.name)
        if lacking:
            raise _LackingError(lacking)
        snapshot = open_shard(store, manifest, order.statistics, known)
        self._shards[name] = snapshot
        while len(self._shards) > _MOST_SHARDS:
            self._shards.popitem(last=False)
        if remote is not None:
            self._remove_unused(store)
        return snapshot

    def _stores(self, source: ShardSource) -> tuple[Store, ObjectReader | None]:
        """The store of segments, and the source of those that are missing in it."""
        if source.folder:
            return FileStore(source.folder, create=False), None
        return FileStore(self._folder), open_reader(source.url)

    def _remove_unused(self, store: Store) -> None:
        """Remove copies of segments that no open shard has."""
        used = {item.entry.name for shard in self._shards.values() for item in shard.segments}
        for name in set(store.names()) - used:
            store.remove(name)


class _LackingError(Exception):
    """The source has no such segments, or other bytes under their names."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(*names)
        self.names = names


def _open_segment(
    store: Store, remote: ObjectReader | None, entry: SegmentEntry, manifest: Manifest
) -> SegmentReader:
    """A segment whose bytes gave its name, copied first if need be."""
    if remote is not None and not _is_there(store, entry):
        receive_segment(store, entry, _pieces(remote, entry))
    return open_checked(store, entry, manifest.schema)


def _pieces(remote: ObjectReader, entry: SegmentEntry) -> Iterator[bytes]:
    try:
        yield from fetch_pieces(remote, segment_object(entry.name), entry.length, Budget())
    except Problem as problem:
        if problem.code == "publication_invalid":  # there is none
            raise FileMissingError(entry.name) from problem
        raise


def _is_there(store: Store, entry: SegmentEntry) -> bool:
    try:
        store.open(entry.name).close()
    except FileMissingError:
        return False
    return True


def _desk_of(host: Host) -> ShardDesk:
    desk = _DESKS.get(host)
    if desk is None:
        desk = _DESKS[host] = ShardDesk(host.local_directory)
    return desk


# by worker, as some processes have several
_DESKS: Final[weakref.WeakKeyDictionary[Host, ShardDesk]] = weakref.WeakKeyDictionary()
