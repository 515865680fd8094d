"""An open repository waits for its index, rebuilds it if damaged, and reindexes stale files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from index_format import CorruptIndexError, Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.model import Progress
from repo_mcp.repository import (
    COMMAND_WAIT,
    RETRIEVAL_WAIT,
    IndexGap,
    OpenIndex,
    Repository,
    is_nowhere,
    tool_wait_policy,
)
from repo_mcp.services import services
from repo_mcp.settings.load import Options
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.trees import FOREVER, served, write


class Refresher:
    """Refreshes in the caller's thread, and counts calls."""

    def __init__(self, manager: IndexManager, fails: str = "") -> None:
        self.manager = manager
        self.failure: Problem | None = None
        self.has_walked = False
        self.fails = fails
        self.waits = self.freshened = self.rebuilt = 0

    def wait_until_ready(self, budget: Budget) -> None:
        self.waits += 1
        budget.check()
        if self.fails:
            raise Problem(self.fails)
        self.manager.refresh(FOREVER)  # however busy the machine is
        self.has_walked = True

    def rebuild(self, _: Budget, _file: str = "") -> None:
        self.rebuilt += 1
        self.manager.rebuild(FOREVER)

    def freshen(self) -> None:
        self.freshened += 1

    def relink(self) -> None:
        self.freshened += 1

    def catch_up(self, budget: Budget) -> bool:
        self.manager.refresh(budget)
        return True

    def wait_until_linked(self, budget: Budget) -> bool:
        self.manager.link(budget)
        return self.manager.graph().current

    def index_first(self, paths: Sequence[str], budget: Budget) -> None:
        self.manager.refresh_paths(paths, budget, deep=False)


class Late(Refresher):
    """Has not compared the files with the index when the time for that is over."""

    def __init__(self, manager: IndexManager, clock: Clock) -> None:
        super().__init__(manager)
        self.clock = clock

    def catch_up(self, _: Budget) -> bool:
        return False

    def wait_until_ready(self, budget: Budget) -> None:
        while not budget.spent:
            self.clock.advance(0.1)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", {"a.py": "needle = 1\n", "b.py": "b = 2\n"})


def opened(root: Path, fails: str = "") -> tuple[Repository, Refresher]:
    parts = services(Options(str(root), str(root.parent / "data"), workers=1))
    refresher = Refresher(parts.manager.single, fails)
    return Repository(parts.settings, parts.sandbox, parts.manager, refresher), refresher


def files(index: OpenIndex) -> int:
    return 0 if index.snapshot is None else index.snapshot.file_count


def no_files(_: object) -> tuple[str, ...]:
    return ()


def test_the_first_query_waits_for_an_index_and_the_next_does_not(root: Path) -> None:
    repository, refresher = opened(root)
    for wait in (tool_wait_policy(repository.settings), RETRIEVAL_WAIT, COMMAND_WAIT):
        assert repository.run_query(files, wait, FOREVER) == 2
    assert (refresher.waits, refresher.freshened) == (1, 3)


def test_an_index_of_another_process_is_compared_but_not_by_a_command(root: Path) -> None:
    opened(root)[0].manager.refresh(FOREVER)
    write(root, {"c.py": "c = 3\n"})
    repository, refresher = opened(root)
    assert repository.run_query(files, COMMAND_WAIT, FOREVER) == 2
    assert repository.run_query(files, RETRIEVAL_WAIT, FOREVER) == 3
    assert refresher.waits == 1


def test_a_large_index_is_not_waited_for(root: Path) -> None:
    opened(root)[0].manager.refresh(FOREVER)
    repository, refresher = opened(root)
    wait = replace(tool_wait_policy(repository.settings), compared_files=1)
    index = repository.open(wait, FOREVER)
    assert (index.complete, index.compared, index.is_current, refresher.waits) == (
        True,
        False,
        False,
        0,
    )


def test_an_index_is_not_compared_where_the_time_for_that_is_over_first(root: Path) -> None:
    before, _ = opened(root)
    before.manager.refresh(FOREVER)
    clock = Clock()
    late = Late(before.manager.single, clock)
    repository = Repository(before.settings, before.sandbox, before.manager, late)
    wait = tool_wait_policy(repository.settings)
    index = repository.follow_files(repository.current_index(), wait, Budget(clock=clock))
    assert (index.complete, index.compared, index.build_failed) == (True, False, False)


def test_a_failed_build_is_reported_or_raised(root: Path) -> None:
    repository, _ = opened(root, "index_unavailable")
    index = repository.open(RETRIEVAL_WAIT, FOREVER)
    assert (index.snapshot, index.generation, index.gap) == (None, 0, IndexGap.BUILD)
    with pytest.raises(Problem) as caught:
        repository.open(COMMAND_WAIT, FOREVER)
    assert caught.value.code == "index_unavailable"


