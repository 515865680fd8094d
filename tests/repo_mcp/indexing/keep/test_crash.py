"""A process that ends at any write of its indexes leaves what the next one goes on from.

One run that reads files, makes vectors, parses code and links it is recorded: before each
operation that names a file or makes it last, all three stores are kept as a crash leaves them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest

from code_graph.store.schema import SYMBOLS, GraphProgress
from index_format import Index, IndexMissingError, MemoryStore, Snapshot, Store, check
from index_format.health.check import Severity
from index_format.store import names
from index_format.store.faulty_store import FaultyStore, Model
from repo_mcp.budget import Budget, do_nothing
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.indexing.keep.pools import PoolUse
from repo_mcp.indexing.workers.linking import LinkTask
from repo_mcp.indexing.workers.lowering import LowerTask
from repo_mcp.indexing.workers.worker import _Service
from repo_mcp.processes.pool import Event, Job
from repo_mcp.stored import (
    CODE_INDEX,
    GRAPH_INDEX,
    STORED_KINDS,
    TEXT_INDEX,
    VECTORS,
    IndexProgress,
    StoredKind,
)
from tests.repo_mcp.trees import FOREVER, served, write

pytestmark = pytest.mark.differential

MODELS: tuple[Model, ...] = ("kill", "meta", "zero", "prefix", "adversarial")
KEY = b"a store"
FILES: dict[str, str | bytes] = {
    **{f"m{n}.py": f"from m{n + 1} import f\ndef f(): return f()\n" for n in range(7)},
    "m7.py": "def f(): pass\n",
    "readme.md": "# Reading\n\nhow headers are read\n",
}
EDIT: dict[str, str | bytes] = {
    "m7.py": "def g(): pass\n",
    "m2.py": "from m7 import g\ndef f(): return g()\n",
    "m8.py": "from m7 import g\ng()\n",
}
Stores = Mapping[str, Store]


class Kept(NamedTuple):
    """The stores of a moment, by folder."""

    at: str
    stores: Mapping[str, FaultyStore]


class Recorded(FaultyStore):
    """Lets all stores of a process be kept before an operation; nothing fails in it."""

    def __init__(self, before: Store | None, keep: Callable[[str], None]) -> None:
        files, origin = files_of(before), None
        if isinstance(before, MemoryStore):
            origin = before.origin
        super().__init__(files, origin_key=KEY, origin=origin)
        self._keep = keep

    def step(
        self,
        operation: str,
        name: str,
        whole: Callable[[], None],
        half: Callable[[], None] | None = None,
    ) -> None:
        if operation != "write":
            self._keep(f"{operation} {name}")
        super().step(operation, name, whole, half)

    def copied(self) -> FaultyStore:
        copied = FaultyStore(origin_key=KEY)
        copied._visible, copied._durable, copied._since_sync = deepcopy(
            (self._visible, self._durable, self._since_sync)
        )
        return copied


class Recording:
    """The stores of a process, and what they were before each operation."""

    def __init__(self, before: Stores | None = None) -> None:
        self.kept: list[Kept] = []
        self.stores = {
            kind.folder: Recorded((before or {}).get(kind.folder), self._keep)
            for kind in STORED_KINDS
        }

    def _keep(self, at: str) -> None:
        self.kept.append(Kept(at, {name: item.copied() for name, item in self.stores.items()}))

    def survivors(self) -> Iterator[tuple[str, Stores]]:
        """The states that the next process may find, each once; models take turns."""
        seen = set()
        turns = count()
        for kept in self.kept:
            for model in (MODELS[0], MODELS[1 + next(turns) % (len(MODELS) - 1)]):
                found = {name: next(item.survivors(model)) for name, item in kept.stores.items()}
                key = frozenset((name, shown(item)) for name, item in found.items())
                if key not in seen:
                    seen.add(key)
                    yield f"{model} before {kept.at}", found


class Here:
    """Does jobs of workers in this process, and notes of which files."""

    def __init__(self, manager: IndexManager) -> None:
        self.recipe = manager.recipe
        self.done: dict[type, list[str]] = {LowerTask: [], LinkTask: []}
        self._service = _Service(self.recipe, manager.sandbox, self)  # type: ignore[arg-type]

    def run(
        self, jobs: Sequence[Job], budget: Budget, waiting: Callable[[], None] = do_nothing
    ) -> Iterator[Event]:
        for job in jobs:
            budget.check()
            waiting()
            message: object = self._service.result(job.message())  # type: ignore[arg-type]
            if isinstance(job, LowerTask | LinkTask):
                self.done[type(job)] += job.paths
            yield job, job.result(message), True

    def send(self, _: object) -> None:
        """Nobody has to know how far a job is."""

    def shrink(self) -> None:
        """There is no process to stop."""

    retire_large = close = shrink


class Process:
    """A server's indexes in these stores, in a data folder of its own, and its one run."""

    def __init__(self, root: Path, data: Path, stores: Stores, patch: pytest.MonkeyPatch) -> None:
        # of an index that is not made of files there is nothing
        other = MemoryStore()
        patch.setattr(
            Recipe, "store", lambda _, kind=TEXT_INDEX, *__, **___: stores.get(kind.folder, other)
        )
        self.stores = stores
        self.manager = served(root, data).manager
        self.jobs = Here(self.manager)
        for use in (PoolUse.INDEXING, PoolUse.LINKING):
            self.manager.pools[use] = self.jobs  # type: ignore[assignment]

    def run(self) -> None:
        self.manager.refresh(FOREVER)
        self.manager.link(FOREVER)

    def segments(self) -> dict[str, list[str]]:
        """The names of all segments, which are their bytes, after merging as far as can be."""
        self.manager.tidy(FOREVER, full=True)
        found = {}
        for kind in STORED_KINDS:
            store = self.stores[kind.folder]
            entries = Index(store, kind.schema).snapshot().manifest.segments
            assert not [item for item in check(store) if item.severity is Severity.ERROR]
            found[kind.folder] = [entry.name for entry in entries]
        return found


