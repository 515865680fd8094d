"""Histories made by chance: changes, renames, blame and names of commits are those of git."""

from __future__ import annotations

import random
import re
import shutil
from pathlib import Path

import pytest

from repo_mcp.git import GitHistory
from repo_mcp.git.blame import Blame
from repo_mcp.git.changes import FileChange, Version, changed_files, find_version, with_renames
from repo_mcp.git.commits import Commit, CommitWalk, merge_base, read_commit
from repo_mcp.git.objects import GitObjects
from repo_mcp.git.revisions import RevisionError, Revisions
from tests.repo_mcp.git.made_history import HistoryMaker, run_git

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
SEEDS = range(3)
COMMITS = 150
MOST = 1 << 20
BLAMED = re.compile(rb"^([0-9a-f]{40}) (\d+) (\d+)", re.MULTILINE)


@pytest.fixture(scope="module", params=SEEDS)
def root(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("made") / "root"
    HistoryMaker(request.param).make(place, COMMITS)
    return place


def objects_of(root: Path) -> GitObjects:
    return GitHistory(str(root)).open_objects(MOST, MOST)


def commit_of(objects: GitObjects, identity: str) -> Commit:
    found = read_commit(objects, bytes.fromhex(identity))
    assert found is not None
    return found


def commits(root: Path) -> list[str]:
    return run_git(root, "rev-list", "--date-order", "HEAD").decode().split()


def test_commits_are_walked_from_the_newest(root: Path) -> None:
    head = bytes.fromhex(commits(root)[0])
    walk = CommitWalk(objects_of(root))
    rows = [(identity.hex(), seconds) for identity, seconds, _ in walk.newest_first([head])]
    assert sorted(identity for identity, _ in rows) == sorted(commits(root))
    assert [seconds for _, seconds in rows] == sorted((row[1] for row in rows), reverse=True)
    assert not walk.missing


def test_branches_part_where_git_says(root: Path) -> None:
    chance, every, objects = random.Random(4), commits(root), objects_of(root)
    for _ in range(25):
        one, other = chance.choices(every, k=2)
        found = merge_base(objects, bytes.fromhex(one), bytes.fromhex(other))
        told = run_git(root, "merge-base", "--all", one, other).decode().split()
        assert found is not None
        assert found.hex() in told


def test_changes_and_renames_are_those_of_git(root: Path) -> None:
    objects = objects_of(root)

    def content(identity: bytes) -> bytes:
        return objects.get(identity).data

    for identity in commits(root):
        commit = commit_of(objects, identity)
        if commit.is_merge:
            continue
        before = commit_of(objects, commit.parents[0].hex()).tree if commit.parents else None
        found = with_renames(changed_files(objects, before, commit.tree), content)
        mine = sorted((item.kind, item.old.path, item.new.path) for item in found)
        given = ("diff-tree", "--root", "--no-commit-id", "-r", "-M", "-z", "--name-status")
        told = run_git(root, *given, identity).decode().split("\0")[:-1]
        theirs = []
        while told:
            kind = told.pop(0)[0]
            old = told.pop(0)
            theirs.append((kind, old, told.pop(0) if kind == "R" else old))
        assert mine == sorted(theirs)


def has_second_line(path: Path) -> bool:
    return len(path.read_bytes().splitlines()) > 1


def blamed_by_git(root: Path, path: str, options: list[str]) -> list[tuple[str, int]]:
    told = run_git(root, "blame", "--porcelain", *options, "HEAD", "--", path)
    return [(row[1].decode(), int(row[2])) for row in BLAMED.finditer(told)]


@pytest.mark.parametrize("options", [[], ["-w"], ["-C"], ["-w", "-C"]])
def test_lines_come_from_where_git_says(root: Path, options: list[str]) -> None:
    objects, head = objects_of(root), commits(root)[0]
    differ = False
    for path in run_git(root, "ls-files").decode().split():
        theirs = blamed_by_git(root, path, options)
        blame = Blame(objects, any_blanks="-w" in options, copies="-C" in options)
        mine = [
            (item.origin.commit.hex(), item.origin_first + offset + 1)
            for item in blame.lines(bytes.fromhex(head), path)
            for offset in range(item.size)
        ]
        assert mine == theirs, path
        differ |= theirs != blamed_by_git(root, path, [])
    assert differ == ("-C" in options) or options == ["-w"]


def test_parts_of_files_are_blamed_on_other_files_as_git_says(root: Path) -> None:
    objects, head = objects_of(root), commits(root)[0]
    for name in run_git(root, "ls-files").decode().split():
        theirs = blamed_by_git(root, name, ["-C", "-L2,+9"]) if has_second_line(root / name) else []
        blame = Blame(objects, copies=True)
        found = blame.lines(bytes.fromhex(head), name, [(1, 10)])
        mine = [
            (item.origin.commit.hex(), item.origin_first + offset + 1)
            for item in found
            for offset in range(item.size)
        ]
        assert mine == theirs, name


def test_files_of_a_commit_are_found_by_path(root: Path) -> None:
    objects, identity = objects_of(root), commits(root)[COMMITS // 2]
    tree = commit_of(objects, identity).tree
    told = run_git(root, "ls-tree", "-r", "-z", identity).decode().split("\0")[:-1]
    assert told
    for row in told:
        head, path = row.split("\t")
        version = find_version(objects, tree, path)
        assert version is not None
        assert [version.mode.decode(), "blob", version.identity.hex()] == head.split()
    assert find_version(objects, tree, "lib") is None
    assert find_version(objects, tree, "no/such") is None
    assert find_version(objects, tree, "") is None


@pytest.mark.parametrize(
    "name", ["HEAD", "@", "main", "refs/heads/main", "old", "marked", "HEAD~7", "main^^", "old~2^0"]
)
def test_names_are_of_the_commits_that_git_says(root: Path, name: str) -> None:
    run_git(root, "tag", "-f", "old", "HEAD~5")
    run_git(root, "tag", "-f", "-am", "a tag", "marked", "HEAD~9")
    theirs = run_git(root, "rev-parse", f"{name}^{{commit}}").decode().strip()
    history = GitHistory(str(root))
    revisions = Revisions(history, objects_of(root))
    assert revisions.find(name).hex() == theirs
    assert revisions.find(theirs[:12]).hex() == theirs


@pytest.mark.parametrize(
    "name", ["", "no-such", "HEAD~99999", "0" * 40, "ffff", "..", "refs/../HEAD", "a b", "HEAD^9"]
)
def test_names_of_nothing_are_refused(root: Path, name: str) -> None:
    with pytest.raises(RevisionError):
        Revisions(GitHistory(str(root)), objects_of(root)).find(name)


@pytest.mark.parametrize("keeps", [True, False])
def test_one_index_of_several_packs_finds_all(root: Path, tmp_path: Path, *, keeps: bool) -> None:
    place = tmp_path / "copy"
    shutil.copytree(root, place)
    listed = run_git(place, "rev-list", "--objects", "HEAD").decode().split("\n")
    names = [row.split()[0] for row in listed if row]
    for begin in range(0, len(names), len(names) // 3):
        given = "\n".join(names[begin : begin + len(names) // 3]).encode()
        run_git(place, "pack-objects", "-q", ".git/objects/pack/pack", given=given)
    for old in (place / ".git/objects/pack").glob("pack-*"):
        old.chmod(0o644)
    run_git(place, "prune-packed", "-q")
    run_git(place, "multi-pack-index", "write")
    if not keeps:
        for index in (place / ".git/objects/pack").glob("*.idx"):
            index.unlink()
    objects = objects_of(place)
    for name in names:
        assert objects.read(name).kind
    assert not objects.read("1" * 40).kind


def test_of_files_of_one_name_the_most_alike_is_the_one_that_was_renamed() -> None:
    lines = [f"line {number} of the file\n" for number in range(20)]
    texts = {
        b"far": "".join([*lines[:17], "a\n", "b\n", "c\n"]).encode(),
        b"near": "".join([*lines[:19], "a\n"]).encode(),
        b"new": "".join(lines).encode(),
    }
    gone = [Version("a/x.py", b"100644", b"far"), Version("b/x.py", b"100644", b"near")]
    changes = [FileChange(item, Version(item.path)) for item in gone]
    made = FileChange(Version("c/x.py"), Version("c/x.py", b"100644", b"new"))
    found = with_renames([*changes, made], texts.get)
    assert [(item.kind, item.old.path, item.path) for item in found] == [
        ("D", "a/x.py", "a/x.py"),
        ("R", "b/x.py", "c/x.py"),
    ]


def test_of_files_with_one_content_those_of_one_name_are_renamed() -> None:
    old = [Version(path, b"100644", b"same") for path in ("a/y.py", "b/x.py")]
    new = [Version(path, b"100644", b"same") for path in ("c/x.py", "d/y.py")]
    changes = [FileChange(item, Version(item.path)) for item in old]
    changes += [FileChange(Version(item.path), item) for item in new]
    found = with_renames(changes, lambda _: b"text\n")
    assert [(item.old.path, item.path) for item in found] == [
        ("b/x.py", "c/x.py"),
        ("a/y.py", "d/y.py"),
    ]
