"""Checkouts that share a folder, and folders in which a process ends at an operation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from index_format import MemoryStore, SharedStore, Store
from repo_mcp.indexing.build.shared_folder import SharedFolder
from repo_mcp.remote.publish import PRIVATE, FolderObjects, ObjectRow, SharedCache, VersionedObject
from repo_mcp.stored import STORED_KINDS
from tests.repo_mcp.remote.publish.checkouts import Checkout, Files, budget
from tests.repo_mcp.remote.publish.objects import Crash

T = TypeVar("T")
DAY = 24 * 3600.0
MOST = 1 << 30
COMMIT = "1" * 40


class Steps:
    """Counts operations; before one of them the process ends."""

    def __init__(self, at: int = -1) -> None:
        self.done: list[str] = []
        self._at = at

    def step(self, what: str, work: Callable[[], T]) -> T:
        number = len(self.done)
        self.done.append(what)
        if number == self._at:
            raise Crash
        return work()


class CountedFolder(FolderObjects):
    """A folder each of whose operations is counted."""

    def __init__(self, folder: Path, steps: Steps) -> None:
        super().__init__(str(folder), PRIVATE)
        self._steps = steps

    def get(self, name: str, most: int) -> VersionedObject | None:
        return self._steps.step(f"get {name}", lambda: super(CountedFolder, self).get(name, most))

    def rows(self, folder: str) -> Iterator[ObjectRow]:
        found = super().rows
        return iter(self._steps.step(f"rows {folder}", lambda: list(found(folder))))

    def put(self, name: str, pieces: Iterable[bytes]) -> None:
        self._steps.step(f"put {name}", lambda: super(CountedFolder, self).put(name, pieces))

    def create(self, name: str, data: bytes) -> bool:
        made = super().create
        return self._steps.step(f"create {name}", lambda: made(name, data))

    def remove(self, name: str) -> None:
        self._steps.step(f"remove {name}", lambda: super(CountedFolder, self).remove(name))

    def touch(self, name: str) -> None:
        self._steps.step(f"touch {name}", lambda: super(CountedFolder, self).touch(name))


class CountedSource(SharedFolder):
    """A source whose changes of the list are counted."""

    def __init__(self, folder: str, index_dir: str, kind: str, steps: Steps) -> None:
        super().__init__(folder, index_dir, kind)
        self._steps = steps

    def list_needed(self, segments: frozenset[str]) -> None:
        listed = super().list_needed
        self._steps.step(f"list {sorted(segments)}", lambda: listed(segments))


class SharingCheckout(Checkout):
    """A checkout whose indexes share the segments of a folder."""

    def __init__(
        self,
        place: Path,
        name: str,
        files: Files | None = None,
        commit: str = COMMIT,
        own: dict[str, Store] | None = None,
        steps: Steps | None = None,
    ) -> None:
        self.place = place
        index_dir = place / name
        self.own: dict[str, Store] = {}
        stores: dict[str, Store] = {}
        for kind in STORED_KINDS:
            (index_dir / kind.folder).mkdir(parents=True, exist_ok=True)
            own_store = (own or {}).get(kind.folder, MemoryStore(origin_key=name.encode()))
            self.own[kind.folder] = own_store
            args = str(place / "cache"), str(index_dir), kind.folder
            source = CountedSource(*args, steps) if steps else SharedFolder(*args)
            stores[kind.folder] = SharedStore(own_store, source)
        super().__init__(files or {}, commit=commit, stores=stores)
        self.steps = steps

    def cache(self, most: int = MOST, now: float | None = None) -> SharedCache:
        folder = self.place / "cache"
        objects = (
            CountedFolder(folder, self.steps) if self.steps else FolderObjects(str(folder), PRIVATE)
        )
        if now is None:
            return SharedCache(objects, most, budget())
        return SharedCache(objects, most, budget(), wall_clock=lambda: now)

    def share(self) -> None:
        self.cache().share(self.local)

    def adopt(self, *siblings: Checkout) -> None:
        self.cache().adopt(self.local, [item.local for item in siblings])

    def own_segments(self) -> list[str]:
        return sorted(
            name for store in self.own.values() for name in store.names() if name.startswith("seg-")
        )


def segments_in(place: Path) -> list[str]:
    return sorted(file.name for file in (place / "cache" / "v1" / "segments").glob("*.rix"))
