"""Questions about the past go on where objects are missing, and name them."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.history import Checkout, DiffSides, HistoryQuestion, RevisionDiff
from tests.repo_mcp.changes.reviews import commit
from tests.repo_mcp.git.gaps import blob_of, clone_without_blobs, delete_object
from tests.repo_mcp.history.histories import Asked, asked

pytestmark = pytest.mark.servers


def _repository(root: Path) -> None:
    """Three commits: the second one changes both files, the third one."""
    commit(root, {"a.py": "def one():\n    return 1\n", "b.py": "def two():\n    return 2\n"}, "x")
    commit(
        root, {"a.py": "def one():\n    return 11\n", "b.py": "def two():\n    return 22\n"}, "y"
    )
    commit(root, {"a.py": "def one():\n    return 111\n"}, "z")


def _warning(found: Asked) -> str:
    (warning,) = [item.text for item in found.warnings if item.code == "objects_unread"]
    return warning


def test_a_commit_is_told_without_the_file_whose_blob_is_gone(tmp_path: Path) -> None:
    root = tmp_path / "root"
    _repository(root)
    gone = blob_of(root, "HEAD~2:a.py")
    delete_object(root, gone)
    with asked(root, tmp_path / "data") as found:
        result = found.ask(HistoryQuestion(rev="HEAD~1"))
        assert [hunk.path for hunk in result.commits[0].hunks] == ["b.py"]
        assert result.commits[0].files == ["a.py", "b.py"]
        assert f"a.py (blob {gone[:12]} is not there)" in _warning(found)
        assert "git fsck" in _warning(found)


def test_lines_come_from_the_last_commit_that_can_be_compared(tmp_path: Path) -> None:
    root = tmp_path / "root"
    _repository(root)
    delete_object(root, blob_of(root, "HEAD~2:a.py"))
    with asked(root, tmp_path / "data") as found:
        lines = found.ask(HistoryQuestion(path="a.py", lines="1-2"))
        assert [(item.lines, item.subject) for item in lines.blame] == [("1", "y"), ("2", "z")]
        assert "a.py (blob" in _warning(found)
        commits = found.ask(HistoryQuestion(path="a.py", declared=((1, 2),)))
        assert [item.subject for item in commits.commits] == ["z"]
        assert "a.py (blob" in _warning(found)


def test_an_old_file_whose_blob_is_gone_is_named_in_the_error(tmp_path: Path) -> None:
    root = tmp_path / "root"
    _repository(root)
    gone = blob_of(root, "HEAD~2:a.py")
    delete_object(root, gone)
    with asked(root, tmp_path / "data") as found, pytest.raises(Problem) as raised:
        found.ask(HistoryQuestion(path="a.py", about="file", rev="HEAD~2"))
    assert raised.value.code == "history_unread"
    assert f"a.py (blob {gone[:12]} is not there)" in raised.value.reason


def test_a_folder_whose_tree_is_gone_is_passed_over(tmp_path: Path) -> None:
    root = tmp_path / "root"
    commit(root, {"a.py": "A = 1\n", "inner/b.py": "B = 1\n"})
    commit(root, {"a.py": "A = 2\n", "inner/b.py": "B = 2\n"})
    delete_object(root, blob_of(root, "HEAD~1:inner"))
    with asked(root, tmp_path / "data") as found:
        result = found.ask(HistoryQuestion(rev="HEAD"))
        assert result.commits[0].files == ["a.py"]
        assert "inner/ (tree" in _warning(found)


def test_a_partial_clone_knows_the_files_of_its_commits_and_says_how_to_get_their_lines(
    tmp_path: Path,
) -> None:
    _repository(tmp_path / "source")
    root = tmp_path / "root"
    clone_without_blobs(tmp_path / "source", root)
    with asked(root, tmp_path / "data") as found:
        result = found.ask(HistoryQuestion(rev="HEAD~1"))
        assert result.commits[0].files == ["a.py", "b.py"]
        assert "this clone is partial" in _warning(found)
        assert "git show REV" in _warning(found)
        of_file = found.ask(HistoryQuestion(path="b.py"))
        assert [item.subject for item in of_file.commits] == ["y", "x"]


@pytest.mark.parametrize("sides", [DiffSides("HEAD~2", "HEAD"), DiffSides("HEAD~2")])
def test_a_diff_names_the_file_that_it_could_not_compare(sides: DiffSides, tmp_path: Path) -> None:
    root = tmp_path / "root"
    _repository(root)
    delete_object(root, blob_of(root, "HEAD~2:a.py"))
    with asked(root, tmp_path / "data") as found:
        (history,) = [item.history for item in found.histories.roots.values()]
        parts = found.parts
        checkout = Checkout(parts.sandbox, parts.manager.discovery(), Budget())
        with history.reading():
            diff = RevisionDiff(history, parts.languages, lambda: None)
            result = diff.of(sides, checkout)
    assert [(item.kind, item.path) for item in result.declarations] == [("changed", "b.py")]
    assert result.unread == ["a.py"]
    assert "a.py (blob" in result.notes[0]


def test_a_file_that_is_too_large_is_said_to_be_that(tmp_path: Path) -> None:
    root = tmp_path / "root"
    commit(root, {"a.py": "A = 1\n", "large.txt": "x"})
    commit(root, {"a.py": "A = 2\n", "large.txt": "y\n" * (9 << 20)})
    with asked(root, tmp_path / "data") as found:
        result = found.ask(HistoryQuestion(rev="HEAD"))
        assert [hunk.path for hunk in result.commits[0].hunks] == ["a.py"]
        assert "is too large" in _warning(found)
        assert "fsck" not in _warning(found)
