"""A crash, power loss or failing disk at any operation leaves the old or the new generation."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from index_format import layout
from index_format.errors import IndexMissingError, StoreWriteError
from index_format.generation.commit import (
    collect_garbage,
    load_current,
    next_generation,
    publish,
    recover,
)
from index_format.generation.manifest import Manifest, encode
from index_format.store.contract import Store
from index_format.store.faulty_store import MODELS, Fault, FaultyStore, Mode, Model, SimulatedCrash
from index_format.store.file_store import FileStore
from tests.index_format.generations import (
    CURRENT,
    add_segment,
    data_of,
    entry,
    files_of,
    manifest,
    read,
)

pytestmark = pytest.mark.differential

CRASHES: tuple[Mode, ...] = ("crash", "tear")
FAILURES: tuple[Mode, ...] = ("fail", "fail for good")


def commit(store: Store, base: Manifest | None, new: Manifest) -> None:
    """The steps of a writer: the new segments first, then the generation."""
    with store.lock(0.0):
        known = set(base.segments) if base else set()
        for item in (item for item in new.segments if item not in known):
            add_segment(store, item)
        publish(store, base, new)


@dataclass(frozen=True)
class Scenario:
    """Files to begin with, what is done to them, and what may stand afterwards."""

    files: dict[str, bytes]
    run: Callable[[Store], None]
    old: Manifest | None
    new: Manifest | None

    def operations(self) -> list[str]:
        store = FaultyStore(self.files)
        self.run(store)
        return store.operations


FIRST = manifest(1, 1, 2)
OLD = manifest(4, 1, 2)
NEW = manifest(5, 2, 3, 4)
OLD_FILES = files_of(manifest(3, 1), OLD)
HALF = encode(manifest(5, 2, 3))[:-20]


def collect(store: Store) -> None:
    with store.lock(0.0):
        collect_garbage(store, load_current(store), grace_seconds=-1.0)


def commit_and_collect(store: Store) -> None:
    commit(store, OLD, NEW)
    collect(store)


SCENARIOS = {
    "first": Scenario({}, partial(commit, base=None, new=FIRST), None, FIRST),
    "next": Scenario(OLD_FILES, partial(commit, base=OLD, new=NEW), OLD, NEW),
    "over a sound orphan": Scenario(
        OLD_FILES | {layout.manifest_name(5): encode(manifest(5, 1))},
        partial(commit, base=OLD, new=NEW),
        OLD,
        NEW,
    ),
    "over a damaged orphan": Scenario(
        OLD_FILES | {layout.manifest_name(5): HALF, entry(3).name: b"", "tmp-0-0.part": HALF},
        partial(commit, base=OLD, new=NEW),
        OLD,
        NEW,
    ),
    "the same segments again": Scenario(
        OLD_FILES | {entry(3).name: data_of(entry(3)), entry(4).name: data_of(entry(4))},
        partial(commit, base=OLD, new=NEW),
        OLD,
        NEW,
    ),
    "garbage": Scenario(files_of(manifest(3, 1), OLD, NEW), collect, NEW, NEW),
    "commit and garbage": Scenario(OLD_FILES, commit_and_collect, OLD, NEW),
}


def crash(scenario: Scenario, fault: Fault) -> FaultyStore:
    store = FaultyStore(scenario.files, fault)
    with pytest.raises(SimulatedCrash):
        scenario.run(store)
    with pytest.raises(SimulatedCrash):
        store.names()
    return store


def survivors(store: FaultyStore) -> Iterator[tuple[Model, Store]]:
    for model in MODELS:
        for survivor in store.survivors(model):
            yield model, survivor


def standing(store: Store) -> Manifest | None:
    """The current generation, all of whose segments must be there in full."""
    try:
        found = load_current(store)
    except IndexMissingError:
        return None
    for item in found.segments:
        assert read(store, item.name) == data_of(item)
    return found


def go_on(store: Store) -> None:
    """The next writer has no trouble, with the number it would have used or the next free one."""
    base = standing(store)
    for number in (1 + (base.generation if base else 0), next_generation(store)):
        if base is None or number > base.generation:
            following = manifest(number, 3, 9)
            commit(store, base, following)
            assert standing(store) == following
            base = following
    collect(store)
    assert base is not None
    assert store.names() == sorted(files_of(base))


@pytest.mark.parametrize("mode", CRASHES)
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_crash_leaves_the_old_or_the_new_generation(name: str, mode: Mode) -> None:
    scenario = SCENARIOS[name]
    operations = scenario.operations()
    found: set[Model] = set()
    states = 0
    for at in range(len(operations)):
        for model, survivor in survivors(crash(scenario, Fault(at, mode))):
            assert standing(survivor) in (scenario.old, scenario.new), (operations[at], model)
            go_on(survivor)
            found.add(model)
            states += 1
    assert found == set(MODELS)
    assert states >= len(operations) * len(MODELS) // 2


@pytest.mark.parametrize("name", SCENARIOS)
def test_what_was_committed_survives_power_loss(name: str) -> None:
    scenario = SCENARIOS[name]
    store = FaultyStore(scenario.files)
    scenario.run(store)
    states = [standing(survivor) for _, survivor in survivors(store)]
    assert states
    assert set(states) == {scenario.new}


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_crash_while_going_on_after_a_crash(name: str) -> None:
    scenario = SCENARIOS[name]
    states = 0
    for at in range(len(scenario.operations())):
        (killed,) = crash(scenario, Fault(at, "tear")).survivors("kill")
        files = {item: read(killed, item) for item in killed.names()}
        base = standing(killed)
        final = manifest(next_generation(killed), 5)
        second = Scenario(files, partial(commit, base=base, new=final), base, final)
        for again in range(len(second.operations())):
            for _, survivor in survivors(crash(second, Fault(again, "tear"))):
                assert standing(survivor) in (base, final)
                states += 1
    assert states > 100


@pytest.mark.parametrize("mode", FAILURES)
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_failing_disk_leaves_the_old_or_the_new_generation(name: str, mode: Mode) -> None:
    scenario = SCENARIOS[name]
    operations = scenario.operations()
    errors: list[StoreWriteError] = []
    for at in range(len(operations)):
        store = FaultyStore(scenario.files, Fault(at, mode))
        try:
            scenario.run(store)
        except StoreWriteError as error:
            errors.append(error)
        assert standing(store) in (scenario.old, scenario.new), operations[at]
        for model, survivor in survivors(store):
            assert standing(survivor) in (scenario.old, scenario.new), (operations[at], model)
        if mode == "fail":
            go_on(store)
    # what garbage collection can't remove is left for the next time
    removals = sum(operation.startswith("remove") for operation in operations)
    reasons = [f"injected at operation {at}" for at in range(len(operations) - removals)]
    assert [error.reason for error in errors] == reasons


@pytest.mark.parametrize("mode", CRASHES)
def test_recovery_after_a_crash_gives_the_old_or_the_new_generation(mode: Mode) -> None:
    scenario = SCENARIOS["next"]
    states = 0
    for at in range(len(scenario.operations())):
        for _, survivor in survivors(crash(scenario, Fault(at, mode))):
            survivor.replace(CURRENT, b"damaged")
            found = recover(survivor)
            assert found in (OLD, NEW)
            commit(survivor, found, manifest(next_generation(survivor), 7))
            states += 1
    assert states > 50


PUBLISH_FOREVER = """
import sys
from index_format.generation.commit import load_current, publish
from index_format.errors import IndexMissingError
from index_format.store.file_store import FileStore
from index_format.generation.manifest import Manifest
from index_format.model import Field, Schema
store = FileStore(sys.argv[1])
while True:
    with store.lock(10):
        try:
            base = load_current(store)
        except IndexMissingError:
            base = None
        number = base.generation + 1 if base else 1
        publish(store, base, Manifest(number, Schema((Field("body"),)), "", ()))
    print(number, flush=True)
