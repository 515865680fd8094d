"""The graph on disk: linked here or by workers to the same bytes, and replaced when damaged."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from code_graph.model import LinkedFile
from code_graph.query.snapshot import GraphSnapshot
from code_graph.store.schema import GraphProgress
from code_graph.tree import Linker, LinkFocus, Tree
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.graph_index import GraphIndex, sources_of
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.indexing.keep.pools import PoolUse
from repo_mcp.indexing.workers.pool import Pool
from repo_mcp.model import Progress
from repo_mcp.stored import GRAPH_INDEX
from tests.code_graph.small_linker import SmallLinker, symbol_id
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.trees import FOREVER, CallbackListener, served, text_of, write

pytestmark = pytest.mark.servers

ROOT = Path(__file__).parents[4]
LINKER = "tests.code_graph.small_linker:link_with"
TRAP = f"{__name__}:trap"
# a worker that finds the linkers of tests
WORKER = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from repo_mcp.indexing.workers import worker
worker.main()
"""
FILES: dict[str, str | bytes] = {
    f"m{n}.py": f"from m{n + 1} import f\ndef f(): f()\n" for n in range(12)
}


class _Trap(SmallLinker):
    def link(self, path: str, focus: LinkFocus | None = None) -> LinkedFile:
        if path == "m5.py":
            os.kill(os.getpid(), signal.SIGKILL)
        return super().link(path, focus)


def trap(tree: Tree) -> Linker:
    return _Trap(tree)


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> IndexManager:
    command = (sys.executable, "-P", "-c", WORKER)
    monkeypatch.setattr("repo_mcp.indexing.workers.pool._COMMAND", command)
    write(tmp_path / "root", FILES)
    found = served(tmp_path / "root", tmp_path / "data").manager
    found.refresh(FOREVER)
    return found


@pytest.fixture
def in_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repo_mcp.indexing.keep.graph_linking._IN_PROCESS_FILES", 0)
    monkeypatch.setattr("repo_mcp.indexing.workers.file_jobs._MAX_TASK_FILES", 4)


def graph_of(manager: IndexManager, linker: str = LINKER, version: int = 1) -> GraphIndex:
    sources = sources_of(manager.recipe, manager.sandbox, manager.languages)
    given = manager.recipe, manager.sandbox, sources, manager.pools, manager._linking
    return GraphIndex(*given, linker, version)


def pool_of(manager: IndexManager) -> Pool:
    return manager.pools[PoolUse.INDEXING]


def segments(manager: IndexManager) -> dict[str, bytes]:
    graph = graph_of(manager)
    for part in graph.parts:
        part.merge(pool_of(manager), FOREVER, full=True)
        part.collect_garbage(0.0, 0.0)
    folder = Path(manager.recipe.index_dir) / GRAPH_INDEX.folder
    return {item.name: item.read_bytes() for item in folder.glob("seg-*")}


def test_while_files_of_a_first_graph_are_parsed_what_is_left_has_the_linking_of_them(
    manager: IndexManager,
) -> None:
    text, graph = text_of(manager), graph_of(manager)
    steps: list[Progress] = []
    graph.refresh(text, pool_of(manager), FOREVER, steps.append)
    parsed = [step for step in steps if step.phase == "parsing"]
    assert parsed
    assert all(step.following > step.all_size > 0 for step in parsed)
    assert not any(step.following for step in steps if step.phase == "linking")
    whole = Progress("parsing", 1, 2, 50, 100, 10.0, following=100.0)
    assert whole.seconds_left == 30.0


