"""The history of a checkout, as its files say, and as git says it."""

from __future__ import annotations

import os
import shutil
import zlib
from pathlib import Path

import pytest

from repo_mcp.git import GitHistory
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.tree_files import write

FIRST, SECOND, THIRD, SIDE = ("1" * 40, "2" * 40, "3" * 40, "4" * 40)


def commit(*parents: str) -> bytes:
    lines = ["tree " + "0" * 40, *(f"parent {parent}" for parent in parents), "author x", "", "m"]
    text = "\n".join([*lines, f"parent {'9' * 40}"]).encode()
    return zlib.compress(b"commit %d\0" % len(text) + text)


def loose(identity: str) -> str:
    return f".git/objects/{identity[:2]}/{identity[2:]}"


TREE: dict[str, str | bytes] = {
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/refs/heads/main": f"{THIRD}\n",
    loose(THIRD): commit(SECOND, SIDE),
    loose(SECOND): commit(FIRST),
    loose(SIDE): commit(FIRST),
    loose(FIRST): commit(),
}


def test_the_nearest_relatives_come_first(tmp_path: Path) -> None:
    """3 has the parents 2 and 4, which have the parent 1; of these, 2 is checked out."""
    files = {**TREE, ".git/HEAD": SECOND, loose("5" * 40): commit(THIRD), loose("6" * 40): commit()}
    history = GitHistory(str(write(tmp_path, files)))
    assert history.relatives(["5" * 40, SIDE, THIRD, "6" * 40]) == [THIRD, SIDE, "5" * 40]
    assert history.relatives([]) == []
    assert [history.has(item) for item in (SIDE, "6" * 40, "7" * 40)] == [True, True, False]


WORKTREES: dict[str, str | bytes] = {
    "main/.git/HEAD": FIRST,
    "main/.git/worktrees/one/HEAD": FIRST,
    "main/.git/worktrees/one/commondir": "../..",
    "main/.git/worktrees/two/HEAD": SECOND,
    "main/.git/worktrees/two/commondir": "../..",
    "main/.git/worktrees/two/gitdir": "../../../../two/.git",
    "main/.git/worktrees/gone/gitdir": "../../../../gone/.git",
    "two/.git": "gitdir: ../main/.git/worktrees/two",
}


def test_worktrees_know_each_other(tmp_path: Path) -> None:
    place = write(tmp_path, WORKTREES)
    own = place / "one" / ".git"
    write(
        place,
        {
            "main/.git/worktrees/one/gitdir": f"{own}\n",
            "one/.git": f"gitdir: {place}/main/.git/worktrees/one\n",
        },
    )
    main, one, two = (str(place / name) for name in ("main", "one", "two"))
    assert list(GitHistory(main).worktrees()) == [one, two]
    assert list(GitHistory(one).worktrees()) == [main, two]
    assert list(GitHistory(two).worktrees()) == [main, one]


def test_a_folder_that_does_not_agree_is_no_worktree(tmp_path: Path) -> None:
    files = {
        **WORKTREES,
        "hostile/.git/HEAD": FIRST,
        "hostile/.git/worktrees/x/gitdir": "../../../../main/.git",
        "liar/.git": "gitdir: ../main/.git/worktrees/two",
    }
    place = write(tmp_path, files)
    assert list(GitHistory(str(place / "hostile")).worktrees()) == []
    assert list(GitHistory(str(place / "liar")).worktrees()) == []


def test_ancestors_are_given_nearest_first(tmp_path: Path) -> None:
    history = GitHistory(str(write(tmp_path, TREE)))
    assert history.head() == THIRD
    assert list(history.ancestors()) == [SECOND, SIDE, FIRST]


@pytest.mark.parametrize(
    ("files", "head"),
    [
        ({}, ""),
        ({".git/HEAD": FIRST}, FIRST),
        ({".git/HEAD": "ref: refs/heads/none"}, ""),
        ({".git/HEAD": "ref: ../../secret"}, ""),
        ({".git/HEAD": "ref: refs/heads/../../HEAD"}, ""),
        ({".git/HEAD": "ref: refs/heads/a", ".git/refs/heads/a": "ref: refs/heads/a"}, ""),
        (
            {
                ".git/HEAD": "ref: refs/heads/a",
                ".git/packed-refs": f"# pack-refs\n{SIDE} refs/heads/ab\n{FIRST} refs/heads/a\n",
            },
            FIRST,
        ),
        ({".git": "gitdir: own\n", "own/HEAD": SECOND}, SECOND),
        (
            {
                ".git": "gitdir: main/worktrees/w\n",
                "main/worktrees/w/HEAD": "ref: refs/heads/b",
                "main/worktrees/w/commondir": "../..\n",
                "main/refs/heads/b": SIDE,
            },
            SIDE,
        ),
        ({".git/HEAD": b"\xff\x00"}, ""),
    ],
)
def test_head_is_found_or_not_known(
    tmp_path: Path, files: dict[str, str | bytes], head: str
) -> None:
    assert GitHistory(str(write(tmp_path, files))).head() == head


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"nonsense",
        zlib.compress(b"blob 3\0abc"),
        commit(SECOND)[:-9],
        zlib.compress(b"x" * 99),
    ],
)
def test_the_history_ends_where_it_can_not_be_read(tmp_path: Path, damage: bytes) -> None:
    root = write(tmp_path, {**TREE, loose(SECOND): damage, loose(SIDE): commit()})
    assert set(GitHistory(str(root)).ancestors()) <= {SECOND, SIDE, FIRST}


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(FIRST)
    root = write(tmp_path / "root", {".git/config": ""})
    (root / ".git/HEAD").symlink_to(tmp_path / "secret")
    assert GitHistory(str(root)).head() == ""


@pytest.mark.servers
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("packing", ["loose", "packed", "reference deltas"])
def test_history_is_what_git_says(tmp_path: Path, packing: str) -> None:
    def git(*line: str) -> str:
        return run_git(tmp_path, *line).decode()

    git("init", "-q", "-b", "main")
    # long and alike, so that commits become deltas of each other
    body = "\n".join(f"line {number} of a message that all commits share" for number in range(200))
    for number in range(12):
        if number == 6:
            git("checkout", "-q", "-b", "side", "HEAD~2")
        git("commit", "-q", "--allow-empty", "-m", f"{number}\n\n{body}")
    git("checkout", "-q", "main")
    git("merge", "-q", "--no-ff", "-m", "merge", "side")
    if packing == "packed":
        git("gc", "-q", "--aggressive")
    elif packing == "reference deltas":
        git("-c", "repack.useDeltaBaseOffset=false", "repack", "-q", "-adf", "--window=50")
    history = GitHistory(str(tmp_path))
    assert history.head() == git("rev-parse", "HEAD").strip()
    assert {history.head(), *history.ancestors()} == set(git("rev-list", "HEAD").split())
