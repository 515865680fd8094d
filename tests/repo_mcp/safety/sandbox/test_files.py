"""Checks on the open file: kind, size, hard links, and whether it changes meanwhile."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from repo_mcp.errors import Problem
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import FolderEntry, Sandbox, StatKey
from tests.repo_mcp.fences import BOTH, SECRET, refused, sandbox, write


@pytest.fixture(params=BOTH, ids=["kernel", "walk"])
def fence(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Sandbox]:
    write(tmp_path, {"outside": SECRET, "root/src/a.py": "inside", "root/.env": SECRET})
    found = sandbox(tmp_path / "root", most=1000, openat2=request.param)
    yield found
    found.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


def key(path: Path) -> StatKey:
    found = path.stat()
    return StatKey(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def pass_a_tick(probe: Path, since: int) -> None:
    """Wait until the file system's clock, which may be coarse, has moved."""
    for count in range(1_000_000):
        probe.write_bytes(b"%d" % count)
        if probe.stat().st_ctime_ns > since:
            return


def between(monkeypatch: pytest.MonkeyPatch, fence: Sandbox, change: Callable[[int], None]) -> None:
    """Call `change` after each read of a file's bytes."""
    read, count = fence._door.read, iter(range(100))

    def reading(handle: int, most: int) -> bytes:
        data = read(handle, most)
        change(next(count))
        return data

    monkeypatch.setattr(fence._door, "read", reading)


def once_opened(
    monkeypatch: pytest.MonkeyPatch, fence: Sandbox, change: Callable[[], None]
) -> None:
    """Call the change between each open and the first check of the open file."""
    opened = fence._door.open

    def opening(*names: object, **options: object) -> int:
        handle = opened(*names, **options)  # type: ignore[arg-type]
        change()
        return handle

    monkeypatch.setattr(fence._door, "open", opening)


def move(path: Path, to: Path) -> None:
    path.replace(to)


def rewrite(path: Path, size: int) -> None:
    path.write_bytes(b"x" * size)


def test_listing_reading_and_file_key_give_the_same_key(fence: Sandbox, root: Path) -> None:
    listed = fence.list_folder("src").entries
    assert listed == [FolderEntry("a.py", "file", key(root / "src" / "a.py"))]
    assert fence.file_key("src/a.py") == fence.read("src/a.py").key == listed[0].key


@pytest.mark.parametrize("change", ["contents", "contents and times", "times", "names", "another"])
def test_the_key_differs_after_any_change(fence: Sandbox, root: Path, change: str) -> None:
    path = root / "src" / "a.py"
    os.utime(path, ns=(10**18, 10**18))
    before, times = fence.file_key("src/a.py"), (10**18, 10**18)
    pass_a_tick(root / "clock", before.ctime_ns)
    if change.startswith("contents"):
        path.write_bytes(b"INSIDE")
    if change == "contents and times":
        os.utime(path, ns=times)
    if change == "times":
        os.utime(path, ns=(0, 0))
    if change == "names":
        path.rename(root / "b.py")
        (root / "b.py").rename(path)
    if change == "another":
        (root / "b.py").write_bytes(b"INSIDE")
        os.utime(root / "b.py", ns=times)
        (root / "b.py").replace(path)
    assert fence.file_key("src/a.py") != before


def test_only_files_have_a_key(fence: Sandbox, root: Path) -> None:
    (root / "link").symlink_to("src/a.py")
    os.mkfifo(root / "pipe")
    kinds = {
        entry.name: (entry.kind, entry.key is not None) for entry in fence.list_folder("").entries
    }
    assert kinds == {
        ".env": ("file", True),
        "link": ("link", False),
        "pipe": ("other", False),
        "src": ("folder", False),
    }


def test_names_that_are_not_unicode_are_counted(fence: Sandbox, root: Path) -> None:
    (root / "src" / os.fsdecode(b"\xff.py")).write_bytes(b"")
    found = fence.list_folder("src")
    assert [entry.name for entry in found.entries] == ["a.py"]
    assert found.unreadable_names == 1
    assert found.device == root.stat().st_dev


