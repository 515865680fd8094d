"""Lists the folders of a walk in batches, ahead of the walk and on other threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, Generic, Protocol, Self, TypeVar

from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import Folder, Sandbox

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

# folders listed in one go, how many batches ahead, and on how many threads
_BATCH: Final = 64
_BATCHES: Final = 4
_THREADS: Final = 2


class HasPath(Protocol):
    """A folder to be listed."""

    @property
    def path(self) -> str:
        """The folder's path below the root."""


T = TypeVar("T", bound=HasPath)


class FolderLister(Generic[T]):
    """Lists folders in batches, on other threads while the caller looks at those listed before."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._pending: list[T] = []
        self._listed: deque[tuple[list[T], Future[list[Folder | Problem]]]] = deque()
        self._threads: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        """The lister itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the threads; what they list in vain is dropped."""
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)

    def add(self, folders: Iterable[T]) -> None:
        """List these folders as well."""
        self._pending += folders

    def __iter__(self) -> Iterator[tuple[T, Folder | Problem]]:
        """All folders, those added meanwhile too, as they were listed."""
        while self._pending or self._listed:
            while len(self._pending) >= _BATCH and len(self._listed) < _BATCHES:
                self._begin(self._take())
            if self._listed:
                batch, future = self._listed.popleft()
                found = future.result()
            else:
                batch = self._take()
                found = self._sandbox.list_folders([item.path for item in batch])
            yield from zip(batch, found, strict=True)

    def _take(self) -> list[T]:
        batch = self._pending[-_BATCH:]
        del self._pending[-_BATCH:]
        return batch

    def _begin(self, batch: list[T]) -> None:
        if self._threads is None:
            from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 not for a few folders

            self._threads = ThreadPoolExecutor(_THREADS, "lister")
        paths = [item.path for item in batch]
        self._listed.append((batch, self._threads.submit(self._sandbox.list_folders, paths)))
