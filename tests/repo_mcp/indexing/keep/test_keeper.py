"""A keeper of any index opens what fits, and removes what does not, with a notice."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from code_graph.store.schema import GraphProgress
from index_format import Field, Index, Schema, Snapshot, StoreError
from repo_mcp.indexing.keep.keeper import IndexKeeper
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.indexing.keep.pools import PoolUse
from repo_mcp.stored import STORED_KINDS, TEXT_INDEX, StoredKind
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, indexed, served

pytestmark = pytest.mark.servers

OTHER_SCHEMA = Schema((Field("other"),))
KINDS = pytest.mark.parametrize("kind", STORED_KINDS, ids=lambda kind: kind.folder)


@pytest.fixture
def manager(tmp_path: Path) -> IndexManager:
    files: dict[str, str | bytes] = {
        "a.py": "from b import tax\ndef total(): return tax()\n",
        "b.py": "def tax(): return 1\n",
    }
    made = served(write(tmp_path / "root", files), tmp_path / "data").manager
    made.refresh(FOREVER)
    made.link(FOREVER)
    return made


def keeper_of(manager: IndexManager, kind: StoredKind) -> IndexKeeper:
    (found,) = (item for item in manager.stored.keepers if item.kind is kind)
    return found


def signature_in(keeper: IndexKeeper) -> str:
    return keeper.signature_of(keeper.index.snapshot())


@KINDS
def test_only_a_generation_of_the_signature_is_opened(
    manager: IndexManager, kind: StoredKind
) -> None:
    keeper = keeper_of(manager, kind)
    signature = signature_in(keeper)
    opened = keeper.open(signature)
    assert isinstance(opened, Snapshot)
    assert keeper.latest is opened
    assert keeper.open("other") is None
    assert keeper.is_there


def test_a_summary_of_derived_indexes_counts_the_files_of_the_repository(
    manager: IndexManager,
) -> None:
    assert {
        item.kind.folder: item.files for item in manager.stored.summarise(manager.snapshot())
    } == {"code": 2, "graph": 2}


@KINDS
def test_an_index_with_another_signature_is_removed_and_nothing_is_said(
    manager: IndexManager, kind: StoredKind
) -> None:
    keeper = keeper_of(manager, kind)
    keeper.drop_unusable(signature_in(keeper))
    keeper.drop_unusable()
    assert keeper.is_there
    keeper.drop_unusable("other")
    assert keeper.store.names() == []
    assert keeper.notice is None


@KINDS
@pytest.mark.parametrize("fault", ["damaged", "foreign", "schema"])
def test_an_index_that_can_not_be_used_is_removed_with_a_notice(
    manager: IndexManager, kind: StoredKind, fault: str
) -> None:
    keeper = keeper_of(manager, kind)
    folder = Path(manager.index_dir)
    if fault == "damaged":
        for path in (folder / kind.folder).glob("seg-*"):
            os.truncate(path, 10)
    elif fault == "foreign":
        (folder / kind.origin).unlink()
    else:
        keeper.empty()
        with Index(keeper.store, OTHER_SCHEMA).writer() as writer:
            writer.commit()
    assert keeper.open("other") is None
    assert keeper.is_there
    keeper.drop_unusable()
    assert keeper.store.names() == []
    told = {
        "damaged": "was damaged",
        "foreign": "in the data folder was not made here",
        "schema": "was made by another version of this program",
    }
    said = keeper.notice
    assert said is not None
    assert said.text == f"the {kind.title} {told[fault]} and has been {kind.remaking}"
    assert keeper.take_notice() is said
    assert keeper.take_notice() is None


@KINDS
def test_what_was_replaced_before_the_lock_was_there_stays(
    manager: IndexManager, kind: StoredKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process has made the index anew meanwhile."""
    keeper = keeper_of(manager, kind)
    folder = Path(manager.index_dir) / kind.folder
    files = {path: path.read_bytes() for path in folder.glob("seg-*")}
    for path in files:
        os.truncate(path, 10)
    lock = keeper.store.lock

    def lock_late(wait_seconds: float) -> object:
        for path, data in files.items():
            path.write_bytes(data)
        return lock(wait_seconds)

    monkeypatch.setattr(keeper.store, "lock", lock_late)
    keeper.drop_unusable()
    assert keeper.is_there
    assert keeper.notice is None


@KINDS
def test_reading_a_missing_index_makes_no_folder(tmp_path: Path, kind: StoredKind) -> None:
    root, data = write(tmp_path / "root", {"a.py": "x = 1\n"}), tmp_path / "data"
    manager = served(root, data).manager
    keeper = keeper_of(manager, kind)
    assert keeper.open("any") is None
    assert not any(keeper.check())
    assert manager.stored.derived == []
    assert not data.exists()
    assert keeper.merge(manager.pools[PoolUse.INDEXING], FOREVER) == 0


@KINDS
def test_a_check_names_files_as_the_list_of_all_files_does(
    manager: IndexManager, kind: StoredKind
) -> None:
    keeper = keeper_of(manager, kind)
    listed = set(manager.stored.dump(None, None, 1))
    (name, *_) = sorted(name for name in keeper.store.names() if name.startswith("seg-"))
    assert keeper.label(name) in listed
    os.truncate(Path(manager.index_dir) / kind.folder / name, 10)
    assert keeper.label(name) in {finding.file for finding in keeper.check()}


@KINDS
def test_repair_leaves_an_index_without_damage(manager: IndexManager, kind: StoredKind) -> None:
    keeper = manager.text if kind is TEXT_INDEX else keeper_of(manager, kind)
    generation = keeper.index.snapshot().generation
    assert list(keeper.repair()) == []
    assert keeper.index.snapshot().generation == generation
    for path in (Path(manager.index_dir) / kind.folder).glob("seg-*"):
        os.truncate(path, 10)
    assert list(keeper.repair()) == []
    found = keeper.index.snapshot() if keeper.is_there else None
    assert found is None or found.file_count == 0


def test_roots_in_one_process_know_nothing_of_each_other(tmp_path: Path) -> None:
    names = ("one", "two", "three")
    roots = [write(tmp_path / name, {f"{name}.py": f"def {name}(): pass\n"}) for name in names]
    made = [served(root, tmp_path / "data" / root.name) for root in roots]
    for parts in made:
        parts.manager.refresh(FOREVER)
    for parts in made:
        parts.manager.link(FOREVER)
    first, *others = (parts.manager for parts in made)
    first.graph_index.report_damage()
    with pytest.raises(StoreError), first.text.store.lock(0), first.text.store.lock(0):
        pass
    with first.text.store.lock(0):
        assert not first.is_free(0)
        assert all(manager.is_free(0) for manager in others)
    for name, manager in zip(("two", "three"), others, strict=True):
        assert indexed(manager) == [f"{name}.py"]
        graph = manager.graph()
        assert graph.current
        assert graph.notice is None
        assert graph.snapshot is not None
        assert GraphProgress.of(graph.snapshot).complete
    assert first.graph().notice is not None
