"""Fresh builds of equal trees give equal index files; what changes nothing publishes nothing."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from code_graph import Languages
from index_format import LOCK_NAME
from repo_mcp.budget import Budget
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.build.tasks import BuildTask, ProgressStep
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.indexing.keep.pools import PoolUse
from repo_mcp.indexing.workers.pool import Pool
from repo_mcp.processes.pool import Job
from repo_mcp.safety.sandbox import Sandbox
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, served, text_of

pytestmark = pytest.mark.differential

FILES: dict[str, str | bytes] = {
    f"{number % 5}/f{number:02}.{'py' if number % 3 else 'txt'}": (
        f"def f{number}(x):\n    return word{number % 7} + x\n\n\n" * (number % 4 + 1)
    )
    for number in range(40)
}


class ShuffledPool(Pool):
    """Does the jobs in this process, and hands out their results in a random order."""

    def __init__(self, recipe: Recipe, sandbox: Sandbox, seed: int) -> None:
        super().__init__(recipe, 1)
        self.jobs = 0
        self._chance = random.Random(seed)
        self._builder = recipe.builder(sandbox, Languages(recipe.languages))

    def run(
        self,
        jobs: Sequence[Job],
        budget: Budget,  # noqa: ARG002 the interface
        waiting: Callable[[], None] = lambda: None,
    ) -> Iterator[tuple[Job, object, bool]]:
        self.jobs += len(jobs)
        for job in self._chance.sample(jobs, len(jobs)):
            assert isinstance(job, BuildTask)
            waiting()
            yield job, ProgressStep(1, 1), False
            yield job, self._builder.build(job.wanted, parse=job.parse), True


@pytest.fixture(params=["one round", "two rounds"])
def rounds(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every file in a task of the size that the share of the whole asks for, at most."""
    monkeypatch.setattr("repo_mcp.indexing.keep.refresh._IN_PROCESS_FILES", 0)
    monkeypatch.setattr("repo_mcp.indexing.build.tasks._MIN_TASK_BYTES", 1)
    if request.param == "two rounds":
        monkeypatch.setattr("repo_mcp.indexing.keep.refresh._ONE_ROUND_BYTES", 0)
    return str(request.param)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", FILES)


def index_files(data: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((data / "index").iterdir())}


def listed_files(manager: IndexManager, data: Path) -> dict[str, bytes]:
    """The files that the current generation consists of."""
    snapshot = text_of(manager)
    names = {entry.name for entry in snapshot.manifest.segments}
    names |= {"CURRENT", f"manifest-{snapshot.generation:012}.json", LOCK_NAME}
    return {name: data for name, data in index_files(data).items() if name in names}


def shuffled(root: Path, data: Path, seed: int) -> IndexManager:
    """An index whose builds get their results in a random order."""
    services = served(root, data)
    pool = ShuffledPool(services.manager.recipe, services.sandbox, seed)
    services.manager.pools[PoolUse.INDEXING] = pool
    return services.manager


@pytest.mark.requirement("INT-02-deterministic")
def test_a_fresh_build_does_not_depend_on_the_workers(
    root: Path, tmp_path: Path, rounds: str
) -> None:
    found: list[dict[str, bytes]] = []
    for number, workers in enumerate((1, 3)):
        data = tmp_path / f"data{number}"
        # another tree with the same files
        tree = Path(shutil.copytree(root, tmp_path / f"tree{number}"))
        manager = served(tree, data, workers=workers).manager
        assert manager.refresh(FOREVER).added == len(FILES), rounds
        manager.close()
        found.append(listed_files(manager, data))
    data = tmp_path / "here"
    manager = shuffled(root, data, 0)
    manager.refresh(FOREVER)
    found.append(listed_files(manager, data))
    assert len(found[0]) > 8
    assert found[0] == found[1] == found[2]


