"""The memory of a walk: saved atomically, trusted for one index only, and never needed."""

from __future__ import annotations

import hashlib
import os
import struct
from collections import Counter
from pathlib import Path

import msgpack
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from repo_mcp import side_files
from repo_mcp.indexing.keep.changes import align, cacheable_key, compare, remember_folders
from repo_mcp.indexing.walk import memory_file
from repo_mcp.indexing.walk.memory import NOT_COMPARED, CachedStat, FolderDigest, WalkMemory
from repo_mcp.indexing.walk.memory_file import DamagedBlocksError
from repo_mcp.indexing.walk.walk import FolderFiles, WalkedFile
from repo_mcp.safety.sandbox import UNKNOWN_KEY, StatKey
from tests.repo_mcp.indexing.walk.memory_strategies import FILES, FOLDERS, KEY
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, indexed, served, text_of


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(FILES, FOLDERS)
def test_a_saved_memory_is_loaded(
    tmp_path: Path, files: dict[str, CachedStat], folders: dict[str, FolderDigest]
) -> None:
    segments = {"full": (), "old": (3, 70_000)}
    memory = WalkMemory("settings", files)
    memory.generation, memory.segments, memory.unsaved = "7:abc", segments, True
    for folder, digest in folders.items():
        memory.set_compared(folder, digest)
    memory.save(str(tmp_path))
    assert not memory.unsaved
    found = WalkMemory.load(str(tmp_path), "settings")
    assert (found.generation, found.segments, found.unsaved) == ("7:abc", segments, False)
    assert dict(found) == dict(memory) == files
    assert {folder: found.compared(folder) for folder in folders} == folders
    assert is_empty(WalkMemory.load(str(tmp_path), "others"))
    known = memory_file.read_folders(str(tmp_path)).decode("utf-8", "surrogatepass").split("\0")
    assert known == [*sorted({path[: path.rfind("/") + 1] for path in files} | {*folders}), ""]


def test_a_damaged_memory_is_empty_or_refuses_to_be_read(tmp_path: Path) -> None:
    files = {"a": CachedStat(KEY, bytes(16)), "d/b": CachedStat(KEY, bytes(16))}
    memory = WalkMemory("s", files)
    memory.generation = "1:x"
    memory.save(str(tmp_path))
    file = tmp_path / "stat.cache"
    data = file.read_bytes()
    begin = len(data) - 2 * (32 + 16 + 2 + 1)
    for at in range(len(data)):
        file.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        found = WalkMemory.load(str(tmp_path), "s")
        if at < begin:
            assert is_empty(found), at
        else:
            with pytest.raises(DamagedBlocksError):
                dict(found)
        file.write_bytes(data[:at])
        assert is_empty(WalkMemory.load(str(tmp_path), "s")), at
    memory_file.delete(str(tmp_path))
    memory_file.delete(str(tmp_path))
    assert not file.exists()


def is_empty(memory: WalkMemory) -> bool:
    return not memory and not memory.generation and not memory.segments


def row(*, digest: bytes = bytes(16), path: int = 1, files: int = 1, notes: int = 0) -> bytes:
    hashed = hashlib.blake2b(BLOCK, digest_size=16).digest()
    return struct.pack("<16s16s5I", digest, hashed, path, len(BLOCK), files, 0, notes)


BLOCK = bytes(32 + 16 + 2) + b"a"
NOTES: list[object] = [[], []]
RECORD: list[object] = ["s", "1:x", {"seal": b"\3\0\0\0"}, [":"], [NOTES], b"\0", row()]


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (1, 3),
        (2, []),
        (2, {3: b""}),
        (2, {"seal": 3}),
        (2, {"seal": b"123"}),
        (3, [3]),
        (3, ":"),
        (3, ["x"]),
        (3, [":", ":"]),
        (4, []),
        (4, [[[], []], [[["ignored", "two"]], []]]),
        (4, [[[], []], [[["ignored", -1]], []]]),
        (4, [[[], []], [[]]]),
        (4, [[[["ignored", 2]], []]]),
        (4, {}),
        (5, "\0"),
        (5, b""),
        (5, b"a/\0"),
        (5, b"\xff"),
        (6, row(notes=1)),
        (6, row(path=2)),
        (6, row()[:-1]),
        (6, row() + row()),
        (6, 3),
    ],
)
def test_a_forged_head_with_other_values_empties_the_memory(
    tmp_path: Path, at: int, value: object
) -> None:
    for head in (RECORD, [*RECORD[:at], value, *RECORD[at + 1 :]]):
        put(tmp_path, head)
        assert bool(WalkMemory.load(str(tmp_path), "s")) == (head is RECORD)


