"""A whole index is broken off at every operation that writes, and must be the old or the new one.

Each scenario runs once per operation and kind of fault. Of the folders that the next process may
find, each that differs in more than temporary files is opened, read in full and compared with what
the files say, checked, changed on, compacted and compared with a fresh build byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest

from index_format.errors import CorruptIndexError, StoreError
from index_format.generation.writer import IndexWriter
from index_format.health.segment_check import segment_problems
from index_format.model import Schema
from index_format.segment.entry import SegmentEntry
from index_format.store import names
from index_format.store.contract import ReadHandle
from index_format.store.faulty_store import MODELS, Fault, FaultyStore, Mode, SimulatedCrash
from tests.index_format.generation.crash_scenarios import (
    ALWAYS,
    NAMES,
    SECOND,
    Scenario,
    Tally,
    go_on,
    judge,
    open_before,
    outcome,
    scenario_of,
)
from tests.index_format.oracle import (
    LITTLE,
    Tree,
    change,
    contents,
    expected,
    index_in,
)
from tests.index_format.samples import files_of

pytestmark = pytest.mark.differential

CRASHES: tuple[Mode, ...] = ("crash", "tear")
FAILURES: tuple[Mode, ...] = ("fail", "fail for good")
# one in so many of what is too much to be looked at in full
SAMPLED = 7


@pytest.fixture(autouse=True)
def segments_are_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of thousands of folders most hold the same few segments: equal bytes have equal problems."""
    known: dict[tuple[str, bytes, SegmentEntry], list[CorruptIndexError]] = {}

    def problems(
        handle: ReadHandle, schema: Schema, entry: SegmentEntry
    ) -> list[CorruptIndexError]:
        key = handle.name, handle.read(0, handle.size), entry
        if key not in known:
            known[key] = list(segment_problems(handle, schema, entry))
        return known[key]

    monkeypatch.setattr("index_format.health.check.segment_problems", problems)


def crash(scenario: Scenario, fault: Fault) -> FaultyStore:
    store = FaultyStore(scenario.files, fault)
    with pytest.raises(SimulatedCrash):
        scenario.run(store)
    return store


@pytest.mark.parametrize("name", NAMES)
def test_a_crash_leaves_the_old_or_the_new_index(name: str) -> None:
    scenario = scenario_of(name)
    operations = scenario.operations()
    crashes = scenario.crashes()
    assert [fault for fault, _ in crashes] == [
        Fault(at, mode) for at, mode in product(range(len(operations)), CRASHES)
    ]
    tally = Tally()
    for fault, store in crashes:
        for model, survivor in tally.new_ones(store, fault.at):
            judge(scenario, survivor)
            if model != "adversarial" or len(tally.seen) % SAMPLED == 0:
                go_on(scenario, survivor)
    assert set(tally.states) == set(MODELS)
    assert tally.states.total() >= 20 * len(operations)


@pytest.mark.parametrize("name", NAMES)
def test_a_process_that_crashes_leaves_what_was_recorded(name: str) -> None:
    scenario = scenario_of(name)
    crashes = scenario.crashes()
    for at in sampled(len(crashes)):
        fault, recorded = crashes[at]
        crashed = crash(scenario, fault)
        for model in MODELS:
            found, wanted = (
                [files_of(survivor) for survivor in store.survivors(model)]
                for store in (crashed, recorded)
            )
            assert found == wanted


@pytest.mark.parametrize("name", NAMES)
def test_what_was_committed_survives_power_loss(name: str) -> None:
    scenario = scenario_of(name)
    store = FaultyStore(scenario.files)
    scenario.run(store)
    found = [outcome(survivor) for _, survivor in Tally().new_ones(store, 0)]
    assert found
    assert all(item == expected(scenario.new) for item in found)


