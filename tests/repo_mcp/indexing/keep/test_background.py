"""The background thread refreshes the index; requests may wait for it and see its failures."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.background import BackgroundRefresh
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.indexing.keep.refresh import SYMBOLS
from repo_mcp.indexing.watch.watcher import Watcher
from repo_mcp.model import Progress, RefreshResult, Settings
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, indexed, served
from tests.waiting import HANG, until

pytestmark = pytest.mark.servers


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", {"a.py": "alpha", "b.py": "beta"})


@pytest.fixture
def manager(root: Path, tmp_path: Path) -> IndexManager:
    return served(root, tmp_path / "data").manager


@pytest.fixture
def background(manager: IndexManager) -> Iterator[BackgroundRefresh]:
    made = BackgroundRefresh(manager, None)
    yield made
    made.close()


def test_a_waiting_request_gets_the_result(root: Path, background: BackgroundRefresh) -> None:
    first = background.refresh(Budget(HANG))
    assert (first.added, first.complete) == (2, True)
    write(root, {"c.py": "gamma"})
    again = background.refresh(Budget(HANG))
    assert (again.added, again.files) == (1, 3)
    forced = background.refresh(Budget(HANG), force=True)
    assert forced.updated == 3


def test_reported_files_are_refreshed(
    root: Path, manager: IndexManager, background: BackgroundRefresh
) -> None:
    background.wait_until_ready(Budget(HANG))
    write(root, {"c.py": "gamma", "d.py": "delta"})
    background.look_at(["c.py"])
    assert until(lambda: "c.py" in indexed(manager))
    assert "d.py" not in indexed(manager)


def test_reports_gather_where_another_process_has_indexed_the_last_ones(
    root: Path, tmp_path: Path, manager: IndexManager
) -> None:
    clock, other = Clock(), served(root, tmp_path / "data").manager
    background = BackgroundRefresh(manager, None, clock)
    try:
        background.refresh(Budget(HANG))
        for number in range(3):
            write(root, {"c.py": f"gamma{number}"})
            other.refresh(FOREVER)
            background.look_at(["c.py"])
            assert until(lambda: background._worker.edits.late_runs == number + 1)  # noqa: B023 called here
        write(root, {"d.py": "delta", "e.py": "epsilon"})
        background.look_at(["d.py"])
        background.look_at(["e.py"])
        assert not background._worker.has_work()
        clock.advance(10.0)
        background.look_at(["d.py"])
        assert until(lambda: "e.py" in indexed(manager))
        assert until(lambda: not background._worker.edits.are_followed), "nobody else had them"
    finally:
        background.close()


def test_whoever_waits_for_a_report_has_it_indexed_at_once(
    root: Path, manager: IndexManager
) -> None:
    background = BackgroundRefresh(manager, None, Clock())
    try:
        background.refresh(Budget(HANG))
        background._worker.edits.late_runs = 3
        write(root, {"f.py": "zeta"})
        background.index_first(["f.py"], Budget(HANG))
        assert "f.py" in indexed(manager)
    finally:
        background.close()


def test_many_reported_files_cause_a_walk(
    root: Path, manager: IndexManager, background: BackgroundRefresh
) -> None:
    background.wait_until_ready(Budget(HANG))
    write(root, {"d.py": "delta"})
    background.look_at(f"{number}.py" for number in range(1000))
    assert until(lambda: "d.py" in indexed(manager))


def test_the_graph_follows_from_the_first_question_to_it(
    root: Path, manager: IndexManager, background: BackgroundRefresh
) -> None:
    background.refresh(Budget(HANG))
    write(root, {"c.py": "def gamma(): pass"})
    background.refresh(Budget(HANG))
    assert manager.graph().snapshot is None
    assert background.wait_until_linked(Budget(HANG))
    write(root, {"d.py": "gamma()"})
    background.refresh(Budget(HANG))
    assert until(lambda: manager.graph().current)


@pytest.mark.parametrize(("most", "follows"), [(0, False), (1, False), (100, True), (inf, True)])
def test_the_graph_of_a_tree_that_is_not_too_large_follows_unasked(
    root: Path, manager: IndexManager, most: float, *, follows: bool
) -> None:
    write(root, {f"m{number}.py": "def f(): pass\n" for number in range(3)})
    background = BackgroundRefresh(manager, None, links=most)
    try:
        background.refresh(FOREVER)
        if follows:
            assert until(lambda: manager.graph().current)
        else:
            background.refresh(FOREVER)  # work that comes in is done before it links
            assert manager.graph().snapshot is None
            assert background.wait_until_linked(FOREVER), "whoever asks has it linked"
    finally:
        background.close()


def test_idle_work_follows_all_other_and_gives_way(
    root: Path, manager: IndexManager, background: BackgroundRefresh
) -> None:
    begun, may_end = threading.Event(), threading.Event()
    runs: list[tuple[str, list[str]]] = []

    def work(name: str, budget: Budget) -> None:
        runs.append((name, indexed(manager)))
        begun.set()
        while not may_end.is_set():
            budget.check()

    background.run_when_idle(work, "name/")
    assert not runs, "nothing was asked yet"
    background.refresh(Budget(HANG))
    assert begun.wait(HANG)
    assert runs == [("name/", ["a.py", "b.py"])]
    write(root, {"c.py": "gamma"})
    background.look_at(["c.py"])
    assert until(lambda: "c.py" in indexed(manager)), "it stops for other work"
    assert until(lambda: len(runs) > 1)
    assert runs[1][1] == ["a.py", "b.py", "c.py"]
    may_end.set()
    assert until(lambda: not background._worker.idle_is_due)


def test_a_spent_budget_does_not_wait(manager: IndexManager, background: BackgroundRefresh) -> None:
    with manager.writer.take_turn(FOREVER):
        background.wait_until_ready(Budget(0))
        assert not background.refresh(Budget(0)).complete
    assert until(lambda: manager.snapshot() is not None)


def test_a_cancelled_request_stops_waiting(
    manager: IndexManager, background: BackgroundRefresh
) -> None:
    with manager.writer.take_turn(FOREVER), pytest.raises(Problem, match="cancelled"):
        background.refresh(Budget(None, lambda: True))


def test_a_graph_that_can_not_be_linked_is_told_until_the_index_has_changed(
    manager: IndexManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the text is searched meanwhile: its refresh has not failed."""
    background = BackgroundRefresh(manager, None, links=inf)
    link = manager.link

    def fail(*_: object) -> Sequence[str]:
        raise Problem("index_unavailable", "a segment")

    try:
        monkeypatch.setattr(manager, "link", fail)
        background.refresh(FOREVER)
        assert until(lambda: "the symbol graph was not linked" in "".join(background.notes))
        assert background.failure is None
        monkeypatch.setattr(manager, "link", link)
        background.freshen()
        assert background.notes, "nothing has changed"
        background.rebuild(FOREVER)
        assert until(lambda: background.notes == [])
        assert until(lambda: manager.graph().current)
    finally:
        background.close()


