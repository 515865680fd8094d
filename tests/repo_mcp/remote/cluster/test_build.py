"""An index built by workers has the bytes of one built here, whatever happens to them."""

from __future__ import annotations

import math
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
pytest.importorskip("obstore", reason="the extra `cluster` is not installed")

from distributed import Worker, WorkerPlugin

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.keeper import JobEngine
from repo_mcp.indexing.workers import pool
from repo_mcp.model import Progress, RefreshResult
from repo_mcp.processes.start import command_of
from repo_mcp.remote.cluster import CHECKOUT, STORE, ClusterEngine, ClusterRunner, open_engine
from tests.repo_mcp.indexing.workers.test_pool import TRAPPED
from tests.repo_mcp.trees import (
    FOREVER,
    CallbackListener,
    Services,
    indexed,
    segment_names,
    served,
    write,
)

pytestmark = pytest.mark.servers

TREE: dict[str, str | bytes] = {
    f"pkg{number % 5}/module{number}.py": "\n\n".join(
        f'def task{number}_{line}(first, second):\n    """Adds {line * number}."""\n'
        f"    return first.value{line} + second.value{number}"
        for line in range(30)
    )
    for number in range(60)
}
TREE |= {"notes.txt": "workers and parts\n" * 20, "picture.py": b"\0\1\2" * 50}


class Trap(WorkerPlugin):
    """Set in all workers, also those that are started again."""

    name = "trap"

    def setup(self, worker: Worker) -> None:
        del worker
        pool._COMMAND = (sys.executable, "-P", "-c", TRAPPED)  # type: ignore[misc]

    def teardown(self, worker: Worker) -> None:
        del worker
        pool._COMMAND = command_of("repo_mcp.indexing.workers.worker")  # type: ignore[misc]


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterEngine]:
    with open_engine("local:2", str(tmp_path_factory.mktemp("workers"))) as opened:
        yield opened


@pytest.fixture
def engine(workers: ClusterEngine) -> ClusterEngine:
    """The engine, with all workers that a test before has killed."""
    workers.workers()  # restores those that do not come back by themselves
    workers._client.wait_for_workers(2, timeout=60)
    return workers


@pytest.fixture(autouse=True)
def many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repo_mcp.indexing.keep.refresh._IN_PROCESS_FILES", 0)
    monkeypatch.setattr("repo_mcp.indexing.build.tasks._MIN_TASK_BYTES", 1 << 14)
    # merged by the workers, too
    monkeypatch.setattr("repo_mcp.indexing.workers.merging._IN_PROCESS_BYTES", 0)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", TREE)


@pytest.fixture
def expected(tmp_path: Path, root: Path) -> list[str]:
    parts = served(root, tmp_path / "alone", workers=1)
    parts.manager.refresh(FOREVER)
    parts.manager.tidy(FOREVER, full=True)
    return segment_names(parts.manager)


class Build:
    """A checkout whose index an engine builds, with all runners that it took."""

    def __init__(self, engine: ClusterEngine, folder: Path, files: str = CHECKOUT) -> None:
        self.parts: Services = served(folder / "root", folder / "data", workers=1)
        self.runners: list[ClusterRunner] = []
        store = (folder / "store").as_uri()

        def make(recipe: Recipe) -> ClusterRunner:
            self.runners.append(ClusterRunner(engine, recipe, self.parts.sandbox, store, files))
            return self.runners[-1]

        self.make: JobEngine = make

    def run(
        self,
        budget: Budget = FOREVER,
        tell: Callable[[Progress], object] = lambda _: None,
        most_parsed: float = math.inf,
    ) -> RefreshResult:
        return self.parts.manager.refresh(
            budget, CallbackListener(tell), most_parsed=most_parsed, engine=self.make
        )

    @property
    def names(self) -> list[str]:
        return segment_names(self.parts.manager)


@pytest.mark.parametrize("files", [CHECKOUT, STORE])
def test_workers_build_the_bytes_of_one_machine(
    engine: ClusterEngine, tmp_path: Path, expected: list[str], files: str
) -> None:
    build = Build(engine, tmp_path, files)
    done = build.run()
    assert (done.added, done.complete, done.left_out) == (61, True, {"binary": 1})
    assert build.names == expected
    runner = build.runners[-1]
    assert runner.cost.tasks > 5
    assert runner.cost.bytes_read > sum(map(len, TREE.values()))
    assert runner.cost.cpu_seconds > 0
    assert runner.made_here == 0
    after = build.parts.manager.refresh(FOREVER)
    assert (after.added, after.updated, after.removed) == (0, 0, 0)
    runner.clean()
    assert not [file for file in (tmp_path / "store").rglob("*") if file.is_file()]


def test_workers_index_words_alone_as_one_machine_does(
    engine: ClusterEngine, tmp_path: Path, root: Path
) -> None:
    build, alone = Build(engine, tmp_path), served(root, tmp_path / "alone", workers=1)
    build.run(most_parsed=0)
    alone.manager.refresh(FOREVER, most_parsed=0)
    assert build.runners[-1].cost.tasks > 5
    for manager in (build.parts.manager, alone.manager):
        assert manager.state().shallow
        manager.tidy(FOREVER, full=True)
    assert build.names == segment_names(alone.manager)