class Scene:
    """A tree, what an index of it is, and data folders for processes."""

    def __init__(self, tmp_path: Path, patch: pytest.MonkeyPatch) -> None:
        self.root = write(tmp_path / "root", FILES)
        self._numbers = count()
        self._place, self._patch = tmp_path, patch

    def process(self, stores: Stores) -> Process:
        data = self._place / str(next(self._numbers))
        return Process(self.root, data, stores, self._patch)

    def fresh(self) -> dict[str, list[str]]:
        made = self.process({kind.folder: empty() for kind in STORED_KINDS})
        made.run()
        return made.segments()


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """Jobs of few files each, so that all is published in parts."""
    monkeypatch.setattr("repo_mcp.indexing.keep.refresh._IN_PROCESS_FILES", 0)
    monkeypatch.setattr("repo_mcp.indexing.keep.graph_linking._IN_PROCESS_FILES", 0)
    monkeypatch.setattr("repo_mcp.indexing.build.tasks._MAX_TASK_FILES", 2)
    monkeypatch.setattr("repo_mcp.indexing.workers.file_jobs._MAX_TASK_FILES", 1)
    return Scene(tmp_path, monkeypatch)


def empty() -> MemoryStore:
    return MemoryStore({}, origin_key=KEY)


def files_of(store: Store | None) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    if store is None:
        return found
    for name in store.names():
        handle = store.open(name)
        found[name] = bytes(handle.read(0, handle.size))
    return found


def shown(store: MemoryStore) -> frozenset[tuple[str, bytes]]:
    """The files that a reader opens: no temporary ones."""
    files = {name: data for name, data in files_of(store).items() if not names.is_temporary(name)}
    return frozenset([*files.items(), ("origin", store.origin or b"")])


def opened(stores: Stores, kind: StoredKind) -> Snapshot | None:
    """The generation that a process finds; damage is an error."""
    try:
        return Index(stores[kind.folder], kind.schema).snapshot()
    except IndexMissingError:
        return None


def linked_in(stores: Stores) -> set[str]:
    """The files that the graph has links of."""
    graph = opened(stores, GRAPH_INDEX)
    return {path for path in graph.paths() if graph.attachment(path, SYMBOLS)} if graph else set()


def test_a_first_build_goes_on_after_any_crash(scene: Scene) -> None:
    wanted = scene.fresh()
    recording = Recording()
    whole = scene.process(recording.stores)
    whole.run()
    assert whole.segments() == wanted
    text = opened(recording.stores, TEXT_INDEX)
    assert text is not None
    assert text.attachment("readme.md", VECTORS)
    resumed = 0
    for at, stores in recording.survivors():
        there = {kind.folder: opened(stores, kind) for kind in STORED_KINDS}
        linked = linked_in(stores)
        next_one = scene.process(stores)
        next_one.run()
        assert next_one.segments() == wanted, at
        found = there[TEXT_INDEX.folder]
        if found is not None and IndexProgress.of(found).deep:
            # nothing that was published is made again
            done = next_one.jobs.done
            code = there[CODE_INDEX.folder]
            assert not set(done[LowerTask]) & set(code.paths() if code else ()), at
            assert not linked.intersection(done[LinkTask]), at
            resumed += bool(linked and done[LinkTask])
    assert resumed > 4


def test_an_edit_is_followed_after_any_crash(scene: Scene) -> None:
    before = {kind.folder: empty() for kind in STORED_KINDS}
    scene.process(before).run()
    old = {kind.folder: list(files(before, kind)) for kind in STORED_KINDS}
    write(scene.root, EDIT)
    (scene.root / "m5.py").unlink()
    wanted = scene.fresh()
    recording = Recording(before)
    whole = scene.process(recording.stores)
    whole.run()
    new = {kind.folder: list(files(recording.stores, kind)) for kind in STORED_KINDS}
    seen = 0
    for at, stores in recording.survivors():
        found = {kind.folder: list(files(stores, kind)) for kind in STORED_KINDS}
        # text and code are published in parts
        for folder, rows in found.items():
            assert {*rows} <= {*old[folder], *new[folder]}, at
        assert found[GRAPH_INDEX.folder] in (old[GRAPH_INDEX.folder], new[GRAPH_INDEX.folder]), at
        graph = opened(stores, GRAPH_INDEX)
        assert graph is not None, at
        assert GraphProgress.of(graph).complete, at
        next_one = scene.process(stores)
        next_one.run()
        assert next_one.segments() == wanted, at
        seen += 1
    assert seen > 20


def files(stores: Stores, kind: StoredKind) -> Iterator[tuple[str, bytes]]:
    """The files of the generation that is found, with the fingerprints of their content."""
    found = opened(stores, kind)
    assert found is not None
    for path in found.paths():
        file = found.file(path)
        assert file is not None
        yield path, file.fingerprint