def test_a_block_with_another_number_of_names_is_damage(tmp_path: Path) -> None:
    put(tmp_path, RECORD)
    assert dict(WalkMemory.load(str(tmp_path), "s")) == {
        "a": CachedStat(StatKey(0, 0, 0, 0), bytes(16))
    }
    put(tmp_path, [*RECORD[:6], row(files=2)])
    with pytest.raises(DamagedBlocksError):
        dict(WalkMemory.load(str(tmp_path), "s"))


def put(folder: Path, record: object) -> None:
    head = memory_file._HEAD.pack(b"rmsc", memory_file._VERSION) + msgpack.packb(record)
    side_files.put_headed(str(folder), "stat.cache", head, [BLOCK])


def test_damaged_blocks_cost_reading_and_no_answer(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.py": "alpha", "d/b.py": "beta"})
    data = tmp_path / "data"
    before = served(root, data).manager
    before.refresh(FOREVER)
    file = data / "stat.cache"
    with file.open("r+b") as blocks:
        blocks.seek(-1, os.SEEK_END)
        blocks.write(b"?")
    write(root, {"d/b.py": "gamma", "d/c.py": "delta"})
    for manager in (before, served(root, data).manager):
        changes = manager.text.changes(FOREVER)
        assert changes is not None
        assert sorted(item.path for item in changes.changed) == ["a.py", "d/b.py", "d/c.py"]
    manager = served(root, data).manager
    done = manager.refresh(FOREVER)
    assert (done.added, done.updated, done.removed) == (1, 1, 0)
    assert indexed(manager) == ["a.py", "d/b.py", "d/c.py"]
    assert manager.text.with_memory(lambda memory: list(memory.refused())) == []


def test_a_folder_that_can_not_be_written_is_no_error(tmp_path: Path) -> None:
    WalkMemory("s").save(str(tmp_path / "missing"))
    assert is_empty(WalkMemory.load(str(tmp_path / "missing"), "s"))


def test_a_file_modified_just_before_it_was_read_is_read_again() -> None:
    second = 1_000_000_000
    now = 100 * second
    old = StatKey(1, 90 * second, 90 * second, 1)
    assert cacheable_key(old, now) == old
    assert cacheable_key(old._replace(mtime_ns=99 * second), now) == UNKNOWN_KEY
    assert cacheable_key(old._replace(ctime_ns=200 * second), now) == UNKNOWN_KEY


def test_files_are_compared_by_every_part_of_their_stat_key() -> None:
    known = {"same": CachedStat(KEY, b"f" * 16), "gone": CachedStat(KEY, b"f" * 16)}
    for name in StatKey._fields:
        known[name] = CachedStat(KEY._replace(**{name: 9}), b"f" * 16)
    known["binary"] = CachedStat(KEY, b"f" * 16, "binary")
    known["shallow"] = CachedStat(KEY, b"f" * 16, "", shallow=True)
    files = [WalkedFile(path, KEY) for path in [*known, "new"] if path != "gone"]
    changes = compare([FolderFiles("", b"d", files, Counter())], WalkMemory("s", known))
    assert [item.path for item in changes.changed] == [*StatKey._fields, "new"]
    assert [item.path for item in changes.shallow] == ["shallow"]
    assert (changes.gone, changes.left_out) == (["gone"], {"binary": 1})


def test_of_a_folder_with_the_known_digest_only_unfinished_files_are_looked_at() -> None:
    known = WalkMemory(
        "s",
        {
            "d/a": CachedStat(KEY, b"f" * 16),
            "d/shallow": CachedStat(KEY, b"f" * 16, "", shallow=True),
            "d/binary": CachedStat(KEY, b"f" * 16, "binary"),
            "gone/a": CachedStat(KEY, b"f" * 16),
        },
    )
    known.set_compared("d/", FolderDigest(b"d", {"ignored": 2}))
    same = [FolderFiles("d/", b"d", None, Counter())]
    assert not compare(same, known, lacking=False).shallow
    changes = compare(same, known)
    assert [item.path for item in changes.shallow] == ["d/shallow"]
    assert changes.left_out == {"binary": 1, "ignored": 2}
    assert ([*changes.changed], changes.gone) == ([], ["gone/a"])


def test_a_folder_is_remembered_once_all_of_its_files_are_known_as_they_were_seen() -> None:
    known = WalkMemory(
        "s", {"d/a": CachedStat(KEY, b"f" * 16), "d/b": CachedStat(UNKNOWN_KEY, b"f" * 16)}
    )
    files = [WalkedFile("d/a", KEY), WalkedFile("d/b", KEY)]
    changes = compare([FolderFiles("d/", b"new", files, Counter(link=1))], known)
    assert remember_folders(changes, known) == 0
    assert known.compared("d/") == NOT_COMPARED
    known["d/b"] = CachedStat(KEY, b"g" * 16)
    assert remember_folders(changes, known) == 1
    assert known.compared("d/") == FolderDigest(b"new", {"link": 1})
    known["d/a"] = CachedStat(KEY, b"h" * 16)
    assert known.compared("d/") == NOT_COMPARED


def test_only_fingerprints_that_index_and_cache_agree_on_are_trusted(tmp_path: Path) -> None:
    root = write(
        tmp_path / "root", {"a.txt": "alpha", "b.txt": "beta", "e.py": "x = 1", "new.md": "# n"}
    )
    manager = served(root, tmp_path / "data").manager
    manager.refresh(FOREVER)
    snapshot = text_of(manager)
    index = {path: found for path, (found, _) in snapshot.fingerprints().items()}
    files = {
        "a.txt": CachedStat(KEY, index["a.txt"]),
        "b.txt": CachedStat(KEY, b"x" * 16),
        "c": CachedStat(KEY, b"3" * 16),
        "d": CachedStat(KEY, b"4" * 16, "binary"),
        "e.py": CachedStat(KEY, index["e.py"], "", shallow=True),
    }
    memory = WalkMemory("s", files)
    align(memory, snapshot)
    assert dict(memory) == {
        "a.txt": files["a.txt"],
        "b.txt": CachedStat(UNKNOWN_KEY, index["b.txt"]),
        "d": files["d"],
        "e.py": CachedStat(KEY, index["e.py"]),
        "new.md": CachedStat(UNKNOWN_KEY, index["new.md"]),
    }


NAMES = ("a.py", "b.txt", "d/a.py", "d/e/a.py", "d/z.py", "e.py")
TREES = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(["x = 1", "y = 2", "\0"]))


