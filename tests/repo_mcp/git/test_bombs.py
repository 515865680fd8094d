"""Repositories of few bytes that stand for endless paths, or endless bytes."""

from __future__ import annotations

import tracemalloc
import zlib
from pathlib import Path

import pytest

from repo_mcp.errors import Problem
from repo_mcp.git import (
    DAMAGE,
    GitHistory,
    GitObjects,
    GitTree,
    ObjectGap,
    RevisionDoor,
    Staging,
    UnreadObjectError,
    changed_files,
    parse_commit,
    read_commit,
    read_links,
    recent_files,
    with_renames,
)
from repo_mcp.git.work import MOST_PATHS
from tests.repo_mcp.git.crafted import (
    BLOB,
    HASH_DELTA,
    TREE,
    CraftedRepository,
    Packed,
    TreeRow,
    delta,
    repeated,
    tree_bytes,
)

MOST = 16 << 20
SELF, OTHER, THIRD = b"\xaa" * 20, b"\xbb" * 20, b"\xcc" * 20


@pytest.fixture
def made(tmp_path: Path) -> CraftedRepository:
    return CraftedRepository(tmp_path / "root")


def objects_of(made: CraftedRepository, most: int = MOST) -> GitObjects:
    return GitHistory(str(made.root)).open_objects(most, 32 << 20)


def tree_of(made: CraftedRepository, commit: bytes) -> bytes:
    links = read_links(objects_of(made), commit)
    assert links is not None
    return links.tree


def why_unread(objects: GitObjects, identity: bytes, kind: str = "blob") -> str:
    with pytest.raises(UnreadObjectError) as caught:
        objects.data(identity, kind)
    return caught.value.gap.reason


def kind_or_reason(objects: GitObjects, identity: bytes) -> str:
    try:
        return objects.get(identity).kind
    except ValueError as error:
        return str(error)


def endless_folder(made: CraftedRepository) -> TreeRow:
    """A folder that is in itself, twice."""
    rows = [TreeRow(f"d{number}", SELF, "40000") for number in range(2)]
    made.pack(Packed.of(SELF, TREE, tree_bytes([*rows, TreeRow("f", made.code)])))
    return TreeRow("bomb", SELF, "40000")


def bombs(made: CraftedRepository, kind: str) -> TreeRow:
    if kind == "files":
        return made.bomb()
    if kind == "folders":
        return made.bomb(levels=30, wide=3, leaf=TreeRow("f", made.tree([]), "40000"))
    return endless_folder(made)


@pytest.mark.parametrize("kind", ["files", "folders", "endless"])
def test_of_endless_paths_the_first_ones_are_compared(made: CraftedRepository, kind: str) -> None:
    tree = tree_of(made, made.history(bombs(made, kind)))
    gaps: list[ObjectGap] = []
    found = changed_files(objects_of(made), None, tree, gaps.append)
    assert len(found) <= MOST_PATHS
    assert gaps
    with pytest.raises(UnreadObjectError):
        changed_files(objects_of(made), tree, None)
    assert len([*Staging((), {}).changed_since(objects_of(made), tree, gaps.append)]) <= MOST_PATHS
    with pytest.raises(UnreadObjectError):
        list(Staging((), {}).changed_since(objects_of(made), tree))


@pytest.mark.parametrize("kind", ["files", "folders", "endless"])
def test_files_of_a_commit_with_endless_paths_are_not_looked_for(
    made: CraftedRepository, kind: str
) -> None:
    commit = made.history(bombs(made, kind))
    door = RevisionDoor(str(made.root), commit.hex())
    with pytest.raises(Problem, match="far more files"):
        door.survey()
    made.head(commit)
    assert len(recent_files(str(made.root), 1_000_000)) <= MOST_PATHS
    before = GitTree(str(made.root), "0" * 40)
    changed = GitTree(str(made.root), commit.hex()).changed_since(before)
    assert sum(1 for _ in changed) <= MOST_PATHS


def test_many_files_that_are_there_are_no_bomb(made: CraftedRepository) -> None:
    row = TreeRow("f", made.tree(TreeRow(f"{n:04}.py", made.code) for n in range(2000)), "40000")
    commit = made.history(*(row._replace(name=f"f{number}") for number in range(40)))
    RevisionDoor(str(made.root), commit.hex()).survey()


def test_equal_files_that_move_are_paired_in_a_time_that_follows_their_number(
    made: CraftedRepository,
) -> None:
    rows = [TreeRow(f"{number:06}", made.code) for number in range(20_000)]
    old = made.tree([TreeRow("old", made.tree(rows), "40000")])
    renamed = made.tree(row._replace(name=f"n{row.name!s}") for row in rows)
    new = made.tree([TreeRow("new", renamed, "40000")])
    found = with_renames(changed_files(objects_of(made), old, new), lambda _: None)
    assert [item.kind for item in found] == ["R"] * len(rows)
    assert found[0].old.path == "old/000000"


