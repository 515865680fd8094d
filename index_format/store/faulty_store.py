"""A store that fails or crashes on demand, and knows what a disk may hold afterwards.

Every operation that changes something is counted from 0: `create`, each `write`, and the `fsync`
and `rename` inside publishing and replacing (where a `create` and a `write` precede them), `sync`
and `remove`. A `Fault` names one by its number and says what happens there:

| mode | what happens |
|---|---|
| `fail` | it raises `StoreWriteError` once; a write or sync is half done |
| `fail for good` | so do all operations after it |
| `crash` | `SimulatedCrash` before the operation; from then on everything raises it |
| `tear` | `SimulatedCrash` with a write or sync half done, any other operation done in full |

After a crash, `survivors` gives the folders that the next process may find:

| model | file data not yet synced | changes of names not yet synced |
|---|---|---|
| `kill` | as written: only the process died, not the system | as done |
| `meta` | as written | all lost |
| `zero` | reads as zeros, at full length | as done |
| `prefix` | cut off where it was last synced, or half-way from there | as done |
| `adversarial` | as written, zeros, cut off, half, or noise | any combination |

In the last, each name is in any of its states since the last sync, whatever the others are in; when
that gives too many folders: none changed, all, one alone, all but one.

Syncing a file makes its data durable and not its name; syncing the folder makes names durable and
no data. Renaming is atomic for the new name, but that the old one is gone is a change of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import product
from threading import Lock, RLock
from typing import Final, Literal

from index_format import layout
from index_format.errors import FileMissingError, IndexBusyError, StoreWriteError
from index_format.records import Record
from index_format.store import names
from index_format.store.memory_store import MemoryReader, MemoryScratch, MemoryStore

Mode = Literal["fail", "fail for good", "crash", "tear"]
Model = Literal["kill", "meta", "zero", "prefix", "adversarial"]
MODELS: Final[tuple[Model, ...]] = ("kill", "meta", "zero", "prefix", "adversarial")
MAX_COMBINATIONS: Final = 1024


class SimulatedCrash(BaseException):
    """The simulated process is dead: every further operation raises this again."""


class Fault(Record):
    """A fault, and the number of the operation where it strikes, counted from 0."""

    at: int
    mode: Mode


class _File:
    """A file's data as the system shows it; of it, `durable` bytes outlive a power loss."""

    def __init__(self, data: bytes = b"") -> None:
        self.data = bytearray(data)
        self.durable = len(data)


_Folder = Mapping[str, _File | None]


