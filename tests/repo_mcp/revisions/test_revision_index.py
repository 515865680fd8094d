"""The index of a revision has the files that a checkout of it would have."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep import changes
from repo_mcp.model import RefreshResult
from repo_mcp.revisions import revision_index
from repo_mcp.revisions.revision_index import RevisionIndex
from repo_mcp.stored import STORED_KINDS
from tests.repo_mcp.git.made_history import HistoryMaker, run_git
from tests.repo_mcp.revisions.past import Checkout, checked_out, files_in
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, segment_names

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]

LONG_AGO = 1_700_000_000


def commit(root: Path, message: str = "x") -> None:
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", message)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    HistoryMaker(3).make(root, 40)
    return root


def aged(root: Path, *settings: str) -> None:
    """Set times of files back, as they are where nobody has just checked them out."""
    for path in root.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            os.utime(path, (LONG_AGO, LONG_AGO))
    with suppress(subprocess.CalledProcessError):  # some files differ
        run_git(root, *settings, "update-index", "-q", "--refresh")


def as_it_is(_: Path) -> None:
    """A checkout without changes."""


def edited(root: Path) -> None:
    files = [path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts]
    files[0].write_text("other = 1\n")
    files[1].unlink()
    write(root, {"lib/untracked.py": "u = 1\n", "build/x.py": "x = 1\n"})


def staged(root: Path) -> None:
    edited(root)
    run_git(root, "add", "-A")


def without_some(root: Path) -> None:
    """A sparse checkout: git leaves files out, and knows them."""
    for path in run_git(root, "ls-files", "-z").decode().split("\0")[:3]:
        run_git(root, "update-index", "--skip-worktree", path)
        (root / path).unlink()


def converted(root: Path) -> None:
    """Git writes other ends of lines than the repository has."""
    write(root, {".gitattributes": "* text eol=crlf\n"})
    commit(root)
    run_git(root, "rm", "-qr", "--cached", ".")
    run_git(root, "reset", "-q", "--hard")


def converted_by_settings(root: Path) -> None:
    run_git(root, "config", "core.autocrlf", "true")
    for path in run_git(root, "ls-files", "-z").decode().split("\0")[:-1]:
        (root / path).unlink()
    run_git(root, "checkout", "-q", "--", ".")


def converted_by_the_user(root: Path) -> None:
    """As before, by settings that are not the repository's."""
    for path in run_git(root, "ls-files", "-z").decode().split("\0")[:-1]:
        (root / path).unlink()
    run_git(root, "-c", "core.autocrlf=true", "checkout", "-q", "--", ".")
    aged(root, "-c", "core.autocrlf=true")


@pytest.mark.parametrize(
    "change",
    [
        *(as_it_is, edited, staged, without_some),
        *(converted, converted_by_settings, converted_by_the_user),
    ],
)
@pytest.mark.parametrize("name", ["HEAD", "HEAD~1", "HEAD~9"])
def test_files_are_those_of_a_worktree(
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    change: Callable[[Path], None],
) -> None:
    # as if the index had been made long after the files
    monkeypatch.setattr(changes, "_RACY_NANOSECONDS", -(1 << 62))
    identity = run_git(root, "rev-parse", name).decode().strip()
    there = checked_out(root, identity, tmp_path / "there")
    change(root)
    aged(root)
    assert files_in(Checkout(root, tmp_path / "data").made(identity).snapshot()) == there


def test_files_that_change_behind_the_index_are_never_taken_for_the_revision(
    root: Path, tmp_path: Path
) -> None:
    there = checked_out(root, "HEAD", tmp_path / "there")
    checkout = Checkout(root, tmp_path / "data")
    path = run_git(root, "ls-files").decode().splitlines()[0]
    (root / path).write_text("other = 1\n")  # the index reads it when it is refreshed
    checkout.parts.manager.refresh(FOREVER)
    run_git(root, "checkout", "-q", "--", path)
    assert files_in(checkout.made("HEAD").snapshot()) == there


def test_kinds_of_entries_follow_the_commit(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, {"a": "file\n", "b/c.py": "c = 1\n", "d.bin": "\0\1\2", "e.py": "e = 1\n"})
    run_git(root, "init", "-q", "-b", "main")
    commit(root)
    (root / "a").unlink()
    shutil.rmtree(root / "b")
    write(root, {"a/inner.py": "i = 1\n", "b": "now a file\n", "d.bin": "text\n"})
    (root / "e.py").unlink()
    (root / "e.py").symlink_to("a/inner.py")
    commit(root)
    there = checked_out(root, "HEAD~1", tmp_path / "there")
    index = Checkout(root, tmp_path / "data").made("HEAD~1")
    assert files_in(index.snapshot()) == there
    assert set(there) == {"a", "b/c.py", "e.py"}


