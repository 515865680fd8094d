"""Of a large tree, some files can be searched before all of it is walked."""

from __future__ import annotations

from pathlib import Path

import pytest

from index_format import IndexWriter, Snapshot
from repo_mcp.indexing.keep import refresh
from repo_mcp.indexing.keep.refresh import Refresh
from tests.repo_mcp.indexing.keep.test_same_builds import FILES, shuffled
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, served, text_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", FILES)


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list[Snapshot]:
    """The generations that are published; every tree counts as large."""
    monkeypatch.setattr(refresh, "_MANY_FILES", len(FILES))
    monkeypatch.setattr(refresh, "_FIRST_FILES", 7)
    monkeypatch.setattr(refresh, "_IN_PROCESS_FILES", 0)
    monkeypatch.setattr(refresh, "_ONE_ROUND_BYTES", 0)
    monkeypatch.setattr("repo_mcp.indexing.build.tasks._MIN_TASK_BYTES", 1)
    found: list[Snapshot] = []
    note = Refresh._note_published

    def noted(self: Refresh, snapshot: Snapshot) -> None:
        found.append(snapshot)
        note(self, snapshot)

    monkeypatch.setattr(Refresh, "_note_published", noted)
    return found


def test_the_first_generation_has_the_first_files(
    root: Path, tmp_path: Path, published: list[Snapshot]
) -> None:
    result = served(root, tmp_path / "data").manager.refresh(FOREVER)
    assert list(published[0].paths()) == sorted(FILES)[:7]
    assert (result.added, result.updated, result.complete) == (len(FILES), 0, True)


def test_git_says_which_files_are_first(
    root: Path, tmp_path: Path, published: list[Snapshot], monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = ["3/f33.txt", "1/f01.py", "gone.py", "../outside", ".git/config"]
    monkeypatch.setattr("repo_mcp.git.recent_files", lambda _root, most: chosen[:most])
    manager = served(root, tmp_path / "data").manager
    assert manager.refresh(FOREVER).complete
    assert list(published[0].paths()) == ["1/f01.py", "3/f33.txt"]
    found = text_of(manager)
    assert list(found.paths()) == sorted(FILES)


@pytest.mark.requirement("INT-02-deterministic")
@pytest.mark.parametrize("most_parsed", [0, float("inf")])
def test_the_last_generation_is_that_of_any_other_build(
    root: Path,
    tmp_path: Path,
    published: list[Snapshot],
    monkeypatch: pytest.MonkeyPatch,
    most_parsed: float,
) -> None:
    shuffled(root, tmp_path / "one", 1).refresh(FOREVER, most_parsed=most_parsed)
    one = published[-1]
    monkeypatch.setattr(refresh, "_MANY_FILES", 1000)
    shuffled(root, tmp_path / "other", 2).refresh(FOREVER, most_parsed=most_parsed)
    assert sorted(one.fingerprints()) == sorted(published[-1].fingerprints())
    if most_parsed:
        assert one.manifest.segments == published[-1].manifest.segments


def test_an_index_that_is_there_has_no_first_files(
    root: Path, tmp_path: Path, published: list[Snapshot], monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = served(root, tmp_path / "data").manager
    manager.refresh(FOREVER)
    published.clear()
    monkeypatch.setattr(Refresh, "_index_first", fail)
    write(root, {"new.py": "x = 1\n"})
    assert manager.refresh(FOREVER).added == 1


def fail(_run: Refresh, _writer: IndexWriter) -> None:
    raise AssertionError