@pytest.mark.parametrize("name", NAMES)
def test_a_crash_while_going_on_after_a_crash(name: str) -> None:
    scenario = scenario_of(name)
    tally = Tally()
    for at in sampled(len(scenario.operations())):
        (killed,) = crash(scenario, Fault(at, "tear")).survivors("kill")
        files = {item.replace("tmp-0", "tmp-1"): data for item, data in files_of(killed).items()}
        second = replace(scenario, files=files)
        torn = [store for fault, store in second.crashes() if fault.mode == "tear"]
        for later in sampled(len(torn)):
            for _, survivor in tally.new_ones(torn[later], later):
                judge(scenario, survivor)
                if len(tally.seen) % SAMPLED == 0:
                    go_on(scenario, survivor)
    assert tally.states.total() >= 50


def sampled(operations: int) -> range:
    """Some of them, the last among them."""
    return range(operations - 1, -1, -1 - operations // SAMPLED)[::-1]


@pytest.mark.parametrize("name", NAMES)
def test_a_failing_disk_leaves_the_old_or_the_new_index(name: str) -> None:
    scenario = scenario_of(name)
    tally = Tally()
    operations = scenario.operations()
    once = [Fault(at, "fail") for at in range(len(operations))]
    for fault in once + [Fault(at, "fail for good") for at in sampled(len(operations))]:
        store = FaultyStore(scenario.files, fault)
        snapshot = open_before(scenario, store)
        # what garbage collection can't remove is left for the next time
        if operations[fault.at].startswith("remove"):
            scenario.run(store)
        else:
            with pytest.raises(StoreError, match=f"injected at operation {fault.at}$"):
                scenario.run(store)
        if tally.is_new(visible(store)):
            assert snapshot is None or contents(snapshot) == scenario.old
            store._fault = None
            assert outcome(store) in scenario.allowed
            scenario.run(store)
            assert outcome(store) == expected(scenario.new)
            index_in(store).collect_garbage(grace_seconds=ALWAYS)
            assert not any(map(names.is_temporary, store.names()))
        with store.lock(0.0):  # it was given back
            pass
    assert len(tally.seen) > 2


@pytest.mark.parametrize("mode", FAILURES)
@pytest.mark.parametrize("name", ["first build", "edits"])
def test_a_writer_may_try_again(name: str, mode: Mode) -> None:
    scenario = scenario_of(name)
    operations = scenario.operations()
    before: Tree = SECOND if name == "edits" else {}
    for at in sampled(len(operations)):
        store = FaultyStore(scenario.files, Fault(at, mode))
        with index_in(store).writer(memory=LITTLE) as writer:
            with pytest.raises(StoreError, match=f"injected at operation {at}$"):
                commit_with(writer, before, scenario.new)
            store._fault = None
            commit_with(writer, before, scenario.new)
            if at == len(operations) - 1:  # it stood already, but might not have lasted
                assert _syncs(store.operations) > _syncs(operations)
        assert outcome(store) == expected(scenario.new)


def _syncs(operations: list[str]) -> int:
    return sum(operation.startswith("sync") for operation in operations)


def commit_with(writer: IndexWriter, old: Tree, new: Tree) -> None:
    change(writer, old, new)
    writer.commit()


def test_without_syncing_files_the_new_index_could_be_damaged() -> None:
    """The models have teeth: a writer that forgets a step is found out."""

    class Forgetful(FaultyStore):
        def step(
            self,
            operation: str,
            name: str,
            whole: Callable[[], None],
            half: Callable[[], None] | None = None,
        ) -> None:
            forgotten = operation == "fsync"
            super().step(operation, name, (lambda: None) if forgotten else whole, half)

    scenario = scenario_of("edits")
    store = Forgetful(scenario.files)
    scenario.run(store)
    found = [outcome(survivor) for _, survivor in Tally().new_ones(store, 0)]
    assert "damaged" in found
    assert expected(scenario.new) in found


def visible(store: FaultyStore) -> dict[str, bytes]:
    return {name: bytes(file.data) for name, file in store._visible.items()}
