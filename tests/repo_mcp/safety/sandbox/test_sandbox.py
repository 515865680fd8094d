"""The sandbox reads only regular files inside the root that are not denied."""

from __future__ import annotations

import errno
import gc
import os
import socket
import weakref
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from repo_mcp.errors import Problem
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Sandbox, openat2, posix
from tests.repo_mcp.fences import BOTH, SECRET, refused, sandbox, write


@pytest.fixture(params=BOTH, ids=["kernel", "walk"])
def fence(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Sandbox]:
    """A sandbox for each way to open files, with files next to it that must not be reached."""
    write(tmp_path, {"outside/file.txt": SECRET, "root/src/a.py": "inside", "root/.env": SECRET})
    found = sandbox(tmp_path / "root", openat2=request.param)
    yield found
    found.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


def test_a_file_inside_is_read(fence: Sandbox, root: Path) -> None:
    assert fence.read("src/a.py")[:2] == ("src/a.py", b"inside")
    assert fence.read(str(root / "src" / "a.py"))[:2] == ("src/a.py", b"inside")


@pytest.mark.requirement("INT-07.1-root")
@pytest.mark.parametrize(
    "path",
    ["../outside/file.txt", "src/../../outside/file.txt", "{outside}/file.txt", "/etc/passwd"],
)
def test_a_path_that_leads_outside_is_blocked(fence: Sandbox, root: Path, path: str) -> None:
    assert refused(fence, path.format(outside=root.parent / "outside")) == "path_outside"


@pytest.mark.requirement("INT-07.1-root")
@pytest.mark.parametrize("target", ["../outside/file.txt", "../../outside/file.txt", "{abs}", "/"])
def test_a_link_that_escapes_is_blocked(fence: Sandbox, root: Path, target: str) -> None:
    (root / "src" / "link").symlink_to(target.format(abs=root.parent / "outside" / "file.txt"))
    (root / "link").symlink_to(target.format(abs=root.parent / "outside" / "file.txt"))
    assert refused(fence, "link") == "path_outside"
    assert refused(fence, "src/link") in {"path_outside", "not_found"}


@pytest.mark.requirement("INT-07.1-root")
def test_a_folder_link_that_escapes_is_blocked(fence: Sandbox, root: Path) -> None:
    (root / "dir").symlink_to("../outside", target_is_directory=True)
    (root / "chain").symlink_to("dir", target_is_directory=True)
    assert refused(fence, "dir/file.txt") == "path_outside"
    assert refused(fence, "chain/file.txt") == "path_outside"


def test_whether_a_file_exists_outside_is_not_revealed(fence: Sandbox, root: Path) -> None:
    (root / "there").symlink_to("../outside/file.txt")
    (root / "missing").symlink_to("../outside/nothing")
    assert refused(fence, "there") == refused(fence, "missing") == "path_outside"
    assert refused(fence, "../outside/file.txt") == refused(fence, "../outside/nothing")


def test_a_link_inside_is_followed(fence: Sandbox, root: Path) -> None:
    (root / "link.py").symlink_to("src/a.py")
    (root / "src" / "up").symlink_to("../src", target_is_directory=True)
    assert fence.read("link.py").data == b"inside"
    assert fence.read("src/up/a.py").data == b"inside"


def test_a_link_is_not_followed_without_follow(fence: Sandbox, root: Path) -> None:
    (root / "link.py").symlink_to("src/a.py")
    with pytest.raises(Problem) as caught:
        fence.read("link.py", follow=False)
    assert caught.value.code == "not_a_file"


def test_a_denied_file_is_blocked_whether_or_not_it_exists(fence: Sandbox) -> None:
    assert refused(fence, ".env") == refused(fence, "src/.env") == "path_denied"


def test_a_link_to_a_denied_file_is_blocked_whether_or_not_it_exists(
    fence: Sandbox, root: Path
) -> None:
    (root / "notes.md").symlink_to(".env")
    (root / "later.md").symlink_to("src/.env")
    (root / "git").symlink_to(".git", target_is_directory=True)
    assert refused(fence, "notes.md") == refused(fence, "later.md") == "path_denied"
    assert refused(fence, "git/config") == "path_denied"


def test_links_in_a_circle_end(fence: Sandbox, root: Path) -> None:
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    assert refused(fence, "a") == "path_invalid"


def test_a_hard_link_is_blocked_unless_allowed(fence: Sandbox, root: Path) -> None:
    os.link(root.parent / "outside" / "file.txt", root / "copy.txt")
    assert refused(fence, "copy.txt") == "path_hard_link"
    allowing = Sandbox(str(root), Denylist(), max_file_bytes=100, allow_hardlinks=True)
    assert allowing.read("copy.txt").data == SECRET.encode()
    allowing.close()


