"""Searches on workers of Dask: the answers of one machine, also while workers are killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
pytest.importorskip("obstore", reason="the extra `cluster` is not installed")

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import SearchAnswer
from repo_mcp.remote.cluster import DistributedSearch, ShardSource
from repo_mcp.search import SHARD_MISSING, ExactEngine, ExactQuery, RankedEngine
from repo_mcp.stored import TEXT_INDEX
from tests.repo_mcp.trees import FOREVER, Services, served, write
from tests.waiting import HANG

pytestmark = pytest.mark.servers

QUERIES = ["common words", "number3", '"common words"', "path:f1 common", "num*", "nubmer5 words"]


class Tree:
    def __init__(self, folder: Path) -> None:
        (folder / "root").mkdir()
        self.folder = folder
        self.services: Services = served(folder / "root", folder / "data", workers=1)
        for number in range(10):
            text = f"common words and number{number}\n" * (number + 1)
            write(folder / "root", {f"f{number}_{part}.txt": text * part for part in range(1, 4)})
            self.services.manager.refresh(FOREVER)
        self.engine = RankedEngine(self.services.sandbox, self.services.languages)
        self.exact = ExactEngine(self.services.sandbox)

    @property
    def snapshot(self) -> Snapshot:
        found = self.services.manager.snapshot()
        assert found is not None
        return found

    def here(self) -> list[SearchAnswer]:
        """The answers of this machine alone."""
        return [self.find(query, self.snapshot) for query in QUERIES]

    def find(self, query: str, snapshot: Snapshot) -> SearchAnswer:
        return self.engine.search(snapshot, query, 5, None, Budget())


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    made = Tree(tmp_path_factory.mktemp("searching"))
    assert len(made.snapshot.segments) > 2
    return made


@pytest.fixture(scope="module")
def search(tree: Tree) -> Iterator[DistributedSearch]:
    source = ShardSource(str(tree.folder / "data" / TEXT_INDEX.folder))
    made = DistributedSearch("local:2", str(tree.folder / "engine"), source, HANG)
    yield made
    made.close()


def test_answers_of_workers_are_those_of_one_machine(tree: Tree, search: DistributedSearch) -> None:
    there = search.wait(tree.snapshot)
    assert there.is_distributed
    assert [tree.find(query, there) for query in QUERIES] == tree.here()
    assert search.readers is not None
    exact = ExactQuery((r"number\d",), regex=True, limit=None)
    found, expected = (
        tree.exact.find(snapshot, exact, Budget()) for snapshot in (there, tree.snapshot)
    )
    assert list(found.matches) == list(expected.matches)
    assert len(found.matches) > 100


def test_a_killed_worker_changes_no_answer(tree: Tree, search: DistributedSearch) -> None:
    there = search.wait(tree.snapshot)
    assert search.engine is not None
    victim = min(search.engine.process_ids().values())
    os.kill(victim, signal.SIGKILL)
    for _ in range(5):
        assert [tree.find(query, there) for query in QUERIES] == tree.here()


def test_a_cancelled_search_ends(tree: Tree, search: DistributedSearch) -> None:
    there = search.wait(tree.snapshot)
    with pytest.raises(Problem) as caught:
        tree.engine.search(there, "common", 5, None, Budget(cancelled=lambda: True))
    assert caught.value.code == "cancelled"


def test_a_snapshot_is_searched_here_until_workers_are_ready(
    tree: Tree, search: DistributedSearch
) -> None:
    search.wait(tree.snapshot)
    write(tree.folder / "root", {"late.txt": "common latecomer\n"})
    tree.services.manager.refresh(FOREVER)
    now = tree.snapshot
    assert search(now) is now
    preparing = search._preparing
    if preparing is not None:
        preparing.join(HANG)
    there = search(now)
    assert there.is_distributed
    assert [hit.path for hit in tree.find("latecomer", there).hits] == ["late.txt"]
    assert SHARD_MISSING not in {item.code for item in tree.find("common", there).warnings}


def test_an_engine_that_is_not_there_is_a_problem(tree: Tree, tmp_path: Path) -> None:
    with pytest.raises(Problem) as caught:
        DistributedSearch("ssh://host:1", str(tmp_path), ShardSource()).wait(tree.snapshot)
    assert caught.value.code == "argument_invalid"


def test_a_connection_that_is_lost_is_made_again(tree: Tree, search: DistributedSearch) -> None:
    search.wait(tree.snapshot)
    assert search.engine is not None
    assert search.readers is not None
    search.engine._client.close()
    assert search.readers.workers(anew=True) == {}
    assert search(tree.snapshot) is tree.snapshot
    preparing = search._preparing
    if preparing is not None:
        preparing.join(HANG)
    there = search(tree.snapshot)
    assert there.is_distributed
    assert [tree.find(query, there) for query in QUERIES] == tree.here()
