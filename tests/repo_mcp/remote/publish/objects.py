"""Object stores for tests: a dict with its own clock, one with faults, one that takes turns."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Final, Literal, TypeVar

from repo_mcp.errors import Problem
from repo_mcp.remote.publish import ObjectRow, ObjectStore, VersionedObject
from tests.waiting import HANG

T = TypeVar("T")
Mode = Literal["before", "after"]
ANCIENT: Final = -1e9


class Crash(BaseException):
    """The process ends here."""


@dataclass
class DictObjects:
    """Objects in memory; every operation takes a second of its clock."""

    lists: bool = True
    objects: dict[str, tuple[bytes, float]] = field(default_factory=dict)
    now: float = 0.0

    def get(self, name: str, most: int) -> VersionedObject | None:
        self.now += 1
        found = self.objects.get(name)
        if found is None:
            return None
        if len(found[0]) > most:
            raise Problem("publication_invalid", name)
        return VersionedObject(found[0], found)

    def read(self, name: str, start: int, length: int) -> bytes:
        self.now += 1
        if name not in self.objects:
            raise Problem("publication_invalid", name)
        return self.objects[name][0][start : start + length]

    def size(self, name: str) -> int | None:
        self.now += 1
        return len(self.objects[name][0]) if name in self.objects else None

    def rows(self, folder: str) -> Iterator[ObjectRow]:
        self.now += 1
        listed = list(self.objects.items())
        for name, (data, modified) in listed:
            if name.startswith(f"{folder}/"):
                yield ObjectRow(name, len(data), modified)

    def put(self, name: str, pieces: Iterable[bytes]) -> None:
        self.now += 1
        self.objects[name] = b"".join(pieces), self.now

    def create(self, name: str, data: bytes) -> bool:
        if name in self.objects:
            return False
        self.put(name, [data])
        return True

    def replace(self, name: str, data: bytes, version: object) -> bool:
        if self.objects.get(name) is not version:
            return False
        self.put(name, [data])
        return True

    def remove(self, name: str) -> None:
        self.now += 1
        self.objects.pop(name, None)

    def grow_old(self) -> None:
        """Let everything that is there be old."""
        self.objects = {name: (data, ANCIENT) for name, (data, _) in self.objects.items()}


class _Wrapped:
    """Another store, with something around each operation."""

    def __init__(self, inner: ObjectStore) -> None:
        self.inner = inner
        self.lists = inner.lists

    def around(self, what: str, work: Callable[[], T]) -> T:
        raise NotImplementedError

    def get(self, name: str, most: int) -> VersionedObject | None:
        return self.around(f"get {name}", lambda: self.inner.get(name, most))

    def read(self, name: str, start: int, length: int) -> bytes:
        return self.around(f"read {name}", lambda: self.inner.read(name, start, length))

    def size(self, name: str) -> int | None:
        return self.around(f"size {name}", lambda: self.inner.size(name))

    def rows(self, folder: str) -> Iterator[ObjectRow]:
        return iter(self.around(f"rows {folder}", lambda: list(self.inner.rows(folder))))

    def put(self, name: str, pieces: Iterable[bytes]) -> None:
        self.around(f"put {name}", lambda: self.inner.put(name, pieces))

    def create(self, name: str, data: bytes) -> bool:
        return self.around(f"create {name}", lambda: self.inner.create(name, data))

    def replace(self, name: str, data: bytes, version: object) -> bool:
        return self.around(f"replace {name}", lambda: self.inner.replace(name, data, version))

    def remove(self, name: str) -> None:
        self.around(f"remove {name}", lambda: self.inner.remove(name))


class FaultyObjects(_Wrapped):
    """Counts operations; at one of them the process or the connection ends, before or after it."""

    def __init__(
        self,
        inner: ObjectStore,
        at: int = -1,
        mode: Mode = "before",
        error: Callable[[], BaseException] = Crash,
    ) -> None:
        super().__init__(inner)
        self.operations: list[str] = []
        self._at = at
        self._mode = mode
        self._error = error

    def around(self, what: str, work: Callable[[], T]) -> T:
        number = len(self.operations)
        self.operations.append(what)
        if number == self._at and self._mode == "before":
            raise self._error()
        done = work()
        if number == self._at:
            raise self._error()
        return done


class TurnedObjects(_Wrapped):
    """A store of several jobs, each of whose operations waits for its turn."""

    def __init__(self, inner: ObjectStore, turns: Turns) -> None:
        super().__init__(inner)
        self._turns = turns

    def around(self, what: str, work: Callable[[], T]) -> T:  # noqa: ARG002 the form of the base
        with self._turns.turn():
            return work()


class Turns:
    """Runs jobs in threads, one operation at a time, in the order that `choices` give."""

    def __init__(self, choices: Iterable[int]) -> None:
        # who waits for another one must not be asked for ever
        self._choices = chain(choices, count())
        self._changed = threading.Condition()
        self._waiting: list[int] = []
        self._running = 0
        self._chosen = -1
        self.errors: list[BaseException] = []

    def turn(self) -> _Turn:
        return _Turn(self)

    def run(self, *jobs: Callable[[], object]) -> None:
        self._running = len(jobs)
        threads = [
            threading.Thread(target=self._do, args=(job,), name=str(number))
            for number, job in enumerate(jobs)
        ]
        for thread in threads:
            thread.start()
        with self._changed:
            while self._running:
                assert self._changed.wait_for(self._is_settled, HANG)
                if self._waiting:
                    place = next(self._choices) % len(self._waiting)
                    self._chosen = sorted(self._waiting)[place]
                    self._waiting.remove(self._chosen)
                    self._changed.notify_all()
                    assert self._changed.wait_for(lambda: self._chosen == -1, HANG)
        for thread in threads:
            thread.join(HANG)

    def _is_settled(self) -> bool:
        return len(self._waiting) == self._running

    def _do(self, job: Callable[[], object]) -> None:
        try:
            job()
        except BaseException as error:  # noqa: BLE001 the test looks at it
            self.errors.append(error)
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def begin(self) -> None:
        number = int(threading.current_thread().name)
        with self._changed:
            self._waiting.append(number)
            self._changed.notify_all()
            assert self._changed.wait_for(lambda: self._chosen == number, HANG)

    def end(self) -> None:
        with self._changed:
            self._chosen = -1
            self._changed.notify_all()


class _Turn:
    def __init__(self, turns: Turns) -> None:
        self._turns = turns

    def __enter__(self) -> None:
        self._turns.begin()

    def __exit__(self, *_: object) -> None:
        self._turns.end()
