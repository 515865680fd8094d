"""A checkout that lends, adopts or collects ends before each operation: all stays readable."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from index_format import MemoryStore, Store
from index_format.store.faulty_store import Fault, FaultyStore, Model, SimulatedCrash
from repo_mcp.remote.publish import FolderObjects
from repo_mcp.stored import STORED_KINDS
from tests.repo_mcp.remote.publish.checkouts import Checkout, broken_publications
from tests.repo_mcp.remote.publish.objects import Crash
from tests.repo_mcp.remote.publish.sharing import SharingCheckout, Steps, segments_in

pytestmark = pytest.mark.differential

MODELS: Final[tuple[Model, ...]] = ("kill", "meta")
FIRST = {"a.py": "one two", "b.py": "three"}
OTHER = {"c.py": "four five", "d.py": "six"}
SECOND = "2" * 40
Work = Callable[[SharingCheckout], object]


def files_of(checkout: SharingCheckout) -> dict[str, tuple[dict[str, bytes], bytes | None]]:
    """The own files of a checkout on disk."""
    found = {}
    for kind in STORED_KINDS:
        store = checkout.own[kind.folder]
        assert isinstance(store, MemoryStore)
        data = {name: _data(store, name) for name in store.names()}
        found[kind.folder] = data, store.origin
    return found


def _data(store: Store, name: str) -> bytes:
    handle = store.open(name)
    return handle.read(0, handle.size)


def restored(
    place: Path,
    files: dict[str, tuple[dict[str, bytes], bytes | None]],
    steps: Steps | None = None,
    faults: dict[str, Fault] | None = None,
) -> SharingCheckout:
    """A checkout called "one" with these files."""
    own: dict[str, Store] = {}
    for folder, (data, origin) in files.items():
        fault = (faults or {}).get(folder)
        own[folder] = (
            FaultyStore(data, fault, origin_key=b"one", origin=origin)
            if faults
            else MemoryStore(data, origin_key=b"one", origin=origin)
        )
    return SharingCheckout(place, "one", own=own, steps=steps)


class Scene:
    """A folder as it was, in which a checkout does something again and again."""

    def __init__(self, tmp_path: Path, *, lent: bool, indexed: bool) -> None:
        self._tmp = tmp_path
        self._made = 0
        self.start = tmp_path / "start"
        other = SharingCheckout(self.start, "other", OTHER if indexed else FIRST, commit=SECOND)
        if not indexed:
            other = SharingCheckout(self.start, "other", FIRST)
        if lent:
            other.share()
        one = SharingCheckout(self.start, "one", FIRST if indexed else None)
        self.files = files_of(one)
        self.other_files = files_of(other)
        self.contents = one.contents() if indexed else other.contents()
        self.others = other.contents()

    def place(self) -> Path:
        self._made += 1
        place = self._tmp / str(self._made)
        shutil.copytree(self.start, place)
        return place

    def check_other(self, place: Path) -> None:
        """The files that the other checkout has lent are there, whole."""
        assert list(broken_publications(FolderObjects(str(place / "cache")))) == []


def points(scene: Scene, work: Work) -> int:
    steps = Steps()
    work(restored(scene.place(), scene.files, steps))
    return len(steps.done)


def share(checkout: SharingCheckout) -> None:
    checkout.share()


def adopt(checkout: SharingCheckout) -> None:
    checkout.adopt()


def adopt_from_sibling(checkout: SharingCheckout) -> None:
    checkout.adopt(Checkout(FIRST, commit="1" * 40))


@pytest.mark.parametrize("lent", [False, True])
def test_who_ends_while_lending_keeps_the_index(tmp_path: Path, *, lent: bool) -> None:
    scene = Scene(tmp_path, lent=lent, indexed=True)
    assert points(scene, share) > 10
    for at in range(points(scene, share)):
        place = scene.place()
        died = restored(place, scene.files, Steps(at))
        with pytest.raises(Crash):
            share(died)
        after = restored(place, files_of(died))
        assert after.contents() == scene.contents
        after.cache().collect()
        assert after.contents() == scene.contents
        share(after)
        assert after.contents() == scene.contents
        assert after.own_segments() == []
        assert after.is_sound()
        scene.check_other(place)


@pytest.mark.parametrize("work", [adopt, adopt_from_sibling])
def test_who_ends_while_adopting_has_no_index_or_all_of_it(tmp_path: Path, work: Work) -> None:
    scene = Scene(tmp_path, lent=work is adopt, indexed=False)
    assert points(scene, work) > 5
    for at in range(points(scene, work)):
        place = scene.place()
        died = restored(place, scene.files, Steps(at))
        with pytest.raises(Crash):
            work(died)
        after = restored(place, files_of(died))
        assert after.contents() in ({}, scene.contents)
        after.cache().collect()
        work(after)
        assert after.contents() == scene.contents
        assert after.own_segments() == []
        assert after.is_sound()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("work", [share, adopt])
def test_a_loss_of_power_at_a_write_leaves_what_is_readable(
    tmp_path: Path, work: Work, model: Model
) -> None:
    scene = Scene(tmp_path, lent=work is adopt, indexed=work is share)
    for kind in STORED_KINDS:
        folder = kind.folder
        whole = restored(scene.place(), scene.files, faults={folder: Fault(1 << 20, "crash")})
        work(whole)
        store = whole.own[folder]
        assert isinstance(store, FaultyStore)
        for at in range(len(store.operations)):
            place = scene.place()
            died = restored(place, scene.files, faults={folder: Fault(at, "crash")})
            with pytest.raises(SimulatedCrash):
                work(died)
            died_store = died.own[folder]
            assert isinstance(died_store, FaultyStore)
            for survivor in died_store.survivors(model):
                own = {name: store for name, store in died.own.items() if name != folder}
                after = SharingCheckout(place, "one", own={**own, folder: survivor})
                found = after.contents().get(folder)
                assert found in (scene.contents[folder], None)
                assert found is not None or work is adopt


def test_a_collector_that_ends_leaves_all_that_is_needed(tmp_path: Path) -> None:
    scene = Scene(tmp_path, lent=True, indexed=True)

    def collect(checkout: SharingCheckout) -> None:
        checkout.cache().collect()

    shared_files = scene.place()
    lender = restored(shared_files, scene.files)
    share(lender)
    scene.files, scene.start = files_of(lender), shared_files
    before = segments_in(shared_files)
    count = points(scene, collect)
    assert count > 10
    for at in range(count):
        place = scene.place()
        died = restored(place, scene.files, Steps(at))
        with pytest.raises(Crash):
            collect(died)
        after = restored(place, scene.files)
        after.cache().collect()
        assert after.contents() == scene.contents
        assert segments_in(place) == before