def test_a_failure_is_reported_and_retried(
    manager: IndexManager, background: BackgroundRefresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh = manager.refresh

    def fail(*_: object, **__: object) -> RefreshResult:
        raise Problem("index_unavailable", "No space left on device")

    monkeypatch.setattr(manager, "refresh", fail)
    with pytest.raises(Problem, match="No space left"):
        background.refresh(Budget(HANG))
    assert "No space left" in background.notes[0]
    monkeypatch.setattr(manager, "refresh", refresh)
    assert background.refresh(Budget(HANG)).complete
    assert background.notes == []


def test_a_defect_does_not_end_the_thread(
    manager: IndexManager, background: BackgroundRefresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh = manager.refresh
    monkeypatch.setattr(manager, "refresh", lambda *_, **__: 1 // 0)
    with pytest.raises(Problem):
        background.refresh(Budget(HANG))
    monkeypatch.setattr(manager, "refresh", refresh)
    assert background.refresh(Budget(HANG)).complete


def test_a_walk_follows_soon_on_one_that_failed(
    manager: IndexManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However well changes are watched: those that were reported to it are lost."""
    clock, walks = Clock(), list[float]()
    watcher = Watcher(Settings(manager.index_dir, manager.index_dir))
    monkeypatch.setattr(watcher, "start", lambda *_: setattr(watcher, "active", True))
    background = BackgroundRefresh(manager, watcher, clock)

    def refresh(*_: object, **__: object) -> RefreshResult:
        walks.append(clock())
        if len(walks) == 1:
            raise Problem("internal")
        return RefreshResult(0, 0, 0, 0, 0.0, "", complete=True)

    monkeypatch.setattr(manager, "refresh", refresh)
    try:
        with pytest.raises(Problem):
            background.refresh(Budget(HANG))
        assert until(lambda: background.watching)
        for expected in (2, 2, 3):
            clock.advance(10 if expected == 2 else 200)
            background.freshen()
            assert until(lambda: len(walks) == expected and not background._worker.has_work())  # noqa: B023 called at once
    finally:
        background.close()


def test_an_edit_is_found_soon_when_watched(root: Path, manager: IndexManager) -> None:
    watcher = Watcher(Settings(str(root), str(root.parent / "data")))
    background = BackgroundRefresh(manager, watcher)
    try:
        background.wait_until_ready(Budget(HANG))
        assert until(lambda: background.watching)
        write(root, {"c.py": "gamma"})
        assert until(lambda: "c.py" in indexed(manager))
        (root / "b.py").unlink()
        assert until(lambda: "b.py" not in indexed(manager))
    finally:
        background.close()


def test_no_request_waits_for_parsing(
    manager: IndexManager, background: BackgroundRefresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager.refresh(FOREVER, force=False)
    parsing = Progress(SYMBOLS, 0, 2, 0, 9, 0.0)
    state = replace(manager.state(), shallow=True, progress=parsing)
    free = threading.Event()
    monkeypatch.setattr(manager, "state", lambda: state)
    monkeypatch.setattr(manager, "refresh", lambda *_, **__: free.wait(HANG))
    limit = Budget(HANG)
    background.wait_until_ready(limit)
    assert not limit.spent
    assert background.has_walked
    free.set()


def test_what_a_failed_walk_has_lost_is_caught_up_by_another_one(
    manager: IndexManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher = Watcher(Settings(manager.index_dir, manager.index_dir))
    monkeypatch.setattr(watcher, "start", lambda *_: setattr(watcher, "active", True))
    monkeypatch.setattr(watcher, "report_all", lambda _: True)
    background, refresh = BackgroundRefresh(manager, watcher, Clock()), manager.refresh

    def fail(*_: object, **__: object) -> RefreshResult:
        raise Problem("internal")

    try:
        monkeypatch.setattr(manager, "refresh", fail)
        with pytest.raises(Problem):
            background.refresh(Budget(HANG))
        assert until(lambda: background.watching)
        monkeypatch.setattr(manager, "refresh", refresh)
        assert background.catch_up(Budget(HANG))
        assert indexed(manager) == ["a.py", "b.py"]
    finally:
        background.close()


def test_a_request_that_comes_at_the_end_of_a_walk_gets_its_own(
    root: Path,
    manager: IndexManager,
    background: BackgroundRefresh,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    walked, free, refresh = threading.Event(), threading.Event(), manager.refresh

    def end_late(*given: Any, **options: Any) -> RefreshResult:  # noqa: ANN401 as they are
        done = refresh(*given, **options)
        walked.set()
        assert free.wait(HANG)
        return done

    monkeypatch.setattr(manager, "refresh", end_late)
    background.walk()
    assert walked.wait(HANG)
    write(root, {"c.py": "gamma"})
    with ThreadPoolExecutor(1) as waiting:
        second = waiting.submit(background.refresh, Budget(HANG))
        assert until(lambda: background._worker.walks.requested == 2)
        free.set()
        second.result(HANG)
    assert "c.py" in indexed(manager)


def test_files_that_could_not_be_refreshed_are_with_the_next_ones(
    root: Path,
    manager: IndexManager,
    background: BackgroundRefresh,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    background.wait_until_ready(Budget(HANG))
    write(root, {"c.py": "gamma", "d.py": "delta"})

    def fail(*_: object, **__: object) -> RefreshResult:
        raise Problem("index_unavailable", "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(manager, "refresh_paths", fail)
        background.look_at(["c.py"])
        assert until(lambda: background.failure is not None)
    background.look_at(["d.py"])
    assert until(lambda: "d.py" in indexed(manager))
    assert "c.py" in indexed(manager)
