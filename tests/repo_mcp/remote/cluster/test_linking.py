"""Code and graph that workers have made have the bytes of one machine, whatever happens to them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
pytest.importorskip("obstore", reason="the extra `cluster` is not installed")

from index_format import Index
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.model import Progress
from repo_mcp.remote.cluster import CHECKOUT, STORE, ClusterEngine, ClusterRunner
from repo_mcp.stored import CODE_INDEX, GRAPH_INDEX
from tests.repo_mcp.remote.cluster.test_build import engine, workers
from tests.repo_mcp.remote.cluster.test_sources import commit, needs_git
from tests.repo_mcp.trees import FOREVER, CallbackListener, Services, served, write

pytestmark = pytest.mark.servers

__all__ = ["engine", "workers"]
COUNT = 48
# modules that call each other across packages and parts, a manifest that says where they are, and
# files that find each other by shared names
TREE: dict[str, str | bytes] = {
    f"src/pkg{number % 4}/module{number}.py": f"from pkg{(number + 1) % 4} import"
    f" module{(number + 1) % COUNT} as other\n\n\n"
    + "\n\n".join(
        f"class Task{number}_{line}:\n    def run(self, value):\n"
        f"        return other.Task{(number + 1) % COUNT}_{line}().run(value)"
        for line in range(8)
    )
    for number in range(COUNT)
}
TREE |= {f"src/pkg{number}/__init__.py": "" for number in range(4)}
TREE |= {
    "pyproject.toml": '[project]\nname = "x"\n[tool.setuptools.packages.find]\nwhere=["src"]\n'
}
TREE |= {
    f"c/part{number}.c": f"int shared_{number}(int value)\n{{\n"
    f"    return shared_{(number + 1) % 6}(value);\n}}\n"
    for number in range(6)
}


@pytest.fixture(autouse=True)
def many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repo_mcp.indexing.workers.file_jobs._MIN_TASK_BYTES", 1 << 12)
    monkeypatch.setattr("repo_mcp.indexing.workers.merging._IN_PROCESS_BYTES", 0)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", TREE)


def segments(manager: IndexManager) -> dict[str, list[str]]:
    """The names of the segments of code and graph, merged in full."""
    manager.tidy(FOREVER, full=True)
    found = {}
    for kind in (CODE_INDEX, GRAPH_INDEX):
        index = Index(Recipe.of(manager._settings, manager.index_dir).store(kind), kind.schema)
        found[kind.folder] = [entry.name for entry in index.snapshot().manifest.segments]
    assert manager.graph().current
    return found


def text_of(root: Path, data: Path) -> Services:
    parts = served(root, data, workers=1)
    parts.manager.refresh(FOREVER)
    parts.manager.tidy(FOREVER, full=True)
    return parts


@pytest.fixture
def expected(root: Path, tmp_path: Path) -> dict[str, list[str]]:
    alone = text_of(root, tmp_path / "alone")
    alone.manager.link(FOREVER)
    return segments(alone.manager)


class Linking:
    """A checkout with an index of its text, whose graph an engine links."""

    def __init__(
        self, engine: ClusterEngine, folder: Path, files: str = CHECKOUT, data: str = ""
    ) -> None:
        self.parts = text_of(folder / "root", folder / (data or "data"))
        self.runners: list[ClusterRunner] = []
        store = (folder / "store").as_uri()

        def make(recipe: Recipe) -> ClusterRunner:
            self.runners.append(ClusterRunner(engine, recipe, self.parts.sandbox, store, files))
            return self.runners[-1]

        self.make = make

    def run(
        self, budget: Budget = FOREVER, tell: Callable[[Progress], object] = lambda _: None
    ) -> None:
        assert not self.parts.manager.link(budget, CallbackListener(tell), self.make)

    @property
    def runner(self) -> ClusterRunner:
        return self.runners[-1]

    def segments(self) -> dict[str, list[str]]:
        return segments(self.parts.manager)


@pytest.mark.parametrize("files", [CHECKOUT, STORE])
def test_workers_link_the_bytes_of_one_machine(
    engine: ClusterEngine, tmp_path: Path, expected: dict[str, list[str]], files: str
) -> None:
    linking = Linking(engine, tmp_path, files)
    linking.run()
    assert linking.runner.made_here == 0
    assert linking.runner.cost.tasks > 10
    assert linking.segments() == expected
    linking.runner.clean()
    assert not [file for file in (tmp_path / "store").rglob("*") if file.is_file()]


@pytest.mark.servers
@needs_git
def test_code_is_made_of_a_commit_and_of_what_differs_from_it(
    engine: ClusterEngine, tmp_path: Path, root: Path
) -> None:
    commit(root)
    write(root, {"src/pkg1/module1.py": "class Other:\n    pass\n"})
    linking = Linking(engine, tmp_path, f"git:{root}")
    linking.run()
    assert linking.runner.made_here == 1
    alone = text_of(root, tmp_path / "alone")
    alone.manager.link(FOREVER)
    assert linking.segments() == segments(alone.manager)


def test_killed_workers_change_no_edge(
    engine: ClusterEngine, tmp_path: Path, expected: dict[str, list[str]]
) -> None:
    killed: dict[str, int] = {}

    def kill(now: Progress) -> None:
        """One worker while code is made, and one while edges are linked."""
        found = engine.process_ids().values() if now.files and now.phase not in killed else ()
        if found:
            killed[now.phase] = max(found)
            os.kill(killed[now.phase], signal.SIGKILL)

    linking = Linking(engine, tmp_path)
    linking.run(tell=kill)
    assert sorted(killed) == ["linking", "parsing"]
    assert linking.segments() == expected


def test_a_coordinator_that_lost_everything_finds_what_was_linked(
    engine: ClusterEngine, tmp_path: Path, expected: dict[str, list[str]]
) -> None:
    linked = 0

    def count(now: Progress) -> None:
        nonlocal linked
        linked = now.files if now.phase == "linking" else 0

    first = Linking(engine, tmp_path)
    with pytest.raises(Problem) as caught:
        first.run(Budget(cancelled=lambda: linked > 10), count)
    assert caught.value.code == "cancelled"
    second = Linking(engine, tmp_path, data="other")
    second.run()
    # all code, and edges
    assert second.runner.cost.reused > 8
    assert second.segments() == expected


def test_edits_are_followed_as_on_one_machine(
    engine: ClusterEngine, tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each round of files that an answer reaches is given to workers."""
    monkeypatch.setattr("repo_mcp.indexing.keep.graph_linking._IN_PROCESS_FILES", 0)
    linking = Linking(engine, tmp_path)
    linking.run()
    write(
        root, {"src/pkg3/module3.py": "class Task3_0:\n    def run(self, value):\n        pass\n"}
    )
    manager = linking.parts.manager
    manager.refresh(FOREVER)
    manager.tidy(FOREVER, full=True)
    linking.run()
    assert linking.runner.cost.tasks > 1
    alone = text_of(root, tmp_path / "alone")
    alone.manager.link(FOREVER)
    assert linking.segments() == segments(alone.manager)
