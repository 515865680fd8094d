"""Files of a commit, as they are read from a repository, and as git says they are."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from repo_mcp.git import GitHistory, GitTree
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.tree_files import write

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
CHANCE = random.Random(7)
WORDS = [f"word{CHANCE.randrange(10**9)}" for _ in range(2000)]
FILES: dict[str, str | bytes] = {
    f"folder{number % 3}/deep/file{number}.txt": " ".join(WORDS[: 100 * number])
    for number in range(12)
}
# larger than what is read at once, and not shrunk by packing
FILES |= {"empty": b"", "bytes.bin": CHANCE.randbytes(200_000), "name é.txt": "é"}


def git(root: Path, *line: str) -> str:
    return run_git(root, *line).decode()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write(tmp_path / "root", FILES)
    (root / "link").symlink_to("empty")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    write(root, {path: f"changed {path}" for path in list(FILES)[:5]})
    git(root, "commit", "-qam", "two")
    return root


def contents(repository: Path, commit: str) -> dict[str, bytes | None]:
    tree = GitTree(str(repository), commit)
    assert tree.is_known
    try:
        return {path: tree.content(path) for path in FILES}
    finally:
        tree.close()


@pytest.mark.parametrize("packing", ["loose", "offset deltas", "reference deltas"])
def test_files_are_those_of_the_commit(root: Path, packing: str) -> None:
    if packing == "offset deltas":
        git(root, "gc", "-q", "--aggressive")
    elif packing == "reference deltas":
        git(root, "-c", "repack.useDeltaBaseOffset=false", "repack", "-qadf", "--window=50")
    encoded = {
        path: text.encode() if isinstance(text, str) else text for path, text in FILES.items()
    }
    first = git(root, "rev-parse", "HEAD~").strip()
    assert contents(root, first) == encoded
    changed = {path: f"changed {path}".encode() for path in list(FILES)[:5]}
    assert contents(root, GitHistory(str(root)).head()) == encoded | changed


@pytest.mark.parametrize("options", [["--bare"], []])
def test_a_clone_has_the_files_of_its_source(
    root: Path, tmp_path: Path, options: list[str]
) -> None:
    git(tmp_path, "clone", "-q", *options, str(root), "clone")
    head = GitHistory(str(root)).head()
    assert contents(tmp_path / "clone", head) == contents(root, head)


@pytest.mark.parametrize("options", [["--shared"], ["--bare", "--shared"]])
def test_a_clone_that_names_the_objects_of_its_source_is_not_read(
    root: Path, tmp_path: Path, options: list[str]
) -> None:
    git(tmp_path, "clone", "-q", *options, str(root), "clone")
    assert not GitTree(str(tmp_path / "clone"), GitHistory(str(root)).head()).is_known
    if options == ["--shared"]:
        assert "git repack -ad" in GitHistory(str(tmp_path / "clone")).unread
        git(tmp_path / "clone", "repack", "-qad")
        (tmp_path / "clone" / ".git" / "objects" / "info" / "alternates").unlink()
        assert GitHistory(str(tmp_path / "clone")).unread == ""


def test_a_worktree_has_the_files_of_its_repository(root: Path, tmp_path: Path) -> None:
    git(root, "worktree", "add", "-q", "--detach", str(tmp_path / "other"), "HEAD~")
    head = GitHistory(str(tmp_path / "other")).head()
    assert head == git(root, "rev-parse", "HEAD~").strip()
    assert contents(tmp_path / "other", head) == contents(root, head)


def test_what_is_no_regular_file_of_the_commit_has_no_content(root: Path) -> None:
    tree = GitTree(str(root), GitHistory(str(root)).head())
    for path in ("link", "folder0", "folder0/deep", "none", "none/file", "empty/x", "", "../root"):
        assert tree.content(path) is None
    tree.close()


def test_a_commit_that_is_not_there_is_not_known(root: Path, tmp_path: Path) -> None:
    assert not GitTree(str(root), "1" * 40).is_known
    assert not GitTree(str(tmp_path), "1" * 40).is_known
    blob = git(root, "rev-parse", "HEAD:empty").strip()
    assert not GitTree(str(root), blob).is_known


@pytest.mark.parametrize("part", ["idx", "pack"])
def test_a_damaged_pack_costs_files_and_raises_nothing(root: Path, part: str) -> None:
    git(root, "gc", "-q")
    (file,) = (root / ".git/objects/pack").glob(f"*.{part}")
    data = file.read_bytes()
    file.chmod(0o600)
    head = GitHistory(str(root)).head()
    for _ in range(60):
        at = CHANCE.randrange(len(data))
        cut = len(data) if at % 3 else at
        file.write_bytes(bytes([*data[:at], data[at] ^ (1 << at % 8), *data[at + 1 :]])[:cut])
        tree = GitTree(str(root), head)
        for path in FILES:
            tree.content(path)
        tree.close()


@pytest.mark.parametrize("first", ["packed", "loose"])
@pytest.mark.parametrize("read", ["nothing", "one"])
def test_objects_are_found_after_git_has_packed_them_anew(
    root: Path, first: str, read: str
) -> None:
    if first == "packed":
        git(root, "repack", "-q", "-a", "-d")
    listed = git(root, "ls-tree", "-r", "--format=%(objectname) %(objectsize)", "HEAD")
    sizes = {name: int(size) for name, size in (row.split() for row in listed.splitlines())}
    objects = GitHistory(str(root)).open_objects(1 << 20, 0)
    assert objects.size(bytes(20)) == -1  # the packs are known from now on
    if read == "one":
        assert objects.read(next(iter(sizes))).kind == "blob"
    write(root, {"more.txt": "more\n"})
    git(root, "add", "more.txt")
    git(root, "commit", "-qm", "more")
    git(root, "repack", "-q", "-a", "-d")
    git(root, "prune-packed", "-q")
    for name, size in sizes.items():
        assert objects.size(bytes.fromhex(name)) == size
        assert len(objects.read(name).data) == size
    objects.close()
