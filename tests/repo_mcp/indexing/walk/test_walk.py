"""The files that a walk finds, their order, and the reason for each excluded one."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.walk.known_folders import KnownFolders
from repo_mcp.indexing.walk.walk import Discovery, FolderFiles, Selection
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Folder, Sandbox
from tests.repo_mcp.indexing.walk.ignore_trees import GIT, Trees
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER


class Moody(Sandbox):
    """A sandbox where some folders change after their parent was listed."""

    def __init__(self, root: Path, *, openat2: bool | None = None) -> None:
        super().__init__(str(root), Denylist(), max_file_bytes=1 << 20, use_openat2=openat2)
        self.problems: dict[str, str] = {}
        self.mounted: set[str] = set()
        self.before: dict[str, Path] = {}
        self.listed: list[str] = []

    def list_folder(self, path: str) -> Folder:
        return self._list(path, super().list_folder)

    def list_names(self, path: str) -> Folder:
        return self._list(path, super().list_names)

    def _list(self, path: str, list_folder: Callable[[str], Folder]) -> Folder:
        self.listed.append(path)
        if path in self.problems:
            raise Problem(self.problems[path])
        if path in self.before:
            self.before[path].rename(self.before[path].with_name("elsewhere"))
        found = list_folder(path)
        found.device += path in self.mounted
        return found


def found(root: Path, **selection: object) -> list[str]:
    chosen = Selection(1 << 20, **selection)  # type: ignore[arg-type]
    fence = Moody(root)
    paths = [item.path for item in Discovery(fence, chosen).files(FOREVER)]
    fence.close()
    return paths


def walked(fence: Sandbox, most: int = 1 << 20) -> tuple[list[str], dict[str, int]]:
    discovery = Discovery(fence, Selection(most))
    paths = [item.path for item in discovery.files(FOREVER)]
    return paths, dict(+discovery.left_out)


@pytest.mark.requirement("INT-09.1-files")
def test_reasons_are_counted(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.py": "x",
            ".env": "x",
            "logo.png": b"\x89PNG",
            "large.txt": "x" * 101,
            "node_modules/m/a.js": "x",
            "gen/a.py": "x",
            "out.log": "x",
            ".gitignore": "*.log",
            ".git/config": "x",
            "env/pyvenv.cfg": "x",
            "env/lib/a.py": "x",
            "target/CACHEDIR.TAG": "x",
            "target/a.rs": "x",
        },
    )
    (tmp_path / "link.py").symlink_to("a.py")
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / os.fsdecode(b"\xff.py")).write_text("x", encoding="utf-8")
    fence = Moody(tmp_path)
    discovery = Discovery(fence, Selection(100, exclude_globs=("gen",)))
    assert [item.path for item in discovery.files(FOREVER)] == [".gitignore", "a.py", "logo.png"]
    assert +discovery.left_out == {
        "denied": 2,
        "large": 1,
        "excluded": 4,
        "ignored": 1,
        "link": 1,
        "other": 1,
        "name": 1,
    }
    fence.close()


def test_a_file_comes_with_its_stat_key(tmp_path: Path) -> None:
    write(tmp_path, {"a/b.py": "four"})
    fence = Moody(tmp_path)
    [file] = Discovery(fence, Selection(100)).files(FOREVER)
    said = (tmp_path / "a" / "b.py").stat()
    assert file.key == (said.st_size, said.st_mtime_ns, said.st_ctime_ns, said.st_ino)
    fence.close()


def test_links_are_not_followed_in_circles_or_outside(tmp_path: Path) -> None:
    write(tmp_path, {"root/a/b.py": "x", "outside/c.py": "x"})
    (tmp_path / "root" / "loop").symlink_to(".", target_is_directory=True)
    (tmp_path / "root" / "a" / "up").symlink_to("..", target_is_directory=True)
    (tmp_path / "root" / "out").symlink_to("../outside", target_is_directory=True)
    (tmp_path / "root" / "nowhere.py").symlink_to("gone")
    fence = Moody(tmp_path / "root")
    assert walked(fence) == (["a/b.py"], {"link": 4})
    fence.close()


@pytest.mark.requirement("INT-09.1-files")
def test_no_file_is_left_out_for_its_extension(tmp_path: Path) -> None:
    names = ["a.py", "b.odd", "c.ODD", "d.csv", "e.snap", "f.svg", "g.png", "h."]
    write(tmp_path, dict.fromkeys(names, "x"))
    assert found(tmp_path) == names


def test_paths_come_in_byte_order(tmp_path: Path) -> None:
    paths = ["a/b", "a.c", "a-b", "a/b-c/d", "a/b.c", "a0", "ä", "a/ä", "\U0001f600", "\uffee", "B"]
    write(tmp_path, dict.fromkeys((f"{path}.py" for path in paths), ""))
    assert found(tmp_path) == [
        "B.py",
        "a-b.py",
        "a.c.py",
        "a/b-c/d.py",
        "a/b.c.py",
        "a/b.py",
        "a/ä.py",
        "a0.py",
        "ä.py",
        "\uffee.py",
        "\U0001f600.py",
    ]


@pytest.mark.parametrize("seed", range(5))
def test_equal_trees_give_equal_walks_however_they_came_to_be(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    letters = ["a", "b", "a.b", "a-b", "-", "0", "é", "~", "A", "a b"]
    paths = ["/".join(chance.choices(letters, k=chance.randrange(1, 4))) + ".d" for _ in range(60)]
    paths = [f"{path}/{letter}.py" for path in paths for letter in "ba"]
    for folder in ("one", "other"):
        chance.shuffle(paths)
        write(tmp_path / folder, dict.fromkeys(paths, ""))
    one, other = Moody(tmp_path / "one"), Moody(tmp_path / "other", openat2=False)
    assert walked(one) == walked(other)
    assert [path.encode() for path in walked(one)[0]] == sorted({path.encode() for path in paths})
    one.close()
    other.close()


def test_a_cancelled_walk_stops(tmp_path: Path) -> None:
    write(tmp_path, {"a/a.py": "x"})
    fence = Moody(tmp_path)
    with pytest.raises(Problem, match="cancelled"):
        list(Discovery(fence, Selection(100)).files(Budget(None, lambda: True)))
    fence.close()


def test_files_come_before_the_walk_is_over(tmp_path: Path) -> None:
    write(tmp_path, {"a/a.py": "x", "b/b.py": "x"})
    fence = Moody(tmp_path)
    files = iter(Discovery(fence, Selection(100)).files(FOREVER))
    assert next(files).path == "a/a.py"
    assert fence.listed == ["", "a"]
    fence.close()


@pytest.mark.parametrize(
    ("problem", "reason"),
    [("unreadable", "unreadable"), ("not_found", "vanished"), ("not_a_file", "vanished")],
)
def test_a_folder_that_cannot_be_listed_is_counted(
    tmp_path: Path, problem: str, reason: str
) -> None:
    write(tmp_path, {"a/a.py": "x", "b/a.py": "x", "c/a.py": "x"})
    fence = Moody(tmp_path)
    fence.problems["b"] = problem
    assert walked(fence) == (["a/a.py", "c/a.py"], {reason: 1})
    assert Discovery(fence, Selection(100)).reason("b/a.py") == reason
    fence.close()


def test_a_folder_that_goes_away_during_the_walk_is_counted(tmp_path: Path) -> None:
    write(tmp_path / "root", {"a/a.py": "x", "b/c/a.py": "x", "b/d.py": "x", "e.py": "x"})
    fence = Moody(tmp_path / "root")
    fence.before["b/c"] = tmp_path / "root" / "b" / "c"
    fence.before["b"] = tmp_path / "root" / "a"
    assert walked(fence) == (["a/a.py", "b/d.py", "e.py"], {"vanished": 1})
    fence.close()


def test_a_root_that_cannot_be_listed_is_no_empty_tree(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "x"})
    fence = Moody(tmp_path)
    fence.problems[""] = "unreadable"
    with pytest.raises(Problem, match="does not let"):
        walked(fence)
    fence.close()


def test_another_file_system_is_not_entered(tmp_path: Path) -> None:
    write(tmp_path, {"a/a.py": "x", "b/mnt/a.py": "x", "b/mnt/deep/a.py": "x", "c.py": "x"})
    fence = Moody(tmp_path)
    fence.mounted.add("b/mnt")
    assert walked(fence) == (["a/a.py", "c.py"], {"mount": 1})
    assert "b/mnt/deep" not in fence.listed
    assert Discovery(fence, Selection(100)).reason("b/mnt/deep/a.py") == "mount"
    fence.close()


def test_depth_has_an_end(tmp_path: Path) -> None:
    folder = tmp_path
    for _ in range(203):
        folder /= "d"
        folder.mkdir()
        (folder / "a.py").touch()
    fence = Moody(tmp_path)
    paths, left_out = walked(fence)
    assert (len(paths), left_out) == (200, {"depth": 1})
    fence.close()


def test_a_path_that_no_system_opens_is_counted(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=folder)
        folder, above = os.open("d" * 250, os.O_RDONLY, dir_fd=folder), folder
        os.close(above)
    os.close(folder)
    fence = Moody(tmp_path)
    assert walked(fence) == ([], {"depth": 1})
    fence.close()


@pytest.mark.servers
@pytest.mark.skipif(GIT is None, reason="no git")
def test_the_reason_for_one_path_is_that_of_the_walk(tmp_path: Path) -> None:
    trees = Trees(tmp_path)
    reasons = set()
    for seed in range(20):
        trees.grow(seed)
        write(tmp_path, {"k.py/.env": "", "k.py/x.py": "", "k.py/x.png": "", "y.py": ""})
        (tmp_path / "k.py" / "link").symlink_to("x.py")
        (tmp_path / "m").symlink_to("k.py")
        fence = Moody(tmp_path)
        selection = Selection(1 << 20, exclude_globs=("k.py/x*",))
        walk = list(Discovery(fence, selection).candidates(FOREVER))
        judge = Discovery(fence, selection)
        files = {item.path: item.reason for item in walk if (tmp_path / item.path).is_file()}
        assert {path: judge.reason(path) for path in files} == files
        below = {item.path: item.reason for item in walk if (tmp_path / item.path).is_dir()}
        assert {path: judge.reason(f"{path}/a.py") for path in below} == below
        reasons |= set(files.values()) | set(below.values())
        fence.close()
    assert reasons >= {"", "denied", "ignored", "excluded", "link"}


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("a/b.py", ""),
        ("a/c.py", "missing"),
        ("a", "missing"),
        ("a/b.py/c.py", "missing"),
        ("x/b.py", "missing"),
        ("", "missing"),
        ("/a/b.py", "missing"),
        ("a//b.py", "missing"),
        ("../a/b.py", "missing"),
        ("a/./b.py", "missing"),
        ("link/b.py", "link"),
        (".git/x", "denied"),
        ("a/.env", "denied"),
        ("node_modules/a.js", "excluded"),
    ],
)
def test_paths_that_the_walk_does_not_reach(tmp_path: Path, path: str, reason: str) -> None:
    write(tmp_path, {"a/b.py": "x", "node_modules/a.js": "x"})
    (tmp_path / "link").symlink_to("a")
    fence = Moody(tmp_path)
    assert Discovery(fence, Selection(100)).reason(path) == reason
    fence.close()


EVERYTHING_BUT: dict[str, str | bytes] = {
    ".gitignore": "*.o\n/*\n!/debian/\n",
    "kernel/a.c": "x",
    "kernel/a.o": "x",
    "README": "x",
}


def test_rules_that_ignore_all_of_an_exported_tree_are_dropped(tmp_path: Path) -> None:
    root = write(tmp_path, EVERYTHING_BUT)
    assert paths_of(root) == [".gitignore", "README", "kernel/a.c"]
    write(root, {"debian/rules": "x"})
    assert paths_of(root) == ["debian/rules"]


def test_in_a_repository_such_rules_hold(tmp_path: Path) -> None:
    root = write(tmp_path, {**EVERYTHING_BUT, ".git/HEAD": "x"})
    assert paths_of(root) == []


def paths_of(root: Path) -> list[str]:
    return [file.path for file in Discovery(Moody(root), Selection(1 << 20)).files(FOREVER)]


def test_a_walk_by_folders_finds_the_same_files_in_a_wide_tree(tmp_path: Path) -> None:
    write(tmp_path, {f"{at % 7}/{at}/{at % 3}/f{at}.py": "x" for at in range(300)})
    write(tmp_path, {"3/.gitignore": "f1*\n", "4/11/pyvenv.cfg": "", "5/.git/config": ""})
    fence = Moody(tmp_path)
    once, again = (Discovery(fence, Selection(1 << 20), long_after) for _ in range(2))
    folders = [
        item for item in once.by_folder(KnownFolders(), FOREVER) if isinstance(item, FolderFiles)
    ]
    for item in folders:
        once.left_out.update(item.left_out)
    assert sorted(file for item in folders for file in item.files or ()) == sorted(
        again.files(FOREVER)
    )
    assert +once.left_out == +again.left_out
    digests = {item.folder: item.digest for item in folders}
    paths = sorted(digests)
    before = KnownFolders(paths, [digests[path] for path in paths])
    passed_over, visited = set(), {}
    for found in Discovery(fence, Selection(1 << 20), long_after).by_folder(before, FOREVER):
        if isinstance(found, FolderFiles):
            visited[found.folder] = found.files
        else:
            passed_over.update(paths[found.first : found.end])
    # a mark is in one of them; the others are above it
    assert visited == {"": None, "4/": None, "4/11/": []}
    assert passed_over == {*paths} - {*visited}


def long_after() -> int:
    """A time at which no file of a test is new."""
    return time.time_ns() + 3_000_000_000


def test_a_folder_whose_rules_are_new_is_visited_again(tmp_path: Path) -> None:
    root = write(
        tmp_path, {"old/.gitignore": "*.o\n", "new/.gitignore": "*.o\n", "plain/a.py": "x"}
    )
    for rules in root.glob("*/.gitignore"):
        os.utime(rules, ns=(0, 0))
    now = (root / "new/.gitignore").stat().st_ctime_ns
    fence = Moody(root)
    just_then, later = (
        {
            item.folder: bool(item.digest)
            for item in Discovery(fence, Selection(1 << 20), clock).by_folder(
                KnownFolders(), FOREVER
            )
            if isinstance(item, FolderFiles)
        }
        for clock in (lambda: now, long_after)
    )
    assert just_then == {"": True, "old/": False, "new/": False, "plain/": True}
    assert all(later.values())
    fence.close()