def test_a_folder_of_very_many_entries_is_not_read(made: CraftedRepository) -> None:
    data = tree_bytes(TreeRow(f"{number:08}", made.code) for number in range(150_000))
    made.pack(Packed.of(SELF, TREE, data))
    objects = objects_of(made)
    assert why_unread(objects, SELF, "tree") == "too large"
    made.add("tree", data, OTHER)
    with pytest.raises(UnreadObjectError):
        objects.data(OTHER, "tree")


def test_a_small_delta_of_a_large_object_is_not_applied(made: CraftedRepository) -> None:
    size = 200 << 20
    command = delta(size, 100, b"\x90\x64")
    made.pack(
        Packed(SELF, BLOB, size, repeated(b"a\n", size // 2)),
        Packed.of(OTHER, HASH_DELTA, command, SELF),
    )
    objects = objects_of(made, 256 << 20)
    tracemalloc.start()
    try:
        assert [why_unread(objects, item) for item in (SELF, OTHER)] == ["too large"] * 2
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_a_small_object_is_read_of_one_that_is_larger_than_what_is_read(
    made: CraftedRepository,
) -> None:
    size = 2 << 20
    command = delta(size, 100, b"\x90\x64")
    made.pack(
        Packed.of(SELF, BLOB, b"a\n" * (size // 2)), Packed.of(OTHER, HASH_DELTA, command, SELF)
    )
    objects = objects_of(made, 1 << 20)
    assert why_unread(objects, SELF) == "too large"
    assert objects.data(OTHER, "blob") == b"a\n" * 50


def test_one_question_unpacks_no_endless_bytes_of_few(made: CraftedRepository) -> None:
    size, names = 15 << 20, [bytes([0xAA, number]) + bytes(18) for number in range(40)]
    packed = repeated(b"a\n", size // 2)
    made.pack(*(Packed(name, BLOB, size, packed) for name in names))
    objects = GitHistory(str(made.root)).open_objects(MOST, 0)
    within = (256 << 20) // size
    for name in names[:within]:
        objects.get(name)
    beyond = [name for name in names[within:] if kind_or_reason(objects, name) != "blob"]
    assert len(beyond) > len(names) // 4
    assert kind_or_reason(objects, beyond[-1]) == "packed to so little that it is not unpacked"
    objects.work.begin()
    assert len(objects.data(names[-1], "blob")) == size


@pytest.mark.parametrize("command", [b"\x90\x64", b"\x05", b"\x80", b""])
def test_a_damaged_delta_is_damage(made: CraftedRepository, command: bytes) -> None:
    made.pack(
        Packed.of(SELF, BLOB, b"0123456789"),
        Packed.of(OTHER, HASH_DELTA, delta(10, 100, command), SELF),
    )
    objects = objects_of(made)
    with pytest.raises(DAMAGE):
        objects.get(OTHER)
    assert why_unread(objects, OTHER) == "damaged"


def test_an_index_that_counts_more_hashes_than_it_has_is_damage(made: CraftedRepository) -> None:
    made.pack(Packed.of(SELF, BLOB, b"x"))
    path = next((made.git / "objects" / "pack").glob("*.idx"))
    data = bytearray(path.read_bytes())
    data[8 + 4 * SELF[0] : 8 + 1024] = b"\xff" * (1024 - 4 * SELF[0])
    path.write_bytes(bytes(data))
    with pytest.raises(DAMAGE):
        objects_of(made).get(SELF)


def test_a_damaged_folder_of_a_commit_can_not_be_read(made: CraftedRepository) -> None:
    commit = made.commit(made.add("tree", b"100644 rates.py"), (), "x")
    made.head(commit)
    door = RevisionDoor(str(made.root), commit.hex())
    with pytest.raises(Problem, match="is damaged"):
        door.list_names(())


def test_of_an_endless_message_the_beginning_is_read(made: CraftedRepository) -> None:
    commit = read_commit(objects_of(made), made.history(message="x" * 2_000_000))
    assert commit is not None
    assert commit.message.endswith("more bytes]")
    assert len(commit.message) < 100_000
    assert len(commit.subject) < 1100
    data = b"tree " + b"0" * 40 + b"\nauthor " + b"A" * 100_000 + b" <a@b> 1 +0000\n\nx"
    assert len(parse_commit(b"", data).author.name) < 1000


def test_a_loose_object_that_unpacks_to_more_than_it_says_is_not_read(
    made: CraftedRepository,
) -> None:
    path = made.git / "objects" / "dd" / ("dd" * 19)
    path.parent.mkdir()
    path.write_bytes(zlib.compress(b"blob 3\0" + bytes(100 << 20)))
    assert why_unread(objects_of(made), b"\xdd" * 20) == "damaged"