@pytest.mark.parametrize("kind", ["folder", "pipe", "socket"])
def test_folders_pipes_and_devices_are_not_opened_and_do_not_hang(
    fence: Sandbox, root: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "folder":
        (root / "thing").mkdir()
    elif kind == "pipe":
        os.mkfifo(root / "thing")
    else:
        monkeypatch.chdir(root)  # the name of a socket is short
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("thing")
    assert refused(fence, "thing") == "not_a_file"


def test_a_file_over_the_limit_is_blocked(root: Path, fence: Sandbox) -> None:
    write(root, {"ten.txt": b"x" * 10, "eleven.txt": b"x" * 11})
    small = sandbox(root, most=10)
    assert small.read("ten.txt").data == b"x" * 10
    assert refused(small, "eleven.txt") == "file_too_large"
    small.close()
    assert fence.read("eleven.txt").data == b"x" * 11


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc")
def test_a_file_with_a_wrong_size_is_read_up_to_the_limit() -> None:
    fence = sandbox(Path("/proc/self"), most=10)
    assert fence.file_key("status").size == 0
    with pytest.raises(Problem) as caught:
        fence.read("status")
    assert caught.value.code == "file_too_large"
    fence.close()


def test_the_data_folder_is_never_shown(root: Path, fence: Sandbox) -> None:
    write(root, {"data/index.txt": "x"})
    (root / "alias").symlink_to("data", target_is_directory=True)
    own = Sandbox(str(root), Denylist(), max_file_bytes=100, data_dir=str(root / "data"))
    assert refused(own, "data/index.txt") == refused(own, "alias/index.txt") == "path_data"
    own.close()
    assert fence.read("data/index.txt").data == b"x"


@pytest.mark.skipif(not openat2.is_available(), reason="no openat2")
@pytest.mark.parametrize(
    ("path", "number"),
    [
        ("up/file.txt", errno.ELOOP),
        ("absolute", errno.ELOOP),
        ("../outside/file.txt", errno.EXDEV),
        ("/etc/passwd", errno.EXDEV),
    ],
)
def test_the_kernel_itself_refuses_to_leave(root: Path, path: str, number: int) -> None:
    root.mkdir()
    folder = os.open(root, os.O_RDONLY)
    (root / "up").symlink_to("../outside", target_is_directory=True)
    (root / "absolute").symlink_to(root.parent / "outside" / "file.txt")
    with pytest.raises(OSError) as caught:  # noqa: PT011 the number is looked at
        openat2.open_beneath(folder, path, os.O_RDONLY)
    os.close(folder)
    assert caught.value.errno == number


def test_a_missing_file_is_missing(fence: Sandbox) -> None:
    assert refused(fence, "src/b.py") == refused(fence, "src/a.py/b") == "not_found"


def test_a_root_that_is_replaced_stays_the_one_that_was_opened(fence: Sandbox, root: Path) -> None:
    root.rename(root.parent / "moved")
    root.symlink_to("outside", target_is_directory=True)
    assert fence.read("src/a.py").data == b"inside"
    assert refused(fence, "file.txt") == "not_found"


def test_a_folder_is_listed_in_byte_order(fence: Sandbox, root: Path) -> None:
    write(root, {"src/ä.py": "", "src/Z.py": "", "src/sub/x": ""})
    (root / "src" / "link").symlink_to("a.py")
    listed = fence.list_folder("src").entries
    assert [(entry.name, entry.kind) for entry in listed] == [
        ("Z.py", "file"),
        ("a.py", "file"),
        ("link", "link"),
        ("sub", "folder"),
        ("ä.py", "file"),
    ]


def test_many_folders_are_listed_as_each_one_alone(fence: Sandbox, root: Path) -> None:
    write(root, {"src/sub/x.py": "x", "ä/y.py": "", "src/.ssh/key": SECRET, "a.txt": ""})
    (root / "dir").symlink_to("src", target_is_directory=True)
    (root / "outer").symlink_to("../outside", target_is_directory=True)
    paths = ["src", "src/sub", "ä", "dir", "outer", "a.txt", "gone", "src/.ssh", "src/..", "src//a"]

    def alone(path: str) -> object:
        try:
            return fence.list_folder(path).columns
        except Problem as problem:
            return problem.code

    found = fence.list_folders(paths)
    together = [item.code if isinstance(item, Problem) else item.columns for item in found]
    assert together == list(map(alone, paths))
    assert [isinstance(item, str) for item in together] == [False] * 3 + [True] * 7
    assert fence.list_folders([]) == []


def test_a_folder_listed_by_names_has_the_same_entries(fence: Sandbox, root: Path) -> None:
    write(root, {"many/x.py": "x", "many/ä/y.py": "", "many/.gitignore": "", "many/a/b": ""})
    (root / "many" / "link").symlink_to("x.py")
    os.mkfifo(root / "many" / "pipe")
    (root / "empty").mkdir()
    with suppress(OSError):  # a file system may refuse such a name
        Path(os.fsdecode(os.fsencode(root) + b"/many/\xff")).write_text("")
    for path in ("", "many", "empty"):
        by_names, whole = fence.list_names(path), fence.list_folder(path)
        assert [entry[:2] for entry in by_names.entries] == [entry[:2] for entry in whole.entries]
        assert by_names.folders() == whole.folders()
        assert by_names.unreadable_names == whole.unreadable_names
        assert by_names.device == whole.device
    with pytest.raises(Problem):
        fence.list_names("many/link")


def test_folders_are_compared_by_hashes_as_each_one_is_listed(
    fence: Sandbox, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {f"{'n' * size}{at}" for size in (1, 3, 9, 40) for at in range(5)}
    write(root, {"src/sub/x.py": "x", "ä/y.py": "", **{f"many/{name}": name for name in names}})
    (root / "empty").mkdir()
    (root / "dir").symlink_to("src", target_is_directory=True)
    paths = ["src", "src/sub", "ä", "many", "empty", "dir", "gone", "src", "many"]
    hashes = [fence.list_folder(path).hash for path in paths[:5]]
    hashes += [hashes[0], hashes[0], hashes[1], bytes(8)]
    device = fence.list_folder("").device
    expected = bytes([1, 1, 1, 1, 1, 0, 0, 0, 0])

    def compare(device: int) -> bytes:
        return fence.same_folders(paths, b"".join(hashes), device)

    assert compare(device) == expected
    assert compare(device + 1) == bytes(len(paths))
    (root / "many" / "nnn1").write_text("other")
    assert compare(device) == bytes([1, 1, 1, 0, 1, 0, 0, 0, 0])
    monkeypatch.setattr(posix, "_native", lambda: None)
    assert compare(device) == bytes([1, 1, 1, 0, 1, 0, 0, 0, 0])
    assert compare(device + 1) == bytes(len(paths))


@pytest.mark.parametrize("path", ["", "src/..", "src//sub", "./src", "src/", "a\0b"])
def test_only_paths_of_names_are_compared(fence: Sandbox, path: str) -> None:
    with pytest.raises(Problem) as caught:
        fence.same_folders(["src", path], bytes(16), 0)
    assert caught.value.code == "path_outside"


def test_a_folder_behind_a_link_is_not_listed(fence: Sandbox, root: Path) -> None:
    (root / "dir").symlink_to("src", target_is_directory=True)
    with pytest.raises(Problem) as caught:
        fence.list_folder("dir")
    assert caught.value.code in {"not_a_file", "not_found"}


def test_of_denied_files_only_gits_exclude_file_is_read(fence: Sandbox, root: Path) -> None:
    write(root, {".git/info/exclude": "*.log", ".git/config": SECRET, ".gitignore": "*.o"})
    (root / "linked").symlink_to(".gitignore")
    found = [
        fence.read_rules(p) for p in (".git/info/exclude", ".gitignore", ".git/config", "linked")
    ]
    assert found == [b"*.log", b"*.o", b"", b""]


def test_no_descriptor_is_left_open(fence: Sandbox, root: Path) -> None:
    (root / "out").symlink_to("../outside/file.txt")
    before = _open_below(root.parent)
    for path in ["src/a.py", "out", ".env", "src", "nothing", "src/../x"]:
        for _ in range(20):
            try:
                fence.read(path)
            except Problem:
                continue
    assert _open_below(root.parent) == before


def _open_below(folder: Path) -> list[str]:
    """Return what this process has open below a folder: other tests' threads open files too."""
    opened = []
    for link in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            opened.append(str(link.readlink()))
    return sorted(path for path in opened if path.startswith(f"{folder}/"))


def test_a_refusal_leaves_no_frame_behind(tmp_path: Path) -> None:
    """A frame that is part of a cycle holds all above it, and with them what a call works with."""
    sandbox = Sandbox(str(tmp_path), Denylist(), max_file_bytes=100)

    def ask() -> weakref.ref[Sandbox]:
        held = Sandbox(str(tmp_path), Denylist(), max_file_bytes=100)
        with suppress(Problem):
            sandbox.read(".env")
        assert sandbox.read_rules(".env") == b""
        return weakref.ref(held)

    gc.disable()
    try:
        assert ask()() is None
    finally:
        gc.enable()
