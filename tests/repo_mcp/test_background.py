"""The index is kept fresh beside requests: they ask, may wait, and hear what went wrong."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.background import Background
from repo_mcp.indexing.manager import IndexManager
from repo_mcp.indexing.refresh import SYMBOLS
from repo_mcp.indexing.watch import Watcher
from repo_mcp.model import Progress, Refreshed
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, indexed, served

SECONDS = 20.0


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", {"a.py": "alpha", "b.py": "beta"})


@pytest.fixture
def manager(root: Path, tmp_path: Path) -> IndexManager:
    return served(root, tmp_path / "data").manager


@pytest.fixture
def background(manager: IndexManager) -> Iterator[Background]:
    made = Background(manager, None)
    yield made
    made.close()


def until(condition: Callable[[], bool]) -> bool:
    """Whether it comes true in time; asked again and again."""
    waiting = threading.Event()
    for _ in range(int(SECONDS / 0.01)):
        if condition():
            return True
        waiting.wait(0.01)
    return False


def test_who_waits_gets_the_result(root: Path, background: Background) -> None:
    first = background.refresh(Budget(SECONDS))
    assert (first.added, first.complete) == (2, True)
    write(root, {"c.py": "gamma"})
    again = background.refresh(Budget(SECONDS))
    assert (again.added, again.files) == (1, 3)
    forced = background.refresh(Budget(SECONDS), force=True)
    assert forced.updated == 3


def test_named_files_are_looked_at(
    root: Path, manager: IndexManager, background: Background
) -> None:
    background.ready(Budget(SECONDS))
    write(root, {"c.py": "gamma", "d.py": "delta"})
    background.look_at(["c.py"])
    assert until(lambda: "c.py" in indexed(manager))
    assert "d.py" not in indexed(manager)


def test_many_named_files_are_a_walk(
    root: Path, manager: IndexManager, background: Background
) -> None:
    background.ready(Budget(SECONDS))
    write(root, {"d.py": "delta"})
    background.look_at(f"{number}.py" for number in range(1000))
    assert until(lambda: "d.py" in indexed(manager))


def test_who_can_not_wait_does_not(manager: IndexManager, background: Background) -> None:
    with manager._turn(FOREVER):
        background.ready(Budget(0))
        assert not background.refresh(Budget(0)).complete
    assert until(lambda: manager.snapshot() is not None)


def test_who_is_cancelled_stops_waiting(manager: IndexManager, background: Background) -> None:
    with manager._turn(FOREVER), pytest.raises(Problem, match="cancelled"):
        background.refresh(Budget(None, lambda: True))


def test_what_went_wrong_is_told_and_tried_again(
    manager: IndexManager, background: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh = manager.refresh

    def fail(_: Budget, **__: object) -> Refreshed:
        raise Problem("index_unavailable", "No space left on device")

    monkeypatch.setattr(manager, "refresh", fail)
    with pytest.raises(Problem, match="No space left"):
        background.refresh(Budget(SECONDS))
    assert "No space left" in background.notes[0]
    monkeypatch.setattr(manager, "refresh", refresh)
    assert background.refresh(Budget(SECONDS)).complete
    assert background.notes == []


def test_a_defect_does_not_end_the_thread(
    manager: IndexManager, background: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh = manager.refresh
    monkeypatch.setattr(manager, "refresh", lambda *_, **__: 1 // 0)
    with pytest.raises(Problem):
        background.refresh(Budget(SECONDS))
    monkeypatch.setattr(manager, "refresh", refresh)
    assert background.refresh(Budget(SECONDS)).complete


class Listener:
    """Remembers what it hears."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.walks = 0

    def look_at(self, paths: Iterable[str]) -> None:
        self.paths.update(paths)

    def walk(self) -> None:
        self.walks += 1


@pytest.fixture
def watcher(root: Path) -> Iterator[Watcher]:
    made = Watcher(str(root), str(root / ".repo_mcp"))
    yield made
    made.close()


def test_changed_files_are_heard_of(root: Path, watcher: Watcher) -> None:
    heard = Listener()
    watcher.start(heard)
    assert until(lambda: watcher.active)
    assert heard.walks == 1
    write(root, {".git/index": "x", ".repo_mcp/index/seg": "x", "node_modules/m.js": "x"})
    write(root, {"a.py": "changed"})
    assert until(lambda: "a.py" in heard.paths)
    assert not any(path.startswith((".git/", ".repo_mcp", "node_modules/")) for path in heard.paths)
    walks = heard.walks
    write(root, {".gitignore": "*.md"})
    assert until(lambda: heard.walks > walks)


def test_new_rules_and_folders_need_a_walk(root: Path, watcher: Watcher) -> None:
    heard = Listener()
    watcher._report(heard, {str(root / "a.py")})
    assert (heard.paths, heard.walks) == ({"a.py"}, 0)
    write(root, {"folder/c.py": "x"})
    watcher._report(heard, {str(root / "folder")})
    watcher._report(heard, {str(root / "folder" / ".gitignore")})
    watcher._report(heard, {str(root / ".git" / "info" / "exclude")})
    assert heard.walks == 3


@pytest.mark.parametrize(
    ("broken", "said"),
    [(ImportError(), "not installed"), (OSError("OS file watch limit reached."), "limit reached")],
)
def test_why_nothing_is_watched_is_said(
    watcher: Watcher, monkeypatch: pytest.MonkeyPatch, broken: Exception, said: str
) -> None:
    def watch(*_: object, **__: object) -> Iterator[object]:
        raise broken

    monkeypatch.setattr("watchfiles.watch", watch)
    if isinstance(broken, ImportError):
        monkeypatch.setitem(__import__("sys").modules, "watchfiles", None)
    watcher.start(Listener())
    assert until(lambda: said in watcher.reason)
    assert not watcher.active


def test_an_edit_is_found_soon_when_watched(root: Path, manager: IndexManager) -> None:
    watcher = Watcher(str(root), str(root.parent / "data"))
    background = Background(manager, watcher)
    try:
        background.ready(Budget(SECONDS))
        assert until(lambda: background.watching)
        write(root, {"c.py": "gamma"})
        assert until(lambda: "c.py" in indexed(manager))
        (root / "b.py").unlink()
        assert until(lambda: "b.py" not in indexed(manager))
    finally:
        background.close()


def test_nobody_waits_for_what_parsers_find(
    manager: IndexManager, background: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager.refresh(FOREVER, force=False)
    parsing = Progress(SYMBOLS, 0, 2, 0, 9, 0.0)
    state = replace(manager.state(), shallow=True, progress=parsing)
    free = threading.Event()
    monkeypatch.setattr(manager, "state", lambda: state)
    monkeypatch.setattr(manager, "refresh", lambda *_, **__: free.wait(SECONDS))
    limit = Budget(SECONDS)
    background.ready(limit)
    assert not limit.spent
    assert background.has_walked
    free.set()
