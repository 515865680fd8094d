"""Publisher, puller and collector end at each operation: nothing is lost, nothing is mixed.

More than a thousand points: operations of the object store, of each index on the disk, and what a
disk may hold after a loss of power.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import pytest

from index_format import MemoryStore, Store
from index_format.store.faulty_store import (
    Fault,
    FaultyStore,
    Mode as DiskMode,
    Model,
    SimulatedCrash,
)
from repo_mcp.remote.publish import Signer, collect
from repo_mcp.remote.publish.signing import SigningKey
from repo_mcp.stored import STORED_KINDS
from tests.repo_mcp.remote.publish.checkouts import (
    Checkout,
    broken_publications,
    budget,
    label_of,
    publish,
    pull,
)
from tests.repo_mcp.remote.publish.objects import Crash, DictObjects, FaultyObjects, Mode

pytestmark = pytest.mark.differential

pytest.importorskip("nacl", reason="the extra `cluster` is not installed")

MODES: Final[tuple[Mode, ...]] = ("before", "after")
DISK_MODES: Final[tuple[DiskMode, ...]] = ("crash", "tear")
MODELS: Final[tuple[Model, ...]] = ("kill", "meta", "zero", "prefix")
KEY: Final = SigningKey(b"k" * 32)
SIGNER: Final = Signer(KEY, lambda: 1000.0)
FIRST = {"a.py": "one two", "b.py": "three"}
THIRD = {**FIRST, "b.py": "four", "c.py": "five", "d.py": "six", "e/f.py": "seven eight"}
OLD: Final = 1000.0
LEAST: Final = 1000


def grown() -> Checkout:
    """A checkout whose indexes have several segments, some of them published before."""
    checkout = Checkout(FIRST, commit="1" * 40)
    for more in ({"c.py": "five"}, {"d.py": "six"}, {"e/f.py": "seven eight", "b.py": "four"}):
        checkout.change({**checkout.files, **more})
    assert checkout.files == THIRD
    return checkout


def published(checkout: Checkout) -> DictObjects:
    objects = DictObjects()
    publish(objects, checkout, signer=SIGNER)
    return objects


@dataclass(frozen=True)
class Publishing:
    """A way to publish over what is there."""

    first: Signer | None
    signer: Signer | None
    pin: bool
    label: str

    def objects(self) -> DictObjects:
        objects = DictObjects()
        publish(objects, Checkout(FIRST), signer=self.first)
        return objects

    def run(self, objects: DictObjects | FaultyObjects, checkout: Checkout) -> str:
        done = publish(objects, checkout, self.label, pin=self.pin, signer=self.signer)
        return done.publication

    def points(self) -> int:
        whole = FaultyObjects(self.objects())
        self.run(whole, grown())
        return len(whole.operations)


PUBLISHING = {
    f"{'signed' if signer else 'unsigned'} over {'signed' if first else 'unsigned'}"
    f"{', pinned' if pin else ''}, {label}": Publishing(first, signer, pin, label)
    for first in (None, SIGNER)
    for signer in (None, SIGNER)
    for pin in (False, True)
    for label in ("main", "other")
}


@pytest.mark.parametrize("case", PUBLISHING)
def test_a_publisher_that_ends_leaves_the_old_or_the_new_publication(case: str) -> None:
    way, checkout = PUBLISHING[case], grown()
    new = way.run(way.objects(), checkout)
    for at in range(way.points()):
        for mode in MODES:
            objects = way.objects()
            old = label_of(objects, way.label)
            with pytest.raises(Crash):
                way.run(FaultyObjects(objects, at, mode), checkout)
            assert list(broken_publications(objects)) == []
            assert label_of(objects, way.label) in {old, new}
            collect(objects, OLD, budget())
            assert way.run(objects, checkout) == new
            assert label_of(objects, way.label) == new
            assert list(broken_publications(objects)) == []


def copies(checkout: Checkout) -> dict[str, dict[str, bytes]]:
    return {
        folder: {name: _data(store, name) for name in store.names()}
        for folder, store in checkout.stores.items()
    }


def _data(store: Store, name: str) -> bytes:
    handle = store.open(name)
    return handle.read(0, handle.size)


@dataclass(frozen=True)
class Pulling:
    """A checkout with an older index, or none, that pulls."""

    before: dict[str, str]

    def files(self) -> dict[str, dict[str, bytes]]:
        return copies(Checkout(self.before))

    def target(self, fault: dict[str, Fault] | None = None) -> Checkout:
        stores: dict[str, Store] = {
            folder: FaultyStore(files, (fault or {}).get(folder))
            for folder, files in self.files().items()
        }
        return Checkout(trust=(KEY.public,), stores=stores)

    def disk_points(self, objects: DictObjects) -> Iterator[dict[str, Fault]]:
        """A fault at each operation of each index."""
        whole = self.target()
        pull(objects, whole)
        for folder, store in whole.stores.items():
            assert isinstance(store, FaultyStore)
            for at in range(len(store.operations)):
                for mode in DISK_MODES:
                    yield {folder: Fault(at, mode)}


PULLING = {"no index": Pulling({}), "an older one": Pulling({**FIRST, "z.py": "old"})}


@pytest.mark.parametrize("case", PULLING)
def test_a_puller_that_ends_at_a_request_leaves_the_old_or_the_new_index(case: str) -> None:
    way, source = PULLING[case], grown()
    objects, old, new = published(source), way.target().contents(), source.contents()
    whole = FaultyObjects(objects)
    pull(whole, way.target())
    for at in range(len(whole.operations)):
        for mode in MODES:
            target = way.target()
            with pytest.raises(Crash):
                pull(FaultyObjects(objects, at, mode), target)
            assert target.contents() in (old, new)
            pull(objects, target)
            assert target.contents() == new


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("case", PULLING)
def test_a_puller_that_ends_at_a_write_leaves_sound_indexes(case: str, model: Model) -> None:
    way, source = PULLING[case], grown()
    objects, old, new = published(source), way.target().contents(), source.contents()
    for fault in way.disk_points(objects):
        target = way.target(fault)
        with pytest.raises(SimulatedCrash):
            pull(objects, target)
        for found in _after(target, fault, model):
            for kind in STORED_KINDS:
                state = found.contents().get(kind.folder)
                assert state in (old.get(kind.folder), new[kind.folder])
            pull(objects, found)
            assert found.contents() == new
            assert found.is_sound()


def _after(target: Checkout, fault: dict[str, Fault], model: Model) -> Iterator[Checkout]:
    """The state that the next process may find: any disk state of one index, the others whole."""
    kept: dict[str, Store] = {}
    for folder, store in target.stores.items():
        assert isinstance(store, FaultyStore)
        if folder not in fault:
            (kept[folder],) = store.survivors("kill")
    for folder in fault:
        store = target.stores[folder]
        assert isinstance(store, FaultyStore)
        for survivor in store.survivors(model):
            copy = {name: MemoryStore(files) for name, files in _files_of(kept).items()}
            yield Checkout(trust=(KEY.public,), stores={**copy, folder: survivor})


def _files_of(stores: dict[str, Store]) -> dict[str, dict[str, bytes]]:
    return {
        folder: {name: _data(store, name) for name in store.names()}
        for folder, store in stores.items()
    }


def littered() -> DictObjects:
    objects = DictObjects()
    for number in range(2):
        publish(objects, Checkout({f"m{number}.py": "old"}, commit=str(number) * 40), "gone")
    publish(objects, grown(), signer=SIGNER, pin=True)
    del objects.objects["v1/labels/gone.json"]
    objects.grow_old()
    return objects


def test_a_collector_that_ends_leaves_all_that_is_reached() -> None:
    whole = FaultyObjects(littered())
    assert collect(whole, OLD, budget())
    for at in range(len(whole.operations)):
        for mode in MODES:
            objects = littered()
            with pytest.raises(Crash):
                collect(FaultyObjects(objects, at, mode), OLD, budget())
            assert list(broken_publications(objects)) == []
            pull(objects, PULLING["no index"].target())


def test_these_are_more_than_a_thousand_points() -> None:
    objects = published(grown())
    counts: list[Callable[[], int]] = [
        *(lambda way=way: len(MODES) * way.points() for way in PUBLISHING.values()),
        *(
            lambda way=way: len(MODELS) * len(list(way.disk_points(objects)))
            for way in PULLING.values()
        ),
    ]
    assert sum(count() for count in counts) >= LEAST
