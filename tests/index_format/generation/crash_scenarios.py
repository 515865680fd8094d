"""Changes of a whole index to be broken off anywhere, and how to judge what is left of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from itertools import islice
from typing import Final, Literal

from index_format import layout
from index_format.errors import CorruptIndexError, IndexMissingError
from index_format.generation.commit import load_current
from index_format.generation.snapshot import Snapshot
from index_format.health.check import Severity, check
from index_format.health.repair import repair
from index_format.store import names
from index_format.store.contract import Store
from index_format.store.faulty_store import _DAMAGES, MODELS, Fault, FaultyStore, Model
from index_format.store.memory_store import MemoryReader, MemoryStore
from tests.index_format.oracle import (
    DENSE,
    LITTLE,
    Contents,
    Tree,
    commit_change,
    compacted_segments,
    contents,
    expected,
    fresh_segments,
    index_in,
    segments_in,
    tree_at,
)
from tests.index_format.samples import files_of

# of what an adversarial disk may make of changed names, so many are looked at
MOST_COMBINATIONS: Final = 6
ALWAYS: Final = -1.0  # no grace
TINY: Final = 1

Outcome = Contents | Literal["missing", "damaged"]


@dataclass(frozen=True)
class Scenario:
    """Files to begin with, a change to run, and what may stand afterwards.

    `whole` is what the index can be brought to after `new`: more than that where files were lost.
    """

    files: Mapping[str, bytes]
    run: Callable[[Store], object]
    old: Outcome
    new: Tree
    whole: Tree

    @cached_property
    def fresh(self) -> tuple[str, ...]:
        """Segments of an index that is built from the whole tree at once."""
        return fresh_segments(self.whole)

    @cached_property
    def allowed(self) -> list[Outcome]:
        return [self.old, expected(self.new)]

    @property
    def repairs(self) -> bool:
        return self.old == "damaged"

    def operations(self) -> list[str]:
        store = FaultyStore(self.files)
        self.run(store)
        assert outcome(store) == expected(self.new)
        return store.operations

    def crashes(self) -> list[tuple[Fault, FaultyStore]]:
        """The stores that a crash before or within each operation leaves."""
        store = RecordedStore(self.files)
        self.run(store)
        assert outcome(store) == expected(self.new)
        return store.crashes


class RecordedStore(FaultyStore):
    """Keeps what a crash before or within each operation would leave; nothing fails in it.

    After a crash nothing that the process does reaches the store, so that one run shows them all.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        super().__init__(files)
        self.crashes: list[tuple[Fault, FaultyStore]] = []

    def step(
        self,
        operation: str,
        name: str,
        whole: Callable[[], None],
        half: Callable[[], None] | None = None,
    ) -> None:
        with self._guard:
            at = len(self.operations)
            self._keep(Fault(at, "crash"))
            if half is None:
                super().step(operation, name, whole)
                self._keep(Fault(at, "tear"))
                return
            undo = self._undo()
            half()
            self._keep(Fault(at, "tear"))
            undo()
            super().step(operation, name, whole)

    def _keep(self, fault: Fault) -> None:
        copied = FaultyStore()
        copied._visible, copied._durable, copied._since_sync = deepcopy(
            (self._visible, self._durable, self._since_sync)
        )
        self.crashes.append((fault, copied))

    def _undo(self) -> Callable[[], None]:
        """A function that restores the present state; the files stay the same objects."""
        files = [(file, bytes(file.data), file.durable) for file in self._visible.values()]
        durable = dict(self._durable)
        since_sync = {name: [*states] for name, states in self._since_sync.items()}

        def undo() -> None:
            for file, data, end in files:
                file.data[:] = data
                file.durable = end
            self._durable, self._since_sync = durable, since_sync

        return undo


class Survivor(MemoryStore):
    """The remains of a crash: nobody may read a temporary file, so its contents do not count."""

    def open(self, name: str) -> MemoryReader:
        assert not names.is_temporary(name)
        return super().open(name)


@dataclass
class Tally:
    """The number of folders a crash could leave; those alike but for temporary files count once.

    Of two such one may be left out because nobody opens a temporary file, as `Survivor` proves.
    """

    states: Counter[Model] = field(default_factory=Counter)
    seen: set[frozenset[tuple[str, bytes]]] = field(default_factory=set)

    def new_ones(self, store: FaultyStore, offset: int) -> Iterator[tuple[Model, Survivor]]:
        for model in MODELS:
            for files in _survivors(store, model, offset):
                self.states[model] += 1
                if self.is_new(files):
                    yield model, Survivor(files)

    def is_new(self, files: Mapping[str, bytes]) -> bool:
        shown = {"tmp" if names.is_temporary(name) else name for name in files}
        key = frozenset((name, files.get(name, b"")) for name in shown)
        known = key in self.seen
        self.seen.add(key)
        return not known