@pytest.mark.requirement("INT-02-deterministic")
def test_a_fresh_build_does_not_depend_on_the_order_of_results(
    root: Path, tmp_path: Path, rounds: str
) -> None:
    found: list[dict[str, bytes]] = []
    for seed in range(6):
        data = tmp_path / f"data{seed}"
        manager = shuffled(root, data, seed)
        manager.refresh(FOREVER)
        found.append(listed_files(manager, data))
        manager.tidy(FOREVER)
        found[-1] |= {f"tidied {name}": data for name, data in listed_files(manager, data).items()}
    assert all(files == found[0] for files in found), rounds


def state(data: Path) -> dict[str, tuple[int, bytes]]:
    """Change time and content of each index file."""
    return {
        path.name: (path.stat().st_mtime_ns, path.read_bytes())
        for path in (data / "index").iterdir()
    }


def refresh(manager: IndexManager) -> None:
    manager.refresh(FOREVER)


def refresh_paths(manager: IndexManager) -> None:
    manager.refresh_paths([*FILES, "missing.py"], FOREVER, deep=True)


def refresh_words(manager: IndexManager) -> None:
    manager.refresh(FOREVER, most_parsed=0)
    manager.refresh_paths(list(FILES), FOREVER, deep=False)


def tidy(manager: IndexManager) -> None:
    manager.tidy(FOREVER)
    manager.tidy(FOREVER, full=True)


def force(manager: IndexManager) -> None:
    manager.refresh(FOREVER, force=True)


def forget_and_refresh(manager: IndexManager) -> None:
    """Every file is read again, since nothing tells that it did not change."""
    (Path(manager.recipe.data_dir) / "stat.cache").unlink()
    manager.refresh(FOREVER)


def repair(manager: IndexManager) -> None:
    manager.repair(FOREVER)


IDLE = (refresh, refresh_paths, refresh_words, tidy, force, forget_and_refresh, repair)


@pytest.mark.parametrize("work", IDLE, ids=lambda work: work.__name__)
def test_what_changes_nothing_publishes_nothing(
    root: Path, tmp_path: Path, rounds: str, work: Callable[[IndexManager], None]
) -> None:
    data = tmp_path / "data"
    first = shuffled(root, data, 1)
    first.refresh(FOREVER)
    first.tidy(FOREVER, full=True)
    files = listed_files(first, data)
    before = {name: seen for name, seen in state(data).items() if name in files}
    for seed in range(3):  # the server is started again each time
        manager = shuffled(root, data, seed)
        work(manager)
        manager.tidy(FOREVER)
        after = state(data)
        assert {name: after.get(name) for name in before} == before, rounds
        assert listed_files(manager, data) == files


def test_a_small_tree_needs_one_generation(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("code_graph.registry.Languages.needs_worker", lambda *_: False)
    manager = served(root, tmp_path / "data").manager
    manager.refresh(FOREVER)
    before = state(tmp_path / "data")
    manager.tidy(FOREVER)
    manager.refresh(FOREVER, force=True)
    manager.tidy(FOREVER, full=True)
    assert state(tmp_path / "data") == before
    assert manager.state().generation == 1


def test_an_index_of_words_alone_stays_as_it_is(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repo_mcp.indexing.keep.refresh._IN_PROCESS_FILES", 0)
    data = tmp_path / "data"
    shuffled(root, data, 1).refresh(FOREVER, most_parsed=0)
    before = state(data)
    manager = shuffled(root, data, 2)
    assert manager.state().shallow
    manager.refresh(FOREVER, most_parsed=0)
    assert state(data) == before


def test_a_forced_run_replaces_what_differs_and_keeps_the_facts_meanwhile(
    root: Path, tmp_path: Path, rounds: str
) -> None:
    data = tmp_path / "data"
    manager = shuffled(root, data, 1)
    manager.refresh(FOREVER)
    manager.tidy(FOREVER, full=True)
    before = manager.state().generation
    write(root, {"0/f00.txt": "changed"})
    assert manager.refresh(FOREVER, force=True).updated == len(FILES), rounds
    assert manager.state().generation == before + 1
    assert not manager.state().shallow
    fresh = shuffled(root, tmp_path / "fresh", 2)
    fresh.refresh(FOREVER)
    fresh.tidy(FOREVER, full=True)
    assert [*listed_files(manager, data)][2:] == [*listed_files(fresh, tmp_path / "fresh")][2:]
