"""A large build merges share by share: canonical at its end, whoever did what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path

import pytest

from index_format import Index, Limits, merge_segments
from repo_mcp.budget import Budget
from repo_mcp.indexing.keep.pools import PoolUse
from repo_mcp.indexing.workers.merging import MergeJob, merge_runner
from repo_mcp.processes.pool import Job
from tests.repo_mcp.indexing.keep.test_same_builds import (
    FILES,
    ShuffledPool,
    index_files,
    listed_files,
    shuffled,
)
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, served, text_of

pytestmark = pytest.mark.differential


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every build counts as large."""
    defaults = Index.__init__.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "limits", Limits(min_shared=1))
    monkeypatch.setattr("repo_mcp.indexing.keep.refresh._IN_PROCESS_FILES", 0)
    monkeypatch.setattr("repo_mcp.indexing.keep.refresh._ONE_ROUND_BYTES", 0)
    monkeypatch.setattr("repo_mcp.indexing.build.tasks._MIN_TASK_BYTES", 1)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", FILES)


@pytest.mark.requirement("INT-02-deterministic")
def test_a_large_build_is_canonical_at_its_end(root: Path, tmp_path: Path) -> None:
    found: list[dict[str, bytes]] = []
    for seed in range(4):
        data = tmp_path / f"data{seed}"
        manager = shuffled(root, data, seed)
        manager.refresh(FOREVER)
        snapshot = text_of(manager)
        entries = snapshot.manifest.segments
        assert len(entries) > 2
        assert all(entry.canonical and not entry.dead_files for entry in entries)
        found.append(listed_files(manager, data))
        assert manager.tidy(FOREVER, full=True) == 0
        assert listed_files(manager, data) == found[-1]
    assert all(files == found[0] for files in found)


def test_words_are_not_merged_before_facts_follow(root: Path, tmp_path: Path) -> None:
    found: list[dict[str, bytes]] = []
    for seed in range(4):
        data = tmp_path / f"data{seed}"
        manager = shuffled(root, data, seed)
        manager.refresh(FOREVER, most_parsed=0)
        snapshot = text_of(manager)
        assert not any(entry.canonical for entry in snapshot.manifest.segments)
        found.append(listed_files(manager, data))
    assert all(files == found[0] for files in found)


def test_workers_merge_the_same_shares(root: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    first = shuffled(root, one, 1)
    first.refresh(FOREVER)
    second = served(root, two, workers=2).manager
    second.refresh(FOREVER)
    assert listed_files(first, one) == listed_files(second, two)
    # what a share replaced is gone, even before garbage is collected
    stale = {name for name in index_files(two) if name.startswith("seg-")}
    assert stale == {name for name in listed_files(second, two) if name.startswith("seg-")}
    second.close()


class MergingPool(ShuffledPool):
    """Merges in this process too, unless the time is up."""

    merged = 0

    def run(
        self,
        jobs: Sequence[Job],
        budget: Budget,
        waiting: Callable[[], None] = lambda: None,
    ) -> Iterator[tuple[Job, object, bool]]:
        merges = [job for job in jobs if isinstance(job, MergeJob)]
        if not merges:
            yield from super().run(jobs, budget, waiting)
        for job in merges:
            if budget.spent:
                return
            self.merged += 1
            store = self.recipe.store(job.kind)
            yield job, merge_segments(store, job.kind.schema, job.task), True


def test_a_merge_is_finished_however_long_the_build_took(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repo_mcp.indexing.workers.merging._IN_PROCESS_BYTES", 0)
    monkeypatch.setattr(merge_runner, "__defaults__", (0,))
    services = served(root, tmp_path / "data")
    pool = MergingPool(services.manager.recipe, services.sandbox, 3)
    services.manager.pools[PoolUse.INDEXING] = pool
    hours = count(0.0, 3600.0)
    services.manager.refresh(Budget(None, clock=lambda: next(hours)))
    snapshot = text_of(services.manager)
    assert pool.merged == len(snapshot.manifest.segments) > 2
    assert all(entry.canonical for entry in snapshot.manifest.segments)


def test_a_small_change_merges_nothing_on_the_way(root: Path, tmp_path: Path) -> None:
    manager = shuffled(root, tmp_path / "data", 2)
    manager.refresh(FOREVER)
    before = manager.snapshot()
    write(root, {"0/f05.py": "def other():\n    pass\n"})
    manager.refresh(FOREVER)
    after = manager.snapshot()
    assert before is not None
    assert after is not None
    names = [entry.name for entry in before.manifest.segments]
    assert [entry.name for entry in after.manifest.segments][: len(names)] == names