class FaultyStore:
    """A store in memory that keeps durable and merely visible state apart."""

    def __init__(
        self,
        files: Mapping[str, bytes] | None = None,
        fault: Fault | None = None,
        *,
        origin_key: bytes = b"",
        origin: bytes | None = None,
    ) -> None:
        """Start with these files, all durable, and this fault.

        With an `origin_key` it keeps a record of what was published in it, `origin` at first.
        """
        self.writable = True
        self.keeps_origin = bool(origin_key)
        self._origin_key = origin_key
        self.operations: list[str] = []
        self._fault = fault
        self._crashed = False
        self._made = 0
        self._visible = {name: _File(data) for name, data in (files or {}).items()}
        if origin is not None:
            self._visible[layout.ORIGIN_NAME] = _File(origin)
        self._durable: dict[str, _File | None] = dict(self._visible)
        self._since_sync: dict[str, list[_File | None]] = {}
        self._guard = RLock()
        self._writer = Lock()

    def names(self) -> list[str]:
        """Names of all files, sorted."""
        self._check_alive()
        return sorted(self._visible.keys() - {layout.ORIGIN_NAME})

    def open(self, name: str) -> MemoryReader:
        """Open a file for reading; `FileMissingError` when there is none."""
        names.check_listed(name)
        self._check_alive()
        found = self._visible.get(name)
        if found is None:
            raise FileMissingError(name)
        return MemoryReader(name, bytes(found.data))

    def create(self) -> _FaultyWriter:
        """Begin a new file under a temporary name."""
        return _FaultyWriter(self)

    def scratch(self) -> MemoryScratch:
        """Begin a scratch file, which no fault affects."""
        self._check_alive()
        return MemoryScratch()

    def replace(self, name: str, data: bytes) -> None:
        """Put `data` under `name` in four operations: create, write, fsync, rename."""
        names.check_replaced(name)
        handle = self.create()
        handle.write(data)
        handle.move(name)

    def origin_key(self) -> bytes:
        """The given key."""
        return self._origin_key

    def read_origin(self) -> bytes:
        """The record of what was published here."""
        self._check_alive()
        found = self._visible.get(layout.ORIGIN_NAME)
        if found is None:
            raise FileMissingError(layout.ORIGIN_NAME)
        return bytes(found.data)

    def write_origin(self, data: bytes) -> None:
        """Replace that record in four operations, as `replace` does."""
        handle = self.create()
        handle.write(data)
        handle.move(layout.ORIGIN_NAME)

    def sync(self) -> None:
        """Make all names durable; half of them when it is interrupted."""
        self.step("sync", "folder", self._sync, lambda: self._sync(half=True))

    def remove(self, name: str) -> bool:
        """Remove a file; False when it was gone."""
        names.check_listed(name)
        self._check_alive()
        if name not in self._visible:
            return False
        self.step("remove", name, lambda: self.link(name, None))
        return True

    def age(self, name: str) -> float:
        """Always 0: this store has no clock."""
        names.check_listed(name)
        self._check_alive()
        return 0.0

    @contextmanager
    def lock(self, wait_seconds: float) -> Iterator[None]:
        """Hold the writer lock against other threads."""
        self._check_alive()
        if not self._writer.acquire(timeout=max(0.0, wait_seconds)):
            message = "another writer holds the lock of this index"
            raise IndexBusyError(message)
        try:
            yield
        finally:
            self._writer.release()

    def survivors(self, model: Model) -> Iterator[MemoryStore]:
        """Every folder that the next process may find under this model, each one once."""
        seen = set()
        for folder in self._folders(model):
            for damage in _DAMAGES[model]:
                files = {
                    name: damage(bytes(file.data), file.durable)
                    for name, file in folder.items()
                    if file is not None
                }
                key = frozenset(files.items())
                if key not in seen:
                    seen.add(key)
                    origin = files.pop(layout.ORIGIN_NAME, None)
                    yield MemoryStore(files, origin_key=self._origin_key, origin=origin)

    def new_name(self) -> str:
        """A temporary name that was not used before."""
        self._made += 1
        return f"tmp-0-{self._made:x}.part"

    def step(
        self,
        operation: str,
        name: str,
        whole: Callable[[], None],
        half: Callable[[], None] | None = None,
    ) -> None:
        """Count one operation and do it, or let the fault happen."""
        with self._guard:
            self._check_alive()
            number = len(self.operations)
            self.operations.append(f"{operation} {name}")
            mode = self._mode(number)
            if mode is None:
                whole()
            elif mode in {"fail", "fail for good"}:
                if half:
                    half()
                raise StoreWriteError(operation, name, f"injected at operation {number}")
            else:
                if mode == "tear":
                    (half or whole)()
                self._crashed = True
                raise SimulatedCrash(self.operations[-1])

    def link(self, name: str, file: _File | None) -> None:
        """Point a name to a file; visible at once, durable after the next sync."""
        self._since_sync.setdefault(name, []).append(file)
        if file is None:
            self._visible.pop(name, None)
        else:
            self._visible[name] = file

    def holds(self, name: str, data: bytes) -> bool:
        """True if the file of this name has these bytes."""
        return name in self._visible and self._visible[name].data == data

    def unlink_quietly(self, name: str) -> None:
        """Remove a temporary file; not counted as an operation, since its failure has no effect."""
        self._check_alive()
        if self._mode(len(self.operations)) is None:
            self.link(name, None)

    def _mode(self, number: int) -> Mode | None:
        fault = self._fault
        if fault is None or number < fault.at:
            return None
        return fault.mode if number == fault.at or fault.mode == "fail for good" else None

    def _check_alive(self) -> None:
        if self._crashed:
            message = "the process has crashed"
            raise SimulatedCrash(message)

    def _sync(self, *, half: bool = False) -> None:
        changed = sorted(self._since_sync)
        for name in changed[: len(changed) // 2] if half else changed:
            self._durable[name] = self._visible.get(name)
            del self._since_sync[name]

    def _folders(self, model: Model) -> Iterable[_Folder]:
        if model == "meta":
            return [self._durable]
        if model == "adversarial":
            return self._combinations()
        return [self._visible]

    def _combinations(self) -> Iterator[_Folder]:
        changed = sorted(self._since_sync)
        states = [[self._durable.get(name), *self._since_sync[name]] for name in changed]
        states = [list(dict.fromkeys(options)) for options in states]
        few = math.prod(map(len, states)) <= MAX_COMBINATIONS
        for choice in product(*states) if few else _extremes(states):
            yield {**self._durable, **dict(zip(changed, choice, strict=True))}


class _FaultyWriter:
    """A file under a temporary name; any failure removes it."""

    def __init__(self, store: FaultyStore) -> None:
        self._store = store
        self._name = store.new_name()
        self._file: _File | None = _File()
        store.step("create", self._name, lambda: store.link(self._name, self._open_file()))

    def write(self, data: bytes | bytearray | memoryview) -> None:
        file = self._open_file("write")
        data = bytes(data)

        def append(length: int) -> None:
            file.data += data[:length]

        with self._final():
            self._store.step(
                "write", self._name, lambda: append(len(data)), lambda: append(len(data) // 2)
            )

    def publish(self, name: str) -> None:
        names.check_published(name)
        self.move(name, keep_same=True)

    def move(self, name: str, *, keep_same: bool = False) -> None:
        """Make the data durable, then give them their name."""
        file = self._open_file("publish")
        with self._final():
            self._store.step("fsync", self._name, lambda: _make_durable(file))
            if keep_same and self._store.holds(name, bytes(file.data)):
                self.discard()
                return
            self._store.step("rename", name, lambda: self._rename(name))

    def discard(self) -> None:
        if self._file is not None:
            self._file = None
            self._store.unlink_quietly(self._name)

    def _rename(self, name: str) -> None:
        self._store.link(name, self._open_file())
        self._store.link(self._name, None)
        self._file = None

    def _open_file(self, operation: str = "create") -> _File:
        if self._file is None:
            raise StoreWriteError(operation, self._name, "already closed")
        return self._file

    @contextmanager
    def _final(self) -> Iterator[None]:
        try:
            yield
        except StoreWriteError:
            with suppress(SimulatedCrash):
                self.discard()
            raise


def _make_durable(file: _File) -> None:
    file.durable = len(file.data)


def _extremes(states: list[list[_File | None]]) -> Iterator[tuple[_File | None, ...]]:
    """No change, all changes, each change alone, and all but one."""
    before = tuple(options[0] for options in states)
    after = tuple(options[-1] for options in states)
    yield before
    yield after
    for place in range(len(states)):
        yield (*before[:place], after[place], *before[place + 1 :])
        yield (*after[:place], before[place], *after[place + 1 :])


def _as_written(data: bytes, durable: int) -> bytes:  # noqa: ARG001 - one form for all damages
    return data


def _zeros(data: bytes, durable: int) -> bytes:
    return data[:durable] + bytes(len(data) - durable)


def _cut(data: bytes, durable: int) -> bytes:
    return data[:durable]


def _half(data: bytes, durable: int) -> bytes:
    return data[: (durable + len(data)) // 2]


def _noise(data: bytes, durable: int) -> bytes:
    return data[:durable] + bytes(byte ^ 0x5A for byte in data[durable:])


_DAMAGES: Final[Mapping[Model, tuple[Callable[[bytes, int], bytes], ...]]] = {
    "kill": (_as_written,),
    "meta": (_as_written,),
    "zero": (_zeros,),
    "prefix": (_cut, _half),
    "adversarial": (_as_written, _zeros, _cut, _half, _noise),
}