"""


@pytest.mark.servers
def test_a_killed_process_loses_nothing_it_reported(tmp_path: Path) -> None:
    arguments = [sys.executable, "-c", PUBLISH_FOREVER, str(tmp_path)]
    root = Path(__file__).parents[3]
    generation = 0
    for lines in (1, 2, 5, 3):
        with Popen(arguments, cwd=root, stdout=PIPE, text=True) as process:
            assert process.stdout is not None
            reported = [int(process.stdout.readline()) for _ in range(lines)]
            process.kill()
            rest = process.stdout.read().split("\n")[:-1]
        assert reported[0] == generation + 1
        last = int(rest[-1]) if rest else reported[-1]
        generation = load_current(FileStore(tmp_path)).generation
        assert generation in (last, last + 1)
    assert generation >= 11


def test_without_the_folder_sync_a_generation_could_be_lost() -> None:
    """The models have teeth: a writer that forgets a step is found out."""

    class Forgetful(FaultyStore):
        def sync(self) -> None:
            self.step("sync", "skipped", lambda: None)

    store = Forgetful(OLD_FILES)
    commit(store, OLD, NEW)
    outcomes = set()
    for _, survivor in survivors(store):
        with suppress(Exception):
            outcomes.add(standing(survivor))
            continue
        outcomes.add(None)
    assert outcomes == {OLD, NEW, None}


def test_operations_are_counted_one_by_one() -> None:
    assert [operation.split()[0] for operation in SCENARIOS["next"].operations()] == [
        *["create", "write", "write", "fsync", "rename"] * 2,  # segments
        *["create", "write", "fsync", "rename", "sync"],  # manifest
        *["create", "write", "fsync", "rename", "sync"],  # pointer
    ]