@pytest.mark.servers
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(trees=st.lists(TREES, min_size=2, max_size=4), merged=st.booleans())
def test_what_was_aligned_with_a_segment_is_not_looked_at_again(
    tmp_path_factory: pytest.TempPathFactory, trees: list[dict[str, str | bytes]], *, merged: bool
) -> None:
    folder = tmp_path_factory.mktemp("aligned")
    root = write(folder / "root", {".git/HEAD": "x"})
    parts = served(root, folder / "data")
    memory = WalkMemory("s")
    for number, files in enumerate(trees):
        for name in NAMES:
            (root / name).unlink(missing_ok=True)
        write(root, files)
        parts.manager.refresh(FOREVER)
        if merged and number == len(trees) - 1:
            parts.manager.tidy(FOREVER)
        snapshot = text_of(parts.manager)
        whole = WalkMemory("s", dict(memory))
        align(whole, snapshot)
        align(memory, snapshot, memory.segments)
        memory.assign(snapshot)
        assert dict(memory) == dict(whole)
        assert {*whole} == {*indexed(parts.manager)}


@pytest.mark.requirement("INT-09.3-incremental")
@pytest.mark.parametrize("loss", ["cache", "index", "both", "neither"])
def test_losing_the_cache_changes_no_answer(tmp_path: Path, loss: str) -> None:
    root = write(tmp_path / "root", {"a.py": "alpha", "b.py": "beta", "c.bin": b"\0"})
    data = tmp_path / "data"
    served(root, data).manager.refresh(FOREVER)
    if loss in {"cache", "both"}:
        memory_file.delete(str(data))
    if loss in {"index", "both"}:
        for path in (data / "index").iterdir():
            path.unlink()
    write(root, {"a.py": "gamma"})
    manager = served(root, data).manager
    done = manager.refresh(FOREVER)
    assert indexed(manager) == ["a.py", "b.py"]
    assert (done.added, done.updated) == ((2, 0) if loss in {"index", "both"} else (0, 1))
