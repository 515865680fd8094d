"""The cost of a build: requests to the store, bytes moved, bytes read, processor seconds."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator

from index_format.tuples import NamedTuple
from repo_mcp.remote.publish import ObjectRow, ObjectStore, VersionedObject


class CostReport(NamedTuple):
    """Sums over some tasks; `cpu_seconds` includes the processes that they started."""

    tasks: int = 0
    reused: int = 0
    bytes_read: int = 0
    cpu_seconds: float = 0.0
    requests: int = 0
    sent: int = 0
    received: int = 0

    def plus(self, other: CostReport) -> CostReport:
        """Both together."""
        return CostReport._make(a + b for a, b in zip(self, other, strict=True))


class CountingStore:
    """An object store that counts its requests and the bytes that it moves."""

    def __init__(self, store: ObjectStore) -> None:
        self.lists = store.lists
        self._store = store
        self._lock = threading.Lock()
        self._requests = self._sent = self._received = 0

    @property
    def cost(self) -> CostReport:
        """The counts so far."""
        with self._lock:
            return CostReport(requests=self._requests, sent=self._sent, received=self._received)

    def get(self, name: str, most: int) -> VersionedObject | None:
        """As the store does."""
        found = self._store.get(name, most)
        self._count(received=0 if found is None else len(found.data))
        return found

    def read(self, name: str, start: int, length: int) -> bytes:
        """As the store does."""
        data = self._store.read(name, start, length)
        self._count(received=len(data))
        return data

    def size(self, name: str) -> int | None:
        """As the store does."""
        self._count()
        return self._store.size(name)

    def rows(self, folder: str) -> Iterator[ObjectRow]:
        """As the store does."""
        self._count()
        return self._store.rows(folder)

    def put(self, name: str, pieces: Iterable[bytes]) -> None:
        """As the store does."""
        self._count()
        self._store.put(name, self._counted(pieces))

    def create(self, name: str, data: bytes) -> bool:
        """As the store does."""
        self._count(sent=len(data))
        return self._store.create(name, data)

    def replace(self, name: str, data: bytes, version: object) -> bool:
        """As the store does."""
        self._count(sent=len(data))
        return self._store.replace(name, data, version)

    def remove(self, name: str) -> None:
        """As the store does."""
        self._count()
        self._store.remove(name)

    def _counted(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self._count(requests=0, sent=len(piece))
            yield piece

    def _count(self, requests: int = 1, sent: int = 0, received: int = 0) -> None:
        with self._lock:
            self._requests += requests
            self._sent += sent
            self._received += received
