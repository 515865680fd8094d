"""The searches of one repository on an engine: connected and made ready beside them, or waited for.

Until the workers have opened the segments of a snapshot, and when no worker is left, searches read
them here: answers are the same. Segments that no worker can get, as those of files that were saved
a moment ago, are read here, too.
"""

from __future__ import annotations

import threading
import weakref
from contextlib import ExitStack
from pathlib import Path

from index_format import Limit, Snapshot
from repo_mcp.console import log_call, log_place
from repo_mcp.errors import Problem
from repo_mcp.remote.cluster.asking import ANSWER_SECONDS, WAITED_SHARE, SegmentReaders
from repo_mcp.remote.cluster.engine import LIST_SECONDS, ClusterEngine, check_url, open_engine
from repo_mcp.remote.cluster.shards.orders import ShardSource
from repo_mcp.stored import TEXT_INDEX

__all__ = ["DistributedSearch"]


class DistributedSearch:
    """Makes snapshots distributed once workers can read them; thread-safe."""

    def __init__(
        self, url: str, data_dir: str, source: ShardSource, seconds: float = ANSWER_SECONDS
    ) -> None:
        """Nothing is connected yet; a local engine works in the data folder."""
        self._url = url
        self._data_dir = data_dir
        self._source = source
        self._seconds = seconds
        self._opened = ExitStack()
        self._lock = threading.Lock()
        self._preparing: threading.Thread | None = None
        self._is_closed = False
        self._ready: weakref.ref[Snapshot] | None = None
        self.engine: ClusterEngine | None = None
        self.readers: SegmentReaders | None = None

    @classmethod
    def of(cls, url: str, data_dir: str, segments: str) -> DistributedSearch:
        """The searches of the index in a data folder, which workers find there or at an address."""
        check_url(url)
        folder = "" if segments else str(Path(data_dir, TEXT_INDEX.folder))
        return cls(url, data_dir, ShardSource(folder, segments))

    def __call__(self, snapshot: Snapshot, limit: Limit | None = None) -> Snapshot:
        """The snapshot as the workers read it, if they are ready, else as it is; does not wait."""
        readers = self.readers
        if readers is not None and self._is_ready(snapshot):
            left = None if limit is None else limit.seconds_left
            if readers.workers(LIST_SECONDS if left is None else left * WAITED_SHARE):
                return readers.distributed(snapshot)
            if self.engine is not None and self.engine.is_connected:
                return snapshot
        with self._lock:
            if self._preparing is None and not self._is_closed:
                self._preparing = threading.Thread(
                    target=self._prepare, args=(snapshot,), name="repo-mcp-spread", daemon=True
                )
                self._preparing.start()
        return snapshot

    def wait(self, snapshot: Snapshot, limit: Limit | None = None) -> Snapshot:
        """The snapshot as the workers read it, once they can; `Problem` without an engine."""
        self._connect()
        if self.readers is not None and self._is_ready(snapshot):
            return self.readers.distributed(snapshot)
        if self.readers is None or self.readers.prepare(snapshot, limit):
            raise Problem("engine_unusable", "its workers can't read the index")
        self._ready = weakref.ref(snapshot)
        return self.readers.distributed(snapshot)

    def close(self) -> None:
        """End a local engine, and the connection to another one."""
        with self._lock:
            self._is_closed = True
        self._opened.close()

    def _is_ready(self, snapshot: Snapshot) -> bool:
        return self._ready is not None and self._ready() is snapshot

    def _prepare(self, snapshot: Snapshot) -> None:
        try:
            self.wait(snapshot)
        except Problem as problem:
            log_call(f"searches are not spread: {problem.reason}")
        except Exception as error:  # noqa: BLE001 an engine may fail in many ways
            if not self._is_closed:  # else it was closed while it started
                log_place(error)
        finally:
            with self._lock:
                self._preparing = None

    def _connect(self) -> None:
        """Connect, if there is no connection, or it is lost."""
        if self.engine is not None and self.engine.is_connected:
            return
        self._opened.close()
        self.readers = self._ready = None
        with ExitStack() as opened:
            engine = opened.enter_context(open_engine(self._url, self._data_dir))
            engine.wait_for_workers()
            self._opened = opened.pop_all()
        self.engine = engine
        self.readers = SegmentReaders(engine, self._source, self._seconds)
        if self._is_closed:
            self._opened.close()
