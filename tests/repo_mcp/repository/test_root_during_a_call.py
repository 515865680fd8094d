"""The folder at the root is replaced while a call or a refresh runs: nothing is mixed, or lost."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.build.tasks import FileTask, build_tasks
from repo_mcp.indexing.keep.background import BackgroundRefresh
from repo_mcp.indexing.watch.watcher import Watcher
from repo_mcp.indexing.workers.pool import Pool
from repo_mcp.safety.sandbox import Content, LineScan, Sandbox, Scanned
from repo_mcp.services import services
from repo_mcp.settings import Options
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.toolsets.retrieval.two_roots import TwoRoots
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, CallbackListener, indexed
from tests.waiting import until

NAMES = [f"f{number}.txt" for number in range(4)]
OLD: dict[str, str | bytes] = {name: f"needle of the old tree {name}\n" for name in NAMES}
NEW: dict[str, str | bytes] = {name: f"needle of the new tree {name}\n" for name in NAMES}
anchored = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere data are found by path")


def take_away(root: Path) -> None:
    root.rename(root.with_name("moved"))


def swap(root: Path) -> None:
    root.rename(root.with_name("moved"))
    write(root, NEW)


def swap_at_second_read(patched: pytest.MonkeyPatch, root: Path) -> None:
    """Have the root replaced when a call has read a file and is about to read another.

    Files that are read at once are read after that.
    """
    reads: list[str] = []
    real, real_scan = Sandbox.read, Sandbox.scan

    def count(*paths: str) -> None:
        before, after = len(reads), len(reads) + len(paths)
        reads.extend(paths)
        if before < 2 <= after:
            swap(root)

    def read(self: Sandbox, path: str, *, follow: bool = True) -> Content:
        count(path)
        return real(self, path, follow=follow)

    def scan(self: Sandbox, paths: Sequence[str], what: LineScan) -> list[Scanned]:
        count(*paths)
        return real_scan(self, paths, what)

    patched.setattr(Sandbox, "read", read)
    patched.setattr(Sandbox, "scan", scan)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", OLD)


@pytest.mark.parametrize("where", [pytest.param("root/.repo_mcp", marks=anchored), "data"])
@pytest.mark.parametrize(("mode", "field"), [("literal", "files"), ("bm25", "hits")])
def test_an_answer_has_lines_of_one_tree(
    root: Path, where: str, mode: str, field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = Caller(root, root.parent / where)
    call("repo.refresh_index")
    swap_at_second_read(monkeypatch, root)
    hits = call.result("repo.search", query="needle", mode=mode)[field]
    assert [hit["path"] for hit in hits] == NAMES
    assert all("old tree" in str(hit) for hit in hits)
    # also its line of the audit log is not written into a folder that nobody has opened
    assert sorted(path.name for path in root.iterdir()) == NAMES
    hits = call.result("repo.search", query="needle", mode=mode)[field]
    assert [hit["path"] for hit in hits] == NAMES
    assert all("new tree" in str(hit) for hit in hits)


def test_a_search_of_retrieval_has_lines_of_one_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = TwoRoots(tmp_path, code=OLD, docs={})
    swap_at_second_read(monkeypatch, served.code)
    for word in ("old", "new"):
        matches = served.result("search", query="needle", repo="code")["matches"]
        expected = [f"needle of the {word} tree {name}" for name in NAMES]
        assert [match["preview"] for match in matches] == expected
    served.close()


@anchored
def test_the_audit_log_stays_with_the_folder_that_was_asked(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = Caller(root, root / ".repo_mcp")
    call("repo.refresh_index")
    swap_at_second_read(monkeypatch, root)
    call("repo.search", query="needle", mode="literal")
    log = root.with_name("moved") / ".repo_mcp" / "audit.jsonl"
    assert "repo.search" in log.read_text().splitlines()[-1]


@pytest.mark.parametrize("where", [pytest.param("root/.repo_mcp", marks=anchored), "data"])
@pytest.mark.parametrize(("way", "code"), [(swap, "reopened"), (take_away, "root_missing")])
def test_a_refresh_publishes_nothing_once_the_root_is_another(
    root: Path, where: str, way: Callable[[Path], object], code: str
) -> None:
    manager = services(Options(str(root), str(root.parent / where), workers=1)).manager.single
    manager.refresh(FOREVER)
    write(root, {"more.txt": "needle"})
    before = manager.state().generation

    def replace_once(_: object) -> None:
        if not root.with_name("moved").exists():
            way(root)

    with pytest.raises(Problem) as caught:
        manager.refresh(FOREVER, CallbackListener(replace_once))
    assert caught.value.code == code
    assert manager.state().generation == before
    assert indexed(manager) == NAMES
    with pytest.raises(Problem) as caught:
        manager.refresh_paths(["more.txt"], FOREVER, deep=True)
    assert caught.value.code == code
    if root.exists():
        assert sorted(path.name for path in root.iterdir()) == NAMES


def test_who_waits_for_a_refresh_is_told_that_the_root_was_opened_anew(root: Path) -> None:
    manager = services(Options(str(root), str(root.parent / "data"), workers=1)).manager
    background = BackgroundRefresh(manager, None, Clock())
    background.close()
    with pytest.raises(Problem) as caught:
        background.refresh(Budget(clock=Clock()))
    assert caught.value.code == "reopened"


@pytest.mark.servers
def test_processes_do_not_open_another_folder_than_the_server_has(root: Path) -> None:
    made = services(Options(str(root), str(root.parent / "data")))
    folder = made.sandbox.folder
    swap(root)
    watcher = Watcher(made.settings, folder)
    watcher.start(BackgroundRefresh(made.manager, None, Clock()))
    assert until(lambda: bool(watcher.reason))
    assert "was replaced" in watcher.reason
    watcher.close()
    pool = Pool(replace(Recipe.of(made.settings), folder=tuple(folder)), 1)
    tasks = build_tasks([FileTask(NAMES[0], b"", 9)], parse=False)
    with pytest.raises(Problem) as caught:
        list(pool.run(tasks, FOREVER))
    assert caught.value.code == "workers_end"
    pool.close()