def test_killed_workers_change_nothing(
    engine: ClusterEngine, tmp_path: Path, expected: list[str]
) -> None:
    killed: list[int] = []

    def kill(now: Progress) -> None:
        found = engine.process_ids().values() if now.files and len(killed) < 3 else ()
        if found:
            killed.append(max(found))
            os.kill(killed[-1], signal.SIGKILL)

    build = Build(engine, tmp_path)
    assert build.run(tell=kill).complete
    assert killed
    assert build.names == expected


def test_a_second_run_finds_what_the_first_had_finished(
    engine: ClusterEngine, tmp_path: Path, expected: list[str]
) -> None:
    finished = 0

    def count(now: Progress) -> None:
        nonlocal finished
        finished = now.files

    first = Build(engine, tmp_path)
    with pytest.raises(Problem) as caught:
        first.run(Budget(cancelled=lambda: finished > 20), count)
    assert caught.value.code == "cancelled"
    assert indexed(first.parts.manager) == []
    second = Build(engine, tmp_path)
    second.run()
    assert second.runners[-1].cost.reused >= 1
    assert second.names == expected


def test_what_has_changed_meanwhile_is_not_taken_from_an_earlier_run(
    engine: ClusterEngine, tmp_path: Path, root: Path
) -> None:
    Build(engine, tmp_path).run()
    write(root, {"pkg0/module0.py": "def renamed():\n    return 1\n", "pkg1/more.py": "x = 1\n"})
    (tmp_path / "data").rename(tmp_path / "before")
    build = Build(engine, tmp_path)
    build.run()
    alone = served(root, tmp_path / "alone", workers=1)
    alone.manager.refresh(FOREVER)
    alone.manager.tidy(FOREVER, full=True)
    assert build.names == segment_names(alone.manager)


def test_a_file_that_kills_its_reader_costs_itself(
    engine: ClusterEngine, tmp_path: Path, root: Path
) -> None:
    write(root, {"pkg3/poison.py": "POISON\n", "pkg3/cruel.py": "def broken(): KILL\n"})
    engine._client.register_plugin(Trap())
    try:
        build = Build(engine, tmp_path)
        done = build.run()
    finally:
        engine._client.unregister_worker_plugin(Trap.name)
    assert (done.added, done.left_out) == (62, {"binary": 1, "crashed": 1})
    assert "pkg3/poison.py" not in indexed(build.parts.manager)
    assert "pkg3/cruel.py" in indexed(build.parts.manager)
    assert build.runners[-1].made_here == 0


def test_parts_that_no_worker_can_make_are_made_here(
    engine: ClusterEngine, tmp_path: Path, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The workers look for the checkout where there is none."""
    build = Build(engine, tmp_path)
    make = build.make

    def astray(recipe: Recipe) -> ClusterRunner:
        runner = make(recipe)
        assert isinstance(runner, ClusterRunner)
        monkeypatch.setitem(runner._record, "root", str(tmp_path / "nowhere"))
        return runner

    build.make = astray
    assert build.run().complete
    assert build.runners[-1].made_here > 1
    assert build.names == expected


def test_parts_are_made_here_while_there_are_no_workers(
    engine: ClusterEngine, tmp_path: Path, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    build = Build(engine, tmp_path)
    monkeypatch.setattr("repo_mcp.remote.cluster.runner._ALONE_SECONDS", -1.0)
    monkeypatch.setattr(engine, "workers", list)
    monkeypatch.setattr(engine, "submit", lambda *_: None)
    assert build.run().complete
    assert build.runners[-1].made_here > 1
    assert build.names == expected


def test_a_worker_that_does_not_come_back_is_started_again(tmp_path: Path) -> None:
    with open_engine("local:1", str(tmp_path)) as engine:
        cluster = engine._client.cluster
        (nanny,) = cluster.workers.values()
        cluster.sync(nanny.close)
        assert engine.workers() == []
        engine.wait_for_workers()
        assert len(engine.workers()) == 1


def test_workers_of_another_version_get_no_work(
    engine: ClusterEngine, tmp_path: Path, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    refused, sound = engine.workers()
    monkeypatch.setattr(engine, "refusing", {refused: "another hash"})
    build = Build(engine, tmp_path)
    build.run()
    assert build.names == expected
    with pytest.raises(Problem) as caught:
        engine.refuse(sound, "another hash")
    assert caught.value.code == "engine_unusable"


def test_a_recipe_that_workers_hash_otherwise_is_refused(
    engine: ClusterEngine, tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert root.is_dir()
    monkeypatch.setattr(engine, "refusing", {})
    monkeypatch.setattr("index_format.analysis.counting.VERSION", "of another program")
    with pytest.raises(Problem) as caught:
        Build(engine, tmp_path).run()
    assert caught.value.code == "engine_unusable"