def _survivors(store: FaultyStore, model: Model, offset: int) -> Iterator[dict[str, bytes]]:
    folders = list(store._folders(model))
    step = -(-len(folders) // MOST_COMBINATIONS)
    for folder in islice(folders, offset % step, None, step):
        for damage in _DAMAGES[model]:
            yield {
                name: damage(bytes(file.data), file.durable)
                for name, file in folder.items()
                if file is not None
            }


def outcome(store: Store) -> Outcome:
    """The answer to a reader that comes now."""
    try:
        return contents(index_in(store).snapshot())
    except IndexMissingError:
        return "missing"
    except CorruptIndexError:
        return "damaged"


def judge(scenario: Scenario, store: Store) -> None:
    """The old or the new generation stands, and nothing that counts is damaged."""
    found = outcome(store)
    assert found in scenario.allowed
    findings = list(check(store))
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    assert bool(errors) == (found == "damaged")
    if not scenario.repairs:
        # a manifest that no reader is told of may have lost its segments, and nothing worse
        warnings = {item.problem for item in findings if item.severity is Severity.WARNING}
        assert all(problem.endswith("no such file in the store") for problem in warnings)


def go_on(scenario: Scenario, store: Store) -> None:
    """The same change can be made now, and no trace of the accident remains."""
    scenario.run(store)
    assert outcome(store) == expected(scenario.new)
    commit_change(store, scenario.new, scenario.whole)
    assert compacted_segments(store) == scenario.fresh
    index_in(store).collect_garbage(grace_seconds=ALWAYS)
    manifest = layout.manifest_name(load_current(store).generation)
    assert store.names() == sorted([layout.CURRENT_NAME, manifest, *segments_in(store)])
    assert outcome(store) == expected(scenario.whole)
    assert list(check(store)) == []


def open_before(scenario: Scenario, store: Store) -> Snapshot | None:
    """A snapshot of a reader that was there before."""
    return index_in(store).snapshot() if isinstance(scenario.old, Contents) else None


def _with_dense(tree: Tree) -> Tree:
    return {**tree, "dense.py": DENSE}


FIRST: Final = _with_dense(tree_at(1, 9))
SECOND: Final = _with_dense(tree_at(2, 9))
THIRD: Final = _with_dense(tree_at(5, 10))
SMALL: Final = tree_at(8, 6)
MANY: Final = 8


def _mixed() -> MemoryStore:
    """Canonical segments with dead files, and a delta."""
    store = MemoryStore()
    commit_change(store, {}, FIRST)
    index_in(store).compact(full=True)
    commit_change(store, FIRST, SECOND)
    return store


def _deltas() -> MemoryStore:
    """So many small deltas that a lazy compaction merges them, and no more."""
    store = MemoryStore()
    commit_change(store, {}, FIRST)
    index_in(store).compact(full=True)
    tree = FIRST
    for number in range(MANY):
        following = _with_delta(number + 1)
        commit_change(store, tree, following)
        tree = following
    return store


def _with_delta(count: int) -> Tree:
    return {**FIRST, **{f"delta{number}": SMALL["round"] for number in range(count)}}


def _compact(store: Store, *, full: bool, memory: int = LITTLE) -> None:
    index_in(store).compact(full=full, memory=memory)


def _settle(store: Store) -> None:
    """Merge two halves, one after the other, and free what they replace."""
    with index_in(store).writer(memory=LITTLE) as writer:
        paths = sorted(path.encode() for path in SECOND)
        middle = paths[len(paths) // 2]
        for begin, stop in ((b"", middle), (middle, None)):
            list(writer.settle(begin, stop))
        writer.free_replaced()


def _collect(store: Store) -> None:
    index_in(store).collect_garbage(grace_seconds=ALWAYS)


def _make_room(store: Store) -> None:
    index_in(store).collect_garbage(spare=0.0)


def _repair(store: Store) -> None:
    repair(store)


def _damaged_pointer() -> Scenario:
    files = files_of(_mixed()) | {layout.CURRENT_NAME: b"damaged"}
    return Scenario(files, _repair, "damaged", SECOND, SECOND)


def _damaged_segment() -> Scenario:
    store = _mixed()
    segment = index_in(store).snapshot().segments[1]
    lost = {path.decode() for path, _ in segment.live_files()}
    files = files_of(store)
    data = files[segment.entry.name]
    files[segment.entry.name] = data[:400] + bytes([data[400] ^ 1]) + data[401:]
    left = {path: file for path, file in SECOND.items() if path not in lost}
    assert lost
    return Scenario(files, _repair, "damaged", left, SECOND)


def _unchanged(store: Store, run: Callable[[Store], object], tree: Tree) -> Scenario:
    return Scenario(files_of(store), run, expected(tree), tree, tree)


_MAKERS: Final[Mapping[str, Callable[[], Scenario]]] = {
    "first build": lambda: Scenario(
        {}, partial(commit_change, old={}, new=FIRST), "missing", FIRST, FIRST
    ),
    "edits": lambda: Scenario(
        files_of(_mixed()),
        partial(commit_change, old=SECOND, new=THIRD),
        expected(SECOND),
        THIRD,
        THIRD,
    ),
    "lazy compaction": lambda: _unchanged(
        _deltas(), partial(_compact, full=False), _with_delta(MANY)
    ),
    "full compaction": lambda: _unchanged(
        _mixed(), partial(_compact, full=True, memory=TINY), SECOND
    ),
    "merging by halves": lambda: _unchanged(_mixed(), _settle, SECOND),
    "garbage collection": lambda: _unchanged(_deltas(), _collect, _with_delta(MANY)),
    "garbage collection for room": lambda: _unchanged(_deltas(), _make_room, _with_delta(MANY)),
    "repair of the pointer": _damaged_pointer,
    "repair of a segment": _damaged_segment,
}
NAMES: Final = tuple(_MAKERS)


@cache
def scenario_of(name: str) -> Scenario:
    return _MAKERS[name]()
