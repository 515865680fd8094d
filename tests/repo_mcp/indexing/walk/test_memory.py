"""States of files are a mapping, packed or not, and forget digests of changed folders."""

from __future__ import annotations

import tempfile
from collections import Counter

from hypothesis import given, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from repo_mcp.indexing.walk.memory import NOT_COMPARED, CachedStat, FolderDigest, WalkMemory
from repo_mcp.safety.sandbox import Folder, FolderEntry, StatKey, pack_key, unpack_keys
from tests.repo_mcp.indexing.walk.memory_strategies import DIGESTS, PATHS, SEEN


def folder_of(path: str) -> str:
    return path[: path.rfind("/") + 1]


class WalkMemoryMachine(RuleBasedStateMachine):
    """A dict of files and one of digests say what it has to hold."""

    def __init__(self) -> None:
        super().__init__()
        self.data = tempfile.TemporaryDirectory()
        self.memory = WalkMemory("s", most_unpacked=1)
        self.files: dict[str, CachedStat] = {}
        self.digests: dict[str, FolderDigest] = {}

    def teardown(self) -> None:
        self.data.cleanup()

    @rule(path=PATHS, seen=SEEN)
    def put(self, path: str, seen: CachedStat) -> None:
        self.memory[path] = self.files[path] = seen
        self.digests.pop(folder_of(path), None)

    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        if self.files:
            path = data.draw(st.sampled_from(sorted(self.files)))
            assert self.memory.pop(path) == self.files.pop(path)
            self.digests.pop(folder_of(path), None)

    @rule(data=st.data(), digest=DIGESTS)
    def compare(self, data: st.DataObject, digest: FolderDigest) -> None:
        folder = data.draw(st.sampled_from(sorted({"", *map(folder_of, self.files)})))
        self.memory.set_compared(folder, digest)
        self.digests[folder] = digest

    @rule(again=st.booleans())
    def save(self, *, again: bool) -> None:
        self.memory.generation, self.memory.unsaved = "1:x", True
        self.memory.save(self.data.name)
        assert not self.memory.unsaved
        if again:
            self.memory = WalkMemory.load(self.data.name, "s", most_unpacked=1)

    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        folders = sorted(self.memory.folders)
        if folders:
            folder = data.draw(st.sampled_from(folders))
            self.memory.forget(folder)
            self.digests.pop(folder, None)
            for path in [path for path in self.files if folder_of(path) == folder]:
                del self.files[path]

    @rule(data=st.data())
    def look(self, data: st.DataObject) -> None:
        folder = data.draw(st.sampled_from(sorted({"", *map(folder_of, self.files)})))
        inside = {path: seen for path, seen in self.files.items() if folder_of(path) == folder}
        found = self.memory.of_folder(folder)
        assert {folder + name: seen for name, seen in found.items()} == inside
        if folder in self.memory.folders:
            assert sorted(folder + name for name in self.memory.names(folder)) == sorted(inside)
        self.see_packed(folder, inside)
        below = {path for path in self.files if path.startswith(folder)}
        assert set(self.memory.below((folder,))) == below

    def see_packed(self, folder: str, inside: dict[str, CachedStat]) -> None:
        indexed = {path: seen for path, seen in inside.items() if not seen.reason}
        shallow = {path: seen.key.size for path, seen in indexed.items() if seen.shallow}
        assert {folder + name: size for name, size in self.memory.shallow_sizes(folder)} == shallow
        numbers = {lacking: self.memory.mark_of(shallow=lacking) for lacking in (False, True)}
        marks = {folder + name: mark for name, mark in self.memory.marks_of(folder).items()}
        assert marks.keys() == inside.keys()
        for path, seen in inside.items():
            mark = numbers[seen.shallow]
            assert (marks[path] == (seen.fingerprint, mark)) == (path in indexed)

    @rule(path=PATHS)
    def ask(self, path: str) -> None:
        assert self.memory.get(path) == self.files.get(path)

    @invariant()
    def holds_the_same(self) -> None:
        assert len(self.memory) == len(self.files)
        assert sorted(self.memory) == sorted(self.files)
        indexed = {path: seen.fingerprint for path, seen in self.files.items() if not seen.reason}
        assert dict(self.memory.fingerprints()) == indexed
        assert self.memory.indexed_count == len(indexed)
        refused = {path: seen.reason for path, seen in self.files.items() if seen.reason}
        assert dict(self.memory.refused()) == refused
        shallow = Counter(
            folder_of(path) for path, seen in self.files.items() if seen.shallow and not seen.reason
        )
        assert self.memory.shallow_count == shallow.total()
        folders = self.memory.known_folders()
        assert list(folders.paths) == self.memory.folders == sorted(folders.paths)
        assert self.memory.folder_count == len(folders.paths)
        assert [item.folder for item in self.memory.notable()] == sorted(
            folder
            for folder in folders.paths
            if shallow[folder]
            or folder in map(folder_of, refused)
            or self.digests.get(folder, NOT_COMPARED).left_out
        )
        for item in self.memory.notable():
            assert self.memory.notes(item.folder) == item[1:]
        for folder, digest in zip(folders.paths, folders.digests, strict=True):
            notes, lacking = self.memory.notes(folder)
            assert lacking == shallow[folder]
            inside = Counter(refused[path] for path in refused if folder_of(path) == folder)
            assert dict(notes.refused) == inside
            expected = self.digests.get(folder, NOT_COMPARED)
            assert self.memory.compared(folder) == expected
            assert digest == expected.digest


TestWalkMemory = WalkMemoryMachine.TestCase


NUMBER = st.integers(-(1 << 63), (1 << 63) - 1)
KEY = st.builds(StatKey, NUMBER, NUMBER, NUMBER, st.integers(0, (1 << 64) - 1))
NAME = st.text(st.characters(exclude_characters="\0/", exclude_categories=["Cs"]), min_size=1)
ENTRY = st.one_of(
    st.builds(FolderEntry, NAME, st.just("file"), KEY),
    st.builds(FolderEntry, NAME, st.sampled_from(["folder", "link", "other"]), st.none()),
)


@given(st.lists(ENTRY, unique_by=lambda entry: entry.name), NAME)
def test_a_listed_folder_is_the_same_in_both_forms(entries: list[FolderEntry], name: str) -> None:
    entries.sort()
    one = Folder(entries, 2, 3)
    other = Folder(one.columns, 2, 3)
    assert list(other.entries) == entries
    assert other.folders() == [entry for entry in entries if entry.kind == "folder"]
    names = {entry.name for entry in entries}
    assert all(entry.name in other for entry in entries)
    assert (name in other) == (name in names)


@given(st.lists(KEY))
def test_stat_keys_are_packed_without_loss(keys: list[StatKey]) -> None:
    assert list(unpack_keys(b"".join(map(pack_key, keys)))) == keys