def test_a_partial_index_says_what_it_lacks(root: Path) -> None:
    repository, refresher = opened(root)
    repository.manager.refresh_paths(["a.py"], FOREVER, deep=True)
    index = repository.open(COMMAND_WAIT, FOREVER)
    assert (index.complete, index.gap, refresher.waits) == (False, IndexGap.FILES, 0)
    assert repository.open(RETRIEVAL_WAIT, FOREVER).gap is None


def test_a_name_is_nowhere_only_where_all_files_are_indexed(root: Path) -> None:
    repository, _ = opened(root)
    repository.manager.refresh_paths(["a.py"], FOREVER, deep=True)
    assert not is_nowhere(repository.current_index(), "absent")
    repository.manager.refresh(FOREVER)
    assert is_nowhere(repository.current_index(), "absent")
    assert not is_nowhere(repository.current_index(), "needle")


def test_a_cancelled_query_stops_waiting(root: Path) -> None:
    repository, _ = opened(root)
    with pytest.raises(Problem, match="cancelled"):
        repository.open(RETRIEVAL_WAIT, Budget(None, lambda: True))


def test_a_damaged_index_is_rebuilt_and_queried_again(root: Path) -> None:
    repository, refresher = opened(root)
    asked: list[OpenIndex] = []

    def answer(index: OpenIndex) -> int:
        asked.append(index)
        if len(asked) == 1:
            raise CorruptIndexError("seg", "terms", 0, "x", "y")
        return files(index)

    assert repository.run_query(answer, RETRIEVAL_WAIT, FOREVER) == 2
    assert refresher.rebuilt == 1
    assert [warning.code for warning in asked[1].warnings] == ["rebuilt"]
    assert asked[1].generation > 0


def test_damage_that_persists_is_raised_and_still_freshens(root: Path) -> None:
    repository, refresher = opened(root)

    def answer(_: OpenIndex) -> int:
        raise CorruptIndexError("seg", "terms", 0, "x", "y")

    with pytest.raises(CorruptIndexError):
        repository.run_query(answer, RETRIEVAL_WAIT, FOREVER)
    assert (refresher.rebuilt, refresher.freshened) == (1, 1)


def stale_of(repository: Repository) -> list[str]:
    return ["a.py"] if repository.progress is None else []


def test_stale_files_are_reindexed_and_the_query_is_repeated(root: Path) -> None:
    repository, _ = opened(root)
    index = repository.open(RETRIEVAL_WAIT, FOREVER)
    write(root, {"a.py": "changed = 1\n"})

    def find(index: OpenIndex) -> Snapshot | None:
        return index.snapshot

    found, again = repository.run_fresh_query(
        find, lambda _: stale_of(repository), index, COMMAND_WAIT, FOREVER
    )
    assert found is again.snapshot
    assert again.generation == index.generation + 1
    assert (again.updated, again.complete, again.warnings) == (True, True, ())
    assert repository.run_fresh_query(find, no_files, index, COMMAND_WAIT, FOREVER) == (
        index.snapshot,
        index,
    )


def test_a_lock_of_another_process_gives_a_warning(root: Path) -> None:
    repository, _ = opened(root)
    index = repository.open(RETRIEVAL_WAIT, FOREVER)
    wait = replace(COMMAND_WAIT, lock=0.0)
    with served(root, root.parent / "data").manager.text.store.lock(0):
        found, again = repository.run_fresh_query(files, lambda _: ["a.py"], index, wait, FOREVER)
    assert (found, again.updated) == (2, False)
    (warning,) = again.warnings
    assert warning.code == "not_updated"
    assert "another process" in warning.text


def test_a_missing_file_is_answered_with_similar_paths(root: Path) -> None:
    repository, _ = opened(root)
    repository.open(RETRIEVAL_WAIT, FOREVER)
    write(root, {"long_name.py": "x = 1\n"})
    repository.update(["long_name.py"], COMMAND_WAIT, FOREVER)
    with pytest.raises(Problem, match=r"did you mean long_name\.py"):
        repository.read("lnog_name.py", FOREVER)
    assert repository.read("long_name.py", FOREVER).lines == ["x = 1"]


@pytest.mark.parametrize(("files", "seconds"), [(99, 5.0), (10, 1.0)])
def test_a_question_waits_for_an_index_that_will_be_there_in_time(
    root: Path, monkeypatch: pytest.MonkeyPatch, files: int, seconds: float
) -> None:
    """A query does not wait for an index once it is known to take longer."""
    repository, refresher = opened(root)
    clock = Clock(0.01)
    state = repository.manager.state()
    told = replace(state, progress=Progress("words", files, 100, 0, 0, 3.0))
    monkeypatch.setattr(repository.manager, "state", lambda: told)

    def wait(budget: Budget) -> None:
        while not budget.spent:
            pass

    monkeypatch.setattr(refresher, "wait_until_ready", wait)
    started = clock.now
    repository.open(tool_wait_policy(repository.settings), Budget(clock=clock))
    assert clock.now - started == pytest.approx(seconds, abs=0.1)
