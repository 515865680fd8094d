"""Compares the folders that a walk has visited before with hashes of what they held.

A digest of a folder has two parts: the hash of its listing (`Folder.hash`), and a hash of the
ignore rules that it inherits. A folder without a digest was not compared, and has to be visited.

Every folder that a walk has entered below a folder with a digest is known itself, if need be
without a digest. So where a folder and all known ones below it hold what they held, there are no
others.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.safety.sandbox import HASH_BYTES, Sandbox

DIGEST_BYTES: Final = 2 * HASH_BYTES
# folders that are compared in one go, and on how many threads
_BATCH: Final = 256
_THREADS: Final = 2


class KnownFolders(NamedTuple):
    """The folders of the last walk in order, each with its slash (the root is ""), and digests."""

    paths: Sequence[str] = ()
    digests: Sequence[bytes] = ()

    def find(self, folder: str) -> int:
        """The number of a folder; -1 if it is not known."""
        at = bisect_left(self.paths, folder)
        return at if at < len(self.paths) and self.paths[at] == folder else -1

    def digest(self, folder: str) -> bytes:
        """The digest of a folder; empty if it has none."""
        at = self.find(folder)
        return b"" if at < 0 else self.digests[at]


class UnchangedFolders(NamedTuple):
    """Known folders, by their numbers, that hold the same files as at the last walk."""

    first: int
    end: int


class SameFolders:
    """The known folders that hold what they held, and need no visit."""

    def __init__(self, known: KnownFolders, to_visit: set[str]) -> None:
        """`to_visit` has each folder that differs, and all above it."""
        self._known = known
        self._to_visit = to_visit

    def digest(self, folder: str) -> bytes:
        """The digest that a folder had; empty if it had none."""
        return self._known.digest(folder)

    def subfolders(self, folder: str) -> Iterator[str]:
        """The known subfolders of a folder, without slashes."""
        paths = self._known.paths
        at = self._known.find(folder) + 1
        while at < len(paths) and paths[at].startswith(folder):
            path = paths[at][: paths[at].index("/", len(folder))]
            yield path
            at = bisect_left(paths, f"{path}0", at)

    def below(self, path: str, rules: bytes) -> UnchangedFolders | None:
        """A folder and those below it, if all are as they were with these rules; else None."""
        folder = f"{path}/"
        if folder in self._to_visit:
            return None
        paths = self._known.paths
        first = self._known.find(folder)
        if first < 0 or self._known.digests[first][HASH_BYTES:] != rules:
            return None
        # the character behind the slash: the first path that does not begin with this one
        return UnchangedFolders(first, bisect_left(paths, f"{path}0", first))


def same_but(known: KnownFolders, differing: Iterable[str]) -> SameFolders:
    """All known folders with digests but these are taken to hold what they held."""
    to_visit: set[str] = set()
    for folder, digest in zip(known.paths, known.digests, strict=True):
        if len(digest) != DIGEST_BYTES or not folder:
            _add_with_parents(folder, to_visit)
    for folder in differing:
        _add_with_parents(folder, to_visit)
    return SameFolders(known, to_visit)


def find_same(
    sandbox: Sandbox, known: KnownFolders, device: int, between: Callable[[], None]
) -> SameFolders:
    """Compare all known folders; `between` is called often, and may raise."""
    to_visit: set[str] = set()
    compared: list[int] = []
    for at, digest in enumerate(known.digests):
        if len(digest) == DIGEST_BYTES and known.paths[at]:
            compared.append(at)
        else:
            _add_with_parents(known.paths[at], to_visit)
    batches = [compared[at : at + _BATCH] for at in range(0, len(compared), _BATCH)]

    def compare(batch: Sequence[int]) -> bytes:
        paths = [known.paths[at][:-1] for at in batch]
        hashes = b"".join([known.digests[at][:HASH_BYTES] for at in batch])
        return sandbox.same_folders(paths, hashes, device)

    for number, same in _in_threads(compare, batches, between):
        if not all(same):
            for at, is_same in zip(batches[number], same, strict=True):
                if not is_same:
                    _add_with_parents(known.paths[at], to_visit)
    return SameFolders(known, to_visit)


def _add_with_parents(folder: str, to_visit: set[str]) -> None:
    while folder not in to_visit:
        to_visit.add(folder)
        folder = folder[: folder.rfind("/", 0, -1) + 1]


def _in_threads(
    work: Callable[[Sequence[int]], bytes],
    batches: Sequence[Sequence[int]],
    between: Callable[[], None],
) -> Iterator[tuple[int, bytes]]:
    """The batches' numbers and results, as they are done; on this thread if there is one only."""
    if len(batches) < _THREADS:
        for number, batch in enumerate(batches):
            between()
            yield number, work(batch)
        return
    results: SimpleQueue[tuple[int, bytes | BaseException]] = SimpleQueue()
    pending = deque(enumerate(batches))

    def run() -> None:
        with suppress(IndexError):  # nothing is pending any more
            while True:
                number, batch = pending.popleft()
                results.put((number, _outcome(work, batch)))

    threads = [threading.Thread(target=run, name="comparer", daemon=True) for _ in range(_THREADS)]
    for thread in threads:
        thread.start()
    try:
        for _ in batches:
            between()
            number, found = results.get()
            if isinstance(found, BaseException):
                raise found
            yield number, found
    finally:
        pending.clear()
        for thread in threads:
            thread.join()


def _outcome(work: Callable[[Sequence[int]], bytes], batch: Sequence[int]) -> bytes | BaseException:
    try:
        return work(batch)
    except BaseException as error:  # noqa: BLE001 the thread that asked raises it
        return error