def test_workers_and_this_process_link_to_the_same_bytes(
    manager: IndexManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = text_of(manager)
    here = graph_of(manager)
    assert here.snapshot(text) is None
    assert here.refresh(text, pool_of(manager), FOREVER) == (12, 0, True)
    expected = segments(manager)
    assert here.linked(text).current
    monkeypatch.setattr("repo_mcp.indexing.keep.graph_linking._IN_PROCESS_FILES", 0)
    monkeypatch.setattr("repo_mcp.indexing.workers.file_jobs._MAX_TASK_FILES", 5)
    again = graph_of(manager, version=2)
    assert not again.linked(text).current
    steps: list[Progress] = []
    assert again.refresh(text, pool_of(manager), FOREVER, steps.append) == (12, 0, True)
    assert max(step.files for step in steps) == 12
    assert all(step.all_files == 12 for step in steps)
    assert segments(manager) == expected


@pytest.mark.usefixtures("in_workers")
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
def test_a_file_that_kills_workers_keeps_its_declarations(manager: IndexManager) -> None:
    graph = graph_of(manager, TRAP)
    text = text_of(manager)
    assert graph.refresh(text, pool_of(manager), FOREVER).complete
    found = graph.snapshot(text)
    assert found is not None
    opened = GraphSnapshot(found)
    assert opened.symbol(symbol_id("m5.py", "f")) is None
    assert opened.symbol(symbol_id("m6.py", "f")) is not None
    names = [symbol.qualified_name for symbol, _ in opened.outline("m5.py")]
    assert names == ["m5.py", "f"]


@pytest.mark.usefixtures("in_workers")
def test_a_spent_budget_leaves_the_rest_to_the_next_run(manager: IndexManager) -> None:
    graph = graph_of(manager)
    text = text_of(manager)
    clock = Clock()
    spent = Budget(0.0, clock=clock)
    assert graph.refresh(text, pool_of(manager), spent) == (0, 0, False)
    for part in graph.parts:
        assert part.merge(pool_of(manager), FOREVER) == 0
        part.collect_garbage(0.0, 0.0)
    assert not graph.linked(text).current
    assert graph.refresh(text, pool_of(manager), FOREVER) == (12, 0, True)


@pytest.mark.usefixtures("in_workers")
def test_workers_of_a_newer_text_link_nothing(manager: IndexManager, tmp_path: Path) -> None:
    old = text_of(manager)
    write(tmp_path / "root", {"m0.py": "def g(): pass\n"})
    manager.refresh(FOREVER)
    graph = graph_of(manager)
    assert not graph.refresh(old, pool_of(manager), FOREVER).complete
    assert graph.refresh(text_of(manager), pool_of(manager), FOREVER) == (12, 0, True)


def test_an_edit_is_followed(manager: IndexManager, tmp_path: Path) -> None:
    graph = graph_of(manager)
    graph.refresh(text_of(manager), pool_of(manager), FOREVER)
    write(tmp_path / "root", {"m3.py": "def h(): pass\n"})
    manager.refresh(FOREVER)
    text = text_of(manager)
    assert not graph.linked(text).current
    # m2 imports from m3, and its own f stays what it is
    assert graph.refresh(text, pool_of(manager), FOREVER).linked <= 2
    found = graph.snapshot(text)
    assert found is not None
    assert GraphProgress.of(found).text == text.generation


def linked(now: Progress) -> int:
    return now.files if now.phase == "linking" else 0


@pytest.mark.usefixtures("in_workers")
def test_a_first_build_goes_on_after_an_edit(manager: IndexManager, tmp_path: Path) -> None:
    steps: list[Progress] = []
    graph = graph_of(manager)
    budget = Budget(cancelled=lambda: max(map(linked, steps), default=0) >= 8)
    with pytest.raises(Problem, match="cancelled"):
        graph.refresh(text_of(manager), pool_of(manager), budget, steps.append)
    found = graph.snapshot(text_of(manager))
    assert found is not None
    assert (found.file_count, GraphProgress.of(found).complete) == (8, False)
    files: dict[str, str | bytes] = {f"m{number}.py": "def g(): pass\n" for number in (1, 3, 9, 11)}
    write(tmp_path / "root", files)
    (tmp_path / "root" / "m10.py").unlink()
    manager.refresh(FOREVER)
    assert graph.refresh(text_of(manager), pool_of(manager), FOREVER).complete
    followed = segments(manager)
    graph_of(manager, version=2).refresh(text_of(manager), pool_of(manager), FOREVER)
    assert segments(manager) == followed


def test_a_damaged_graph_is_linked_again(manager: IndexManager) -> None:
    text = text_of(manager)
    graph_of(manager).refresh(text, pool_of(manager), FOREVER)
    folder = Path(manager.recipe.index_dir) / GRAPH_INDEX.folder
    for item in folder.glob("manifest-*"):
        item.write_bytes(b"{}")
    graph = graph_of(manager)
    assert graph.snapshot(text) is None
    assert graph.refresh(text, pool_of(manager), FOREVER) == (12, 0, True)


def test_few_files_are_parsed_by_the_workers_of_the_text_and_linked_here(
    manager: IndexManager,
) -> None:
    pool = Pool(manager.recipe, 1)
    assert graph_of(manager).refresh(text_of(manager), pool, FOREVER).complete
    assert pool._idle == []


@pytest.mark.usefixtures("in_workers")
def test_a_first_build_that_was_killed_goes_on_though_a_file_changed_meanwhile(
    manager: IndexManager, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("code_graph.link.LINKER", LINKER)
    monkeypatch.setattr("code_graph.link.VERSION", 1)
    manager.close()
    # of several workers, which files are linked when it ends depends on who is faster
    first = served(tmp_path / "root", tmp_path / "data", workers=1).manager
    steps: list[Progress] = []
    budget = Budget(cancelled=lambda: max(map(linked, steps), default=0) >= 8)
    with pytest.raises(Problem, match="cancelled"):
        first.link(budget, CallbackListener(steps.append))
    first.close()
    write(tmp_path / "root", {"m10.py": "from m11 import f\ndef f(): return f()\n"})
    later = served(tmp_path / "root", tmp_path / "data").manager
    assert later.graph().snapshot is not None  # as a question looks before it refreshes
    later.refresh(FOREVER)
    seen: list[Progress] = []
    later.link(FOREVER, CallbackListener(seen.append))
    # four were not linked, and one that asked about the changed one is linked again
    assert max(map(linked, seen)) == 5
    followed = segments(later)
    graph_of(later, version=2).refresh(text_of(later), pool_of(later), FOREVER)
    assert segments(later) == followed