def test_a_file_that_grew_while_it_was_read_is_read_again(
    fence: Sandbox, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / "src" / "a.py"

    def grow(count: int) -> None:
        if count == 0:
            path.write_bytes(b"longer than before")

    between(monkeypatch, fence, grow)
    found = fence.read("src/a.py")
    assert found.data == b"longer than before"
    assert found.key == key(path)


def test_a_file_that_keeps_changing_is_refused(
    fence: Sandbox, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / "src" / "a.py"
    between(monkeypatch, fence, lambda count: rewrite(path, count + 1))
    with pytest.raises(Problem) as caught:
        fence.read("src/a.py")
    assert (caught.value.code, caught.value.blocked) == ("file_changing", False)
    assert path.read_bytes() == b"xxx"


@pytest.mark.requirement("INT-07.2-blocked-shape")
def test_a_file_that_grows_beyond_the_limit_while_it_is_read_is_blocked(
    fence: Sandbox, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    between(monkeypatch, fence, lambda _: rewrite(root / "src" / "a.py", 1001))
    with pytest.raises(Problem) as caught:
        fence.read("src/a.py")
    assert (caught.value.code, caught.value.blocked) == ("file_too_large", True)


def test_a_file_that_gets_a_second_name_while_it_is_read_is_blocked(
    fence: Sandbox, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    between(monkeypatch, fence, lambda _: os.link(root / "src" / "a.py", root / "b.py"))
    with pytest.raises(Problem) as caught:
        fence.read("src/a.py")
    assert caught.value.code == "path_hard_link"


@pytest.mark.requirement("INT-07.2-blocked-shape", "INT-07.4-redaction")
@pytest.mark.parametrize(("size", "allowed"), [(999, True), (1000, True), (1001, False)])
def test_the_size_limit_is_exact_and_never_cuts(
    fence: Sandbox, root: Path, size: int, *, allowed: bool
) -> None:
    write(root, {"x": b"x" * size})
    if allowed:
        assert fence.read("x").data == b"x" * size
    else:
        assert refused(fence, "x") == "file_too_large"


def test_a_sparse_file_counts_with_its_size_not_its_blocks(fence: Sandbox, root: Path) -> None:
    with (root / "sparse").open("wb") as made:
        made.truncate(1 << 40)
    assert refused(fence, "sparse") == "file_too_large"


def test_folders_and_pipes_are_refused_without_blocking(
    fence: Sandbox, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)  # the name of a socket is short
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket")
    (root / "link").symlink_to("pipe")
    assert {refused(fence, name) for name in ("pipe", "socket", "link", "src")} == {"not_a_file"}
    assert refused(fence, "pipe/x") == "not_found"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no devices")
@pytest.mark.parametrize("name", ["zero", "null", "urandom", "tty", "stdin", "fd/0"])
def test_a_device_is_never_read(name: str) -> None:
    for way in (None, False):
        fence = sandbox(Path("/dev"), openat2=way)
        assert refused(fence, name) in {"not_a_file", "path_outside", "not_found", "unreadable"}
        fence.close()


def test_a_file_is_not_a_folder(fence: Sandbox) -> None:
    assert fence.read("src/a.py/").path == "src/a.py"
    assert refused(fence, "src/a.py/x") == "not_found"
    with pytest.raises(Problem):
        fence.list_folder("src/a.py")


@pytest.mark.requirement("INT-07.2-blocked-shape")
@pytest.mark.parametrize("alias_of", ["outside", "root/.env", "root/src/a.py"])
def test_a_file_with_a_second_name_is_blocked(
    fence: Sandbox, root: Path, tmp_path: Path, alias_of: str
) -> None:
    os.link(tmp_path / alias_of, root / "alias.txt")
    (root / "link").symlink_to("alias.txt")
    assert refused(fence, "alias.txt") == refused(fence, "link") == "path_hard_link"


@pytest.mark.requirement("INT-07.1-root")
@pytest.mark.parametrize("alias_of", ["outside", "root/.env"])
def test_a_hard_link_removed_before_the_check_gives_no_access(
    fence: Sandbox, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alias_of: str
) -> None:
    """The file then has one name, like any other, but not the one that was opened."""
    alias = root / "alias.txt"
    os.link(tmp_path / alias_of, alias)
    once_opened(monkeypatch, fence, lambda: alias.unlink(missing_ok=True))
    for ask in (fence.read, fence.file_key):
        with pytest.raises(Problem) as caught:
            ask("alias.txt")
        assert caught.value.code == "not_found"
        os.link(tmp_path / alias_of, alias)


@pytest.mark.requirement("INT-07.1-root")
@pytest.mark.parametrize(
    ("to", "code"), [("moved", "path_outside"), ("root/.env", "path_denied"), ("root/b.py", "")]
)
def test_a_moved_file_is_checked_at_its_new_path(
    fence: Sandbox, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, to: str, code: str
) -> None:
    path = root / "src" / "a.py"
    once_opened(monkeypatch, fence, lambda: move(path, tmp_path / to))
    if code:
        with pytest.raises(Problem) as caught:
            fence.read("src/a.py")
        assert caught.value.code == code
    else:
        assert fence.read("src/a.py").data == b"inside"


def test_a_file_that_is_replaced_while_it_is_opened_is_read_anew(
    fence: Sandbox, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Editors save like this: another file gets the name."""
    write(root, {"new": "saved"})

    def save() -> None:
        if (root / "new").exists():
            (root / "new").replace(root / "src" / "a.py")

    once_opened(monkeypatch, fence, save)
    assert fence.read("src/a.py").data == b"saved"


def test_a_file_that_is_replaced_again_and_again_is_refused(
    fence: Sandbox, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def save() -> None:
        write(root, {"new": "saved"})
        (root / "new").replace(root / "src" / "a.py")

    once_opened(monkeypatch, fence, save)
    for ask in (fence.read, fence.file_key):
        with pytest.raises(Problem) as caught:
            ask("src/a.py")
        assert caught.value.code == "file_changing"


def test_an_open_file_without_a_path_is_opened_again(
    fence: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(_: int) -> str:
        raise FileNotFoundError

    monkeypatch.setattr("repo_mcp.safety.sandbox.posix._path_of", gone)
    assert refused(fence, "src/a.py") == "file_changing"
    monkeypatch.setattr("repo_mcp.safety.sandbox.posix._path_of", lambda _: None)
    assert fence.read("src/a.py").data == b"inside"


@pytest.mark.parametrize("name", ["x (deleted)", "(deleted)", "x (deleted) (deleted)"])
def test_a_name_ending_in_deleted_is_an_ordinary_name(
    fence: Sandbox, root: Path, name: str
) -> None:
    write(root, {name: "here", f"src/{name}": "here"})
    assert fence.read(name).data == fence.read(f"src/{name}").data == b"here"


def test_rules_are_not_read_through_a_second_name_unless_that_is_allowed(
    fence: Sandbox, root: Path, tmp_path: Path
) -> None:
    os.link(tmp_path / "outside", root / ".gitignore")
    assert fence.read_rules(".gitignore") == b""
    allowing = Sandbox(str(root), Denylist(), max_file_bytes=100, allow_hardlinks=True)
    assert allowing.read_rules(".gitignore") == SECRET.encode()
    allowing.close()


def test_rules_that_are_no_file_are_empty(fence: Sandbox, root: Path) -> None:
    os.mkfifo(root / ".gitignore")
    assert (
        fence.read_rules(".gitignore")
        == fence.read_rules("src")
        == fence.read_rules("nothing")
        == b""
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_permission_is_unreadable(fence: Sandbox, root: Path) -> None:
    (root / "src" / "a.py").chmod(0)
    assert refused(fence, "src/a.py") == "unreadable"


def test_reading_changes_nothing(fence: Sandbox, root: Path) -> None:
    before = sorted((str(path), os.lstat(path)[:6], key(path)) for path in root.rglob("*"))
    fence.read("src/a.py")
    fence.file_key("src/a.py")
    fence.list_folder("src")
    fence.read_rules("src/a.py")
    for path in (".env", "../outside", "nothing/new", "src"):
        refused(fence, path)
    after = sorted((str(path), os.lstat(path)[:6], key(path)) for path in root.rglob("*"))
    assert after == before