def test_segments_are_on_the_disk_once_and_outlive_those_of_the_checkout(
    root: Path, tmp_path: Path
) -> None:
    checkout = Checkout(root, tmp_path / "data")
    there = files_in(checkout.made("HEAD~2").snapshot())
    linked = [
        path for path in (tmp_path / "data/revisions").rglob("seg-*") if path.stat().st_nlink > 1
    ]
    assert linked
    write(root, {f"new/{number}.py": "n = 1\n" for number in range(50)})
    checkout.parts.manager.refresh(FOREVER)
    checkout.parts.manager.tidy(FOREVER, full=True)
    assert not any(path.stat().st_nlink > 1 for path in linked)
    assert files_in(Checkout(root, tmp_path / "data").made("HEAD~2").snapshot()) == there
    assert not list(checkout.parts.manager.stored.check())
    assert not list(checkout.index("HEAD~2").stored.check())


def test_segments_that_a_revision_shares_with_the_checkout_are_not_merged(
    root: Path, tmp_path: Path
) -> None:
    checkout = Checkout(root, tmp_path / "data")
    for number in range(12):
        write(root, {f"late/{number}.py": f"late = {number}\n"})
        checkout.parts.manager.refresh(FOREVER)
    commit(root)
    index = checkout.made("HEAD")
    names = segment_names(index)
    assert len(names) > 12
    index.tidy(FOREVER)
    assert segment_names(index) == names


def test_the_graph_of_a_revision_is_that_of_its_files(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, {"a.py": "def old():\n    pass\n", "b.py": "from a import old\n\nold()\n"})
    run_git(root, "init", "-q", "-b", "main")
    commit(root)
    write(root, {"a.py": "\n\ndef new():\n    pass\n", "b.py": "from a import new\n\nnew()\n"})
    commit(root)
    checkout = Checkout(root, tmp_path / "data")
    checkout.parts.manager.link(FOREVER)
    index = checkout.made("HEAD~1")
    assert index.graph().snapshot is None  # that of the checkout is no graph of the revision
    index.link(FOREVER)
    linked = index.graph().snapshot
    assert linked is not None
    fresh = Checkout(root, tmp_path / "other").made("HEAD~1")  # without a graph to begin with
    fresh.link(FOREVER)
    made = fresh.graph().snapshot
    assert made is not None
    assert files_in(linked) == files_in(made)


@pytest.mark.parametrize("words_first", [False, True])
def test_an_index_that_was_not_finished_is_never_shown(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, words_first: bool
) -> None:
    there = checked_out(root, "HEAD~3", tmp_path / "there")
    if words_first:
        monkeypatch.setattr(revision_index, "_PARSED_AT_ONCE", 0)

    def fail(*_: object, **__: object) -> None:
        raise Problem("cancelled")

    index = Checkout(root, tmp_path / "data").index("HEAD~3")
    with monkeypatch.context() as broken:
        broken.setattr(RevisionIndex, "refresh_paths", fail)
        with pytest.raises(Problem):
            index.refresh(FOREVER)
    assert index.snapshot() is None
    again = Checkout(root, tmp_path / "data").made("HEAD~3")
    assert files_in(again.snapshot()) == there
    assert again.is_whole


def test_words_are_searched_before_declarations_are_known(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revision_index, "_PARSED_AT_ONCE", 0)
    index = Checkout(root, tmp_path / "data").index("HEAD~3")
    update, asked = index.refresh_paths, list[bool]()

    def watched(paths: Sequence[str], budget: Budget, *, deep: bool) -> RefreshResult:
        assert index.has_words == deep
        asked.append(deep)
        return update(paths, budget, deep=deep)

    monkeypatch.setattr(index, "refresh_paths", watched)
    index.refresh(FOREVER)
    assert asked == [False, True]
    assert index.is_whole


def test_a_damaged_index_of_a_revision_is_made_again(root: Path, tmp_path: Path) -> None:
    checkout = Checkout(root, tmp_path / "data")
    index = checkout.made("HEAD~2")
    there = files_in(index.snapshot())
    folder = Path(index.index_dir) / STORED_KINDS[0].folder
    (folder / "CURRENT").write_bytes(b"damage")
    again = Checkout(root, tmp_path / "data").made("HEAD~2")
    assert files_in(again.snapshot()) == there
    assert files_in(checkout.parts.manager.snapshot())


def test_a_revision_without_an_index_of_the_checkout_is_indexed_from_git(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = checked_out(root, "HEAD~2", tmp_path / "there")
    monkeypatch.setattr(RevisionIndex, "_take_over", lambda *_: None)
    assert files_in(Checkout(root, tmp_path / "data").made("HEAD~2").snapshot()) == there


def test_revisions_that_were_asked_last_are_open(root: Path, tmp_path: Path) -> None:
    checkout = Checkout(root, tmp_path / "data")
    first = checkout.index("HEAD~1")
    assert checkout.index("HEAD~1") is first
    for back in range(2, 7):
        checkout.index(f"HEAD~{back}")
    assert checkout.index("HEAD~1") is not first
    checkout.revisions.close()
