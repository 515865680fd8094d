"""A `.git` that lies: about where it is, what it belongs to, and how large it is."""

from __future__ import annotations

import os
import struct
import tracemalloc
import zlib
from pathlib import Path

import pytest

from repo_mcp.git import DAMAGE, GitHistory, GitObjects, GitTree
from tests.repo_mcp.tree_files import write

FIRST, SECOND, SECRET = "1" * 40, "2" * 40, "5" * 40
HUGE = 1 << 30

needs_links = pytest.mark.skipif(os.name == "nt", reason="links need rights there")
needs_fifos = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no such pipes")


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A repository of the same user, with a second worktree beside it."""
    place = tmp_path / "victim"
    write(
        place,
        {
            "main/.git/HEAD": "ref: refs/heads/main",
            "main/.git/refs/heads/main": SECRET,
            "main/.git/worktrees/two/HEAD": SECRET,
            "main/.git/worktrees/two/commondir": "../..",
            "main/.git/worktrees/two/gitdir": "../../../../two/.git",
            "two/.git": "gitdir: ../main/.git/worktrees/two",
        },
    )
    assert list(GitHistory(str(place / "main")).worktrees()) == [str(place / "two")]
    return place


def check_nothing_of_others(root: Path) -> None:
    history = GitHistory(str(root))
    assert history.head() != SECRET
    assert SECRET not in list(history.ancestors())
    assert list(history.worktrees()) == []


@pytest.mark.parametrize("target", ["main/.git", "main/.git/worktrees/two"])
def test_a_folder_that_does_not_name_the_checkout_is_not_its_own(
    tmp_path: Path, victim: Path, target: str
) -> None:
    root = write(tmp_path / "root", {".git": f"gitdir: {victim / target}\n"})
    check_nothing_of_others(root)
    assert GitHistory(str(root)).common == ""
    assert not GitTree(str(root), SECRET).is_known


def test_a_folder_in_common_has_the_checkout_among_its_worktrees(
    tmp_path: Path, victim: Path
) -> None:
    files: dict[str, str | bytes] = {
        ".git/HEAD": "ref: refs/heads/main",
        ".git/commondir": str(victim / "main" / ".git"),
        ".git/gitdir": str(tmp_path / "root" / ".git"),
    }
    check_nothing_of_others(write(tmp_path / "root", files))


@needs_links
@pytest.mark.parametrize(
    ("link", "target"),
    [
        (".git", "main/.git"),
        (".git", "two/.git"),
        (".git/refs", "main/.git/refs"),
        (".git/refs/heads", "main/.git/refs/heads"),
        (".git/refs/heads/main", "main/.git/refs/heads/main"),
        (".git/HEAD", "main/.git/HEAD"),
        (".git/commondir", "main/.git/worktrees/two/commondir"),
        (".git/worktrees", "main/.git/worktrees"),
        (".git/packed-refs", "main/.git/refs/heads/main"),
    ],
)
def test_a_link_leads_to_no_other_repository(
    tmp_path: Path, victim: Path, link: str, target: str
) -> None:
    root = tmp_path / "root"
    if link != ".git":
        write(root, {".git/HEAD": "ref: refs/heads/main", ".git/objects/x": ""})
    path = root / link
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(victim / target)
    check_nothing_of_others(root)


@needs_links
def test_a_link_inside_of_the_checkout_names_no_other_repository(
    tmp_path: Path, victim: Path
) -> None:
    root = write(tmp_path / "root", {".git": "gitdir: sub/.git\n"})
    (root / "sub").symlink_to(victim / "main")
    check_nothing_of_others(root)


def test_the_folder_of_a_submodule_names_it_by_its_configuration(tmp_path: Path) -> None:
    config = (
        '[core]\n\trepositoryformatversion = 0\n\tworktree = ../../../parts/one\n[remote "o"]\n'
    )
    place = write(
        tmp_path,
        {
            "parts/one/.git": "gitdir: ../../.git/modules/one\n",
            "parts/two/.git": "gitdir: ../../.git/modules/one\n",
            ".git/modules/one/HEAD": FIRST,
            ".git/modules/one/config": config,
        },
    )
    assert GitHistory(str(place / "parts" / "one")).head() == FIRST
    assert GitHistory(str(place / "parts" / "two")).head() == ""


@pytest.mark.parametrize(
    "files",
    [
        {".git": b"gitdir: a\0b"},
        {".git/HEAD": FIRST, ".git/commondir": b"a\0b"},
        {".git/HEAD": FIRST, ".git/worktrees/x/gitdir": b"/a\0b/.git"},
        {".git/HEAD": FIRST, ".git/objects/info/alternates": b"a\0b\n"},
        {".git": b"gitdir: \xff\n"},
        {".git": "gitdir: " + "a/" * 2000},
        {".git": "gitdir: a\nb\n", "a\nb/HEAD": SECOND},
        {".git": "gitdir: .git\n"},
        {".git": "gitdir: /dev/fd/0\n"},
        {".git/HEAD": FIRST, ".git/commondir": "."},
        {".git/HEAD": FIRST, ".git/commondir": "../" * 50},
        {
            ".git/HEAD": FIRST,
            ".git/commondir": "worktrees/a",
            ".git/worktrees/a/commondir": "../..",
        },
        {".git/HEAD": FIRST, ".git/objects/info/alternates": ".\n../objects\n" * 300},
        {".git/HEAD": FIRST, ".git/objects/info/alternates": "/\n/dev\n/proc/self/fd\n"},
    ],
)
def test_names_of_any_kind_end_nothing(tmp_path: Path, files: dict[str, str | bytes]) -> None:
    root = write(tmp_path / "root", files)
    history = GitHistory(str(root))
    assert history.head() in {"", FIRST, SECOND}
    assert history.common in {
        "",
        str(root / ".git"),
        str(root / "a\nb"),
    } or history.common.startswith(str(root))
    assert list(history.ancestors()) == list(history.worktrees()) == []
    assert not history.has(FIRST)
    assert history.relatives([FIRST, SECOND]) in ([], [FIRST], [SECOND])
    assert not GitTree(str(root), FIRST).is_known


@needs_fifos
@pytest.mark.parametrize(
    "name",
    [
        ".git",
        ".git/HEAD",
        ".git/commondir",
        ".git/refs/heads/main",
        ".git/packed-refs",
        ".git/worktrees/x/gitdir",
        ".git/objects/info/alternates",
        ".git/objects/pack/p.idx",
        f".git/objects/11/{FIRST[2:]}",
    ],
)
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path, name: str) -> None:
    root = tmp_path / "root"
    if name != ".git":
        write(root, {".git/HEAD": "ref: refs/heads/main", ".git/x": ""})
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).unlink(missing_ok=True)
    os.mkfifo(root / name)
    history = GitHistory(str(root))
    assert history.head() == ""
    assert not history.has(FIRST)
    assert list(history.worktrees()) == []


@pytest.mark.parametrize(
    "name", ["HEAD", "commondir", "config", "packed-refs", "worktrees/x/gitdir", "refs/heads/main"]
)
def test_a_huge_file_is_not_read(tmp_path: Path, name: str) -> None:
    root = write(tmp_path / "root", {".git/HEAD": "ref: refs/heads/main", f".git/{name}": ""})
    with (root / ".git" / name).open("wb") as file:
        file.truncate(HUGE)
    tracemalloc.start()
    try:
        history = GitHistory(str(root))
        assert history.head() == ""
        assert list(history.worktrees()) == []
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_commit_that_unpacks_to_much_takes_little_room(tmp_path: Path) -> None:
    packer = zlib.compressobj(9)
    bomb = packer.compress(b"commit 99\0") + b"".join(
        packer.compress(bytes(1 << 20)) for _ in range(64)
    )
    packed = f".git/objects/11/{FIRST[2:]}"
    files: dict[str, str | bytes] = {".git/HEAD": FIRST, packed: bomb + packer.flush()}
    root = write(tmp_path / "root", files)
    tracemalloc.start()
    try:
        assert list(GitHistory(str(root)).ancestors()) == []
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def packed(entries: dict[str, bytes]) -> dict[str, str | bytes]:
    """A pack of these entries by their hashes, and its index."""
    pack, offsets = b"PACK" + bytes(8), {}
    for identity, entry in entries.items():
        offsets[identity] = len(pack)
        pack += entry
    order = sorted(offsets)
    counts = [sum(int(item[:2], 16) <= first for item in order) for first in range(256)]
    index = [b"\xfftOc\x00\x00\x00\x02", struct.pack(">256I", *counts)]
    index += [bytes.fromhex(item) for item in order]
    index += [bytes(4 * len(order)), *(struct.pack(">I", offsets[item]) for item in order)]
    return {"pack/p.pack": pack, "pack/p.idx": b"".join(index)}


def number(value: int) -> bytes:
    """A number of seven bits a byte, the lowest first."""
    made = bytearray()
    while value >= 0x80:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*made, value])


def entry(kind: int, content: bytes, before: bytes = b"") -> bytes:
    """An entry of a pack: its type, the size of its content, what names a base, and zlib."""
    size = len(content)
    head = number(size >> 4) if size >> 4 else b""
    first = kind << 4 | size & 0xF | (0x80 if head else 0)
    return bytes([first]) + head + before + zlib.compress(content)


def delta(base: str, commands: bytes, sizes: tuple[int, int] = (5, 5)) -> bytes:
    """An entry that is made of a base, by its hash."""
    return entry(7, number(sizes[0]) + number(sizes[1]) + commands, bytes.fromhex(base))


def test_deltas_of_each_other_are_damage(tmp_path: Path) -> None:
    entries = {FIRST: delta(SECOND, b"\x01a"), SECOND: delta(FIRST, b"\x01b")}
    root = write(tmp_path / "objects", packed(entries))
    with pytest.raises(DAMAGE):
        GitObjects(str(root), 1 << 20).read(FIRST)


@pytest.mark.parametrize("size", [1 << 10, 1 << 20, 1 << 28, 1 << 62])
def test_a_delta_that_copies_its_base_again_and_again_takes_little_room(
    tmp_path: Path, size: int
) -> None:
    # each command of one byte copies 64 kB from the beginning
    copies = delta(FIRST, b"\x80" * 4096, (1 << 16, size))
    entries = {FIRST: entry(3, bytes(1 << 16)), SECOND: copies}
    root = write(tmp_path / "objects", packed(entries))
    objects = GitObjects(str(root), 1 << 20)
    assert len(objects.read(FIRST).data) == 1 << 16
    tracemalloc.start()
    try:
        with pytest.raises(DAMAGE):
            objects.read(SECOND)
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("size", [0, 5, 1 << 16, 1 << 32, 1 << 60])
def test_an_entry_that_says_another_size_is_damage(tmp_path: Path, size: int) -> None:
    head = bytes([3 << 4 | size & 0xF | 0x80]) + number(size >> 4)
    root = write(tmp_path / "objects", packed({FIRST: head + zlib.compress(bytes(1000))}))
    tracemalloc.start()
    try:
        with pytest.raises(DAMAGE):
            GitObjects(str(root), 1 << 40).read(FIRST)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
