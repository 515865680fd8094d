"""One root open for questions: what is waited for, rebuilt, indexed again and answered again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from index_format import CorruptIndexError, Snapshot
from repo_mcp.app import services
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.fresh.manager import IndexManager
from repo_mcp.repository import COMMAND, RETRIEVAL, Lacking, OpenIndex, Repository, tool_patience
from repo_mcp.settings.load import Options
from tests.repo_mcp.trees import FOREVER, served, write


class Refresher:
    """Does what it is told when somebody waits, and counts."""

    def __init__(self, manager: IndexManager, fails: str = "") -> None:
        self.manager = manager
        self.failure: Problem | None = None
        self.has_walked = False
        self.fails = fails
        self.waits = self.freshened = self.rebuilt = 0

    def ready(self, budget: Budget) -> None:
        self.waits += 1
        budget.check()
        if self.fails:
            raise Problem(self.fails)
        self.manager.refresh(FOREVER)  # however busy the machine is
        self.has_walked = True

    def rebuild(self, _: Budget) -> None:
        self.rebuilt += 1
        self.manager.rebuild(FOREVER)

    def freshen(self) -> None:
        self.freshened += 1


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", {"a.py": "needle = 1\n", "b.py": "b = 2\n"})


def opened(root: Path, fails: str = "") -> tuple[Repository, Refresher]:
    parts = services(Options(str(root), str(root.parent / "data"), workers=1))
    refresher = Refresher(parts.manager, fails)
    return Repository(parts.settings, parts.sandbox, parts.manager, refresher), refresher


def files(index: OpenIndex) -> int:
    return 0 if index.snapshot is None else index.snapshot.file_count


def no_files(_: object) -> tuple[str, ...]:
    return ()


def test_the_first_question_waits_for_an_index_and_the_next_does_not(root: Path) -> None:
    repository, refresher = opened(root)
    for patience in (tool_patience(repository.settings), RETRIEVAL, COMMAND):
        assert repository.ask(files, patience, FOREVER) == 2
    assert (refresher.waits, refresher.freshened) == (1, 3)


def test_an_index_of_another_process_is_compared_but_not_by_a_command(root: Path) -> None:
    opened(root)[0].manager.refresh(FOREVER)
    write(root, {"c.py": "c = 3\n"})
    repository, refresher = opened(root)
    assert repository.ask(files, COMMAND, FOREVER) == 2
    assert repository.ask(files, RETRIEVAL, FOREVER) == 3
    assert refresher.waits == 1


def test_a_large_index_is_not_waited_for(root: Path) -> None:
    opened(root)[0].manager.refresh(FOREVER)
    repository, refresher = opened(root)
    patience = replace(tool_patience(repository.settings), compared_files=1)
    index = repository.open(patience, FOREVER)
    assert (index.complete, index.compared, index.knows_all, refresher.waits) == (
        True,
        False,
        False,
        0,
    )


def test_an_index_that_can_not_be_built_is_said_to_be_or_is_a_problem(root: Path) -> None:
    repository, _ = opened(root, "index_unavailable")
    index = repository.open(RETRIEVAL, FOREVER)
    assert (index.snapshot, index.generation, index.lacking) == (None, 0, Lacking.BUILD)
    with pytest.raises(Problem) as caught:
        repository.open(COMMAND, FOREVER)
    assert caught.value.code == "index_unavailable"


def test_a_partial_index_says_what_it_lacks(root: Path) -> None:
    repository, refresher = opened(root)
    repository.manager.refresh_paths(["a.py"], FOREVER, deep=True)
    index = repository.open(COMMAND, FOREVER)
    assert (index.complete, index.lacking, refresher.waits) == (False, Lacking.FILES, 0)
    assert repository.open(RETRIEVAL, FOREVER).lacking is None


def test_who_is_cancelled_waits_no_longer(root: Path) -> None:
    repository, _ = opened(root)
    with pytest.raises(Problem, match="cancelled"):
        repository.open(RETRIEVAL, Budget(None, lambda: True))


def test_a_damaged_index_is_rebuilt_and_asked_once_more(root: Path) -> None:
    repository, refresher = opened(root)
    asked: list[OpenIndex] = []

    def answer(index: OpenIndex) -> int:
        asked.append(index)
        if len(asked) == 1:
            raise CorruptIndexError("seg", "terms", 0, "x", "y")
        return files(index)

    assert repository.ask(answer, RETRIEVAL, FOREVER) == 2
    assert refresher.rebuilt == 1
    assert [warning.code for warning in asked[1].warnings] == ["rebuilt"]
    assert asked[1].generation > 0


def test_damage_that_stays_is_raised_and_still_freshens(root: Path) -> None:
    repository, refresher = opened(root)

    def answer(_: OpenIndex) -> int:
        raise CorruptIndexError("seg", "terms", 0, "x", "y")

    with pytest.raises(CorruptIndexError):
        repository.ask(answer, RETRIEVAL, FOREVER)
    assert (refresher.rebuilt, refresher.freshened) == (1, 1)


def stale_of(repository: Repository) -> list[str]:
    return ["a.py"] if repository.progress is None else []


def test_what_is_stale_is_indexed_and_found_again(root: Path) -> None:
    repository, _ = opened(root)
    index = repository.open(RETRIEVAL, FOREVER)
    write(root, {"a.py": "changed = 1\n"})

    def find(index: OpenIndex) -> Snapshot | None:
        return index.snapshot

    found, again = repository.ask_current(
        find, lambda _: stale_of(repository), index, COMMAND, FOREVER
    )
    assert found is again.snapshot
    assert again.generation == index.generation + 1
    assert (again.updated, again.complete, again.warnings) == (True, True, ())
    assert repository.ask_current(find, no_files, index, COMMAND, FOREVER) == (
        index.snapshot,
        index,
    )


def test_what_another_process_keeps_from_being_indexed_is_said(root: Path) -> None:
    repository, _ = opened(root)
    index = repository.open(RETRIEVAL, FOREVER)
    patience = replace(COMMAND, lock=0.0)
    with served(root, root.parent / "data").manager._store.lock(0):
        found, again = repository.ask_current(files, lambda _: ["a.py"], index, patience, FOREVER)
    assert (found, again.updated) == (2, False)
    (warning,) = again.warnings
    assert warning.code == "not_updated"
    assert "another process" in warning.text


def test_a_missing_file_is_answered_with_paths_like_it(root: Path) -> None:
    repository, _ = opened(root)
    repository.open(RETRIEVAL, FOREVER)
    write(root, {"long_name.py": "x = 1\n"})
    repository.update(["long_name.py"], COMMAND, FOREVER)
    with pytest.raises(Problem, match=r"perhaps long_name\.py"):
        repository.read("lnog_name.py", FOREVER)
    assert repository.read("long_name.py", FOREVER).lines == ["x = 1"]
