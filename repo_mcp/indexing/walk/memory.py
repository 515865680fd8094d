"""The folders and files of the last walk and run, so that unchanged files are not read again.

The memory is advice and may be lost or stale. An entry says "while the file has this stat key, its
content has this fingerprint"; whether the index holds that content, only the index knows.

It is on the disk until it is asked for (`memory_file`). A folder whose digest is the same as at the
last comparison has the same files, of which none has changed: nothing of it is read then. Folders
that differ from what was saved are in memory, packed (about seventy bytes a file) but for those
that were used last.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import suppress
from typing import Final, Self, TypeVar, overload

import xxhash

from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.indexing.walk import memory_file
from repo_mcp.indexing.walk.known_folders import KnownFolders
from repo_mcp.indexing.walk.memory_file import (
    FINGERPRINT_BYTES,
    MARK_BYTES,
    NO_NOTES,
    DamagedBlocksError,
    FolderNotes,
    FolderWriter,
    PackedFiles,
    StoredFolders,
)
from repo_mcp.safety.sandbox import (
    UNKNOWN_KEY,
    StatKey,
    pack_key,
    unpack_keys,
    unpack_sizes,
)

NO_FINGERPRINT: Final = bytes(FINGERPRINT_BYTES)
_PACKED_UNKNOWN: Final = pack_key(UNKNOWN_KEY)
_SHALLOW: Final = "s"
# of files that are indexed
_SHALLOW_MARK: Final = f"{_SHALLOW}:"
_WHOLE_MARK: Final = ":"
# folders whose files are objects: a file takes half a kilobyte then
_MOST_UNPACKED: Final = 256

_T = TypeVar("_T")


class CachedStat(NamedTuple):
    """A file as last read; `reason` says why it was left out, empty if it was indexed.

    `shallow` files are indexed by words only; their facts are missing.
    """

    key: StatKey
    fingerprint: bytes
    reason: str = ""
    shallow: bool = False

    @property
    def mark(self) -> str:
        """All but the key and the fingerprint."""
        return f"{_SHALLOW if self.shallow else ''}:{self.reason}"


class FolderDigest(NamedTuple):
    """A folder as it was compared: its digest, and why how many of its files are left out."""

    digest: bytes = b""
    left_out: Mapping[str, int] = {}


NOT_COMPARED: Final = FolderDigest()
_NOTHING_NOTABLE: Final = NO_NOTES, 0
# stands for the digest of a folder that was forgotten
_DROPPED: Final = b"dropped"


class NotableFolder(NamedTuple):
    """A folder of which files are left out, or so many lack facts."""

    folder: str
    notes: FolderNotes
    shallow: int


class MarkTable:
    """Numbers for the marks of files, so that each mark is stored once."""

    def __init__(self, marks: Iterable[str] = ()) -> None:
        self.marks: list[str] = list(marks)
        self._numbers = {mark: number for number, mark in enumerate(self.marks)}

    def number(self, mark: str) -> int:
        """The number of a mark, a new one if need be."""
        if mark not in self._numbers:
            self._numbers[mark] = len(self.marks)
            self.marks.append(mark)
        return self._numbers[mark]


class _FolderFiles:
    """The files of one folder: packed, by name, or both; packed alone is what takes no memory."""

    __slots__ = ("at", "changed", "compared", "files", "packed")

    def __init__(
        self, packed: PackedFiles | None, compared: FolderDigest, at: int, *, changed: bool
    ) -> None:
        # None where files have changed since they were packed
        self.packed = packed
        self.files: dict[str, CachedStat] | None = None if packed else {}
        self.compared = compared
        # its number among the stored folders, or -1, and whether it differs from that
        self.at = at
        self.changed = changed

    def unpack(self, marks: list[str]) -> dict[str, CachedStat]:
        """The files by name."""
        if self.files is None:
            self.files = {} if self.packed is None else dict(_unpack(self.packed, marks))
        return self.files

    def pack(self, table: MarkTable) -> PackedFiles:
        """Pack the files, and forget them by name."""
        if self.packed is None:
            self.packed = _packed(self.files or {}, table)
        self.files = None
        return self.packed

    def notes(self, marks: list[str]) -> tuple[FolderNotes, int]:
        """Counts of files that are left out, and of those that lack facts."""
        if self.files is not None:
            found = Counter(seen.mark for seen in self.files.values())
        else:
            numbers = () if self.packed is None else _numbers(self.packed)
            found = Counter({marks[number]: count for number, count in Counter(numbers).items()})
        refused: Counter[str] = Counter()
        shallow = 0
        for mark, count in found.items():
            lacking, _, reason = mark.partition(":")
            if reason:
                refused[reason] += count
            elif lacking == _SHALLOW:
                shallow += count
        left_out = tuple(sorted(self.compared.left_out.items()))
        return FolderNotes(left_out, tuple(sorted(refused.items()))), shallow


class WalkMemory(MutableMapping[str, CachedStat]):
    """Files by path; a change of a file makes its folder one that was not compared.

    It is of one `generation` of an index with this signature. Folders that are as they were saved
    are not in memory, but for those that were used last.
    """

    def __init__(
        self,
        signature: str = "",
        files: Mapping[str, CachedStat] | None = None,
        most_unpacked: int = _MOST_UNPACKED,
    ) -> None:
        self.signature = signature
        # the identity of the generation, and its segments: by seal, the numbers of dead files
        self.generation = ""
        self.segments: Mapping[str, Sequence[int]] = {}
        # anything has changed since it was saved
        self.unsaved = False
        self._stored = StoredFolders()
        # stored folders that were forgotten or made anew, and folders in memory
        self._dropped: set[int] = set()
        self._folders: dict[str, _FolderFiles] = {}
        # folders whose files are by name, the one that was used last at the end
        self._unpacked: dict[str, None] = {}
        self._used_last = ""
        self._most_unpacked = most_unpacked
        self._count = 0
        self._table = MarkTable()
        for path, seen in (files or {}).items():
            self[path] = seen

    @classmethod
    def load(cls, index_dir: str, signature: str, most_unpacked: int = _MOST_UNPACKED) -> Self:
        """The saved memory; empty if it is missing, damaged or of another signature."""
        found = cls(signature, most_unpacked=most_unpacked)
        saved = memory_file.read(index_dir, signature)
        if saved is not None:
            found.generation, found.segments = saved.generation, saved.segments
            found._use_stored(saved.folders, saved.marks)
        return found

    def save(self, index_dir: str) -> None:
        """Replace the saved memory; what is in memory of it is dropped."""
        written = self._write()  # it may add marks
        written.drop_unused_notes()
        with suppress(OSError, DamagedBlocksError):  # without it the next refresh is only slower
            of = self.signature, self.generation, self.segments
            memory_file.write(index_dir, *of, self._table.marks, written)
            self.unsaved = False
            saved, ours = memory_file.read(index_dir, self.signature), (self.generation, len(self))
            if saved and (saved.generation, saved.folders.file_count) == ours:
                self._use_stored(saved.folders, saved.marks)

    def clear(self) -> None:
        """Remember nothing."""
        self.generation, self.segments = "", {}
        self._use_stored(StoredFolders(), ())

    def assign(self, snapshot: Snapshot) -> None:
        """Make the memory one of this generation, whose files it holds."""
        self.generation = identity(snapshot)
        self.segments = {entry.seal: entry.dead_files for entry in snapshot.manifest.segments}

    def reassign(self, merged: Snapshot, before: Snapshot | None = None, steps: int = 0) -> None:
        """Assign it to a generation merged in so many steps, if it holds the same files.

        With as many generations as steps since the one `before`, nobody else has changed the index.
        """
        is_merged = before is not None and merged.generation == before.generation + steps
        if before is not None and is_merged and self.generation == identity(before):
            self.assign(merged)
            self.unsaved = True
            return
        known = {path: fingerprint for path, (fingerprint, _) in merged.fingerprints().items()}
        with suppress(DamagedBlocksError):  # then the next run starts over
            if known == dict(self.fingerprints()):
                self.assign(merged)
                self.unsaved = True

    def invalidate(self) -> None:
        """Drop keys and fingerprints, so that every file is read and indexed again."""
        for path, seen in list(self.items()):
            self[path] = seen._replace(key=UNKNOWN_KEY, fingerprint=NO_FINGERPRINT)

    def _use_stored(self, stored: StoredFolders, marks: Iterable[str]) -> None:
        """Hold what was saved, and nothing else."""
        self._stored = stored
        self._dropped.clear()
        self._folders.clear()
        self._unpacked.clear()
        self._count = stored.file_count
        self._table = MarkTable(marks)

    def __getitem__(self, path: str) -> CachedStat:
        """The file as it is known."""
        folder, name = _split(path)
        return self.of_folder(folder)[name]

    @overload
    def get(self, path: str, /) -> CachedStat | None: ...

    @overload
    def get(self, path: str, /, default: CachedStat | _T) -> CachedStat | _T: ...

    def get(self, path: str, /, default: object = None) -> object:
        """The file as it is known; mappings raise and catch an exception where it is not."""
        folder, name = _split(path)
        return self.of_folder(folder).get(name, default)

    def __setitem__(self, path: str, seen: CachedStat) -> None:
        """Record a file as it was read."""
        folder, name = _split(path)
        files = self._to_change(folder)
        self._count += name not in files
        files[name] = seen

    def update_folder(self, folder: str, seen: Mapping[str, CachedStat]) -> None:
        """Record files of a folder, by name, as they were read."""
        if seen:
            files = self._to_change(folder)
            count = len(files)
            files.update(seen)
            self._count += len(files) - count

    def __delitem__(self, path: str) -> None:
        """Forget a file."""
        folder, name = _split(path)
        if name not in self.of_folder(folder):
            raise KeyError(path)
        del self._to_change(folder)[name]
        self._count -= 1

    def __iter__(self) -> Iterator[str]:
        """The paths, folder by folder."""
        for folder in self.folders:
            for name in self.names(folder):
                yield folder + name

    def __len__(self) -> int:
        """Count of files."""
        return self._count

    @property
    def folders(self) -> list[str]:
        """The folders that have files or were compared, each with its slash; the root is ""."""
        return list(self.known_folders().paths)

    @property
    def folder_count(self) -> int:
        """Count of folders."""
        new = sum(found.at < 0 for found in self._folders.values())
        return len(self._stored) - len(self._dropped) + new

    def of_folder(self, folder: str) -> Mapping[str, CachedStat]:
        """The files of a folder, by name, until the next question."""
        found = self._find(folder)
        return {} if found is None else found.unpack(self._table.marks)

    def shallow_sizes(self, folder: str) -> list[tuple[str, int]]:
        """Names and sizes of a folder's indexed files without facts."""
        packed, marks = self._packed_folder(folder), self._table.marks
        if packed is None:
            return []
        rows = zip(_names(packed), unpack_sizes(packed.keys), _numbers(packed), strict=True)
        return [(name, size) for name, size, mark in rows if marks[mark] == _SHALLOW_MARK]

    def marks_of(self, folder: str) -> dict[str, tuple[bytes, int]]:
        """Fingerprints, and numbers of marks, of a folder's files by name."""
        packed = self._packed_folder(folder)
        return {} if packed is None else dict(_marked(packed))

    def keys_of(self, folder: str) -> Iterator[tuple[str, StatKey]]:
        """Names and keys of a folder's files."""
        packed = self._packed_folder(folder)
        if packed is not None:
            yield from zip(_names(packed), unpack_keys(packed.keys), strict=True)

    def mark_of(self, *, shallow: bool) -> int:
        """The number of the mark of files that are indexed, with facts or without."""
        return self._table.number(_SHALLOW_MARK if shallow else _WHOLE_MARK)

    def names(self, folder: str) -> list[str]:
        """The names of a folder's files."""
        return list(self.of_folder(folder))

    def below(self, folders: tuple[str, ...]) -> Iterator[str]:
        """The files below these folders."""
        for folder in self.folders:
            if folder.startswith(folders):
                yield from (folder + name for name in self.names(folder))

    def fingerprints(self) -> Iterator[tuple[str, bytes]]:
        """The files that are indexed, with their fingerprints."""
        for folder, packed in self._packed_folders():
            for name, (fingerprint, mark) in _marked(packed):
                if self._indexes(mark):
                    yield folder + name, fingerprint

    def missing_in(self, live: set[bytes]) -> list[str]:
        """The files that are indexed and not among these paths."""
        found: list[str] = []
        for folder, packed in self._packed_folders():
            if not packed.names:
                continue
            above = folder.encode("utf-8", "surrogatepass")
            paths = [above + name for name in packed.names.split(b"\0")]
            if not live.issuperset(paths):
                rows = zip(paths, _numbers(packed), strict=True)
                absent = (path for path, mark in rows if path not in live and self._indexes(mark))
                found += (path.decode("utf-8", "surrogatepass") for path in absent)
        return found

    def _indexes(self, mark: int) -> bool:
        return self._table.marks[mark].endswith(":")

    def refused(self) -> Iterator[tuple[str, str]]:
        """Files that were left out after they were read, with the reasons."""
        for folder, _, _ in self.notable():
            for name, seen in self.of_folder(folder).items():
                if seen.reason:
                    yield folder + name, seen.reason

    def known_folders(self) -> KnownFolders:
        """All folders as they are now, for a walk."""
        paths, digests = self._stored.list_paths(), self._stored.list_digests()
        changed = {path: found for path, found in self._folders.items() if found.changed}
        if not changed and not self._dropped:
            return KnownFolders(paths, digests)
        for at in self._dropped:
            digests[at] = _DROPPED
        for path, found in list(changed.items()):
            if found.at >= 0:
                digests[found.at] = found.compared.digest
                del changed[path]
        rows = [row for row in zip(paths, digests, strict=True) if row[1] is not _DROPPED]
        if changed:
            rows += ((path, found.compared.digest) for path, found in changed.items())
            rows.sort()
        return KnownFolders([path for path, _ in rows], [digest for _, digest in rows])

    def compared(self, folder: str) -> FolderDigest:
        """The folder as it was compared last; without a digest if a file has changed since."""
        found = self._folders.get(folder)
        if found is not None:
            return found.compared
        at = self._stored_at(folder)
        return NOT_COMPARED if at < 0 else self._stored_digest(at)

    def set_compared(self, folder: str, digest: FolderDigest) -> None:
        """Remember that a folder was compared, and all that is known of its files is true."""
        found = self._find(folder)
        if found is None:
            found = self._folders[folder] = _FolderFiles(None, NOT_COMPARED, -1, changed=True)
            self._note_use(folder)
        found.compared, found.changed = digest, True

    def forget(self, folder: str) -> None:
        """Remove a folder and its files."""
        found = self._find(folder)
        if found is None:
            raise KeyError(folder)
        self._count -= len(found.unpack(self._table.marks))
        if found.at >= 0:
            self._dropped.add(found.at)
        del self._folders[folder]
        self._unpacked.pop(folder, None)

    @property
    def indexed_count(self) -> int:
        """Count of files that were not left out after they were read."""
        refused: int = self._stored.refused_count
        for found in self._folders.values():
            if found.changed:
                refused += _refused_in(found.notes(self._table.marks))
                refused -= _refused_in(self._stored_notes(found.at))
        refused -= sum(_refused_in(self._stored_notes(at)) for at in self._dropped)
        return self._count - refused

    @property
    def shallow_count(self) -> int:
        """Count of files without facts."""
        count: int = self._stored.shallow_count
        for found in self._folders.values():
            if found.changed:
                count += found.notes(self._table.marks)[1] - self._stored_notes(found.at)[1]
        return count - sum(self._stored_notes(at)[1] for at in self._dropped)

    def notable(self) -> list[NotableFolder]:
        """The folders of which files are left out or lack facts, in order of their paths."""
        gone = self._dropped | {item.at for item in self._folders.values() if item.changed}
        stored = self._stored
        found = [
            NotableFolder(stored.path(at), *stored.notes_of(at))
            for at in stored.notable
            if at not in gone
        ]
        for folder, item in self._folders.items():
            if item.changed and (notes := item.notes(self._table.marks)) != _NOTHING_NOTABLE:
                found.append(NotableFolder(folder, *notes))
        return sorted(found)

    def notes(self, folder: str) -> tuple[FolderNotes, int]:
        """Counts of a folder's files that are left out, and of those without facts."""
        found = self._folders.get(folder)
        if found is not None and found.changed:
            return found.notes(self._table.marks)
        return self._stored_notes(self._stored_at(folder))

    def _write(self) -> FolderWriter:
        """All folders as they are to be saved; those that have not changed are copied."""
        changed = sorted((row for row in self._folders.items() if row[1].changed), key=_path_of)
        writer, copied = FolderWriter(self._stored), 0
        places = [(self._stored.lower_bound(folder), folder, item) for folder, item in changed]
        skipped = sorted([*((at, "", None) for at in self._dropped), *places], key=_place_of)
        for at, folder, item in skipped:
            writer.copy(copied, at)
            copied = max(copied, at)
            if item is None or item.at >= 0:
                copied = at + 1
            if item is not None:
                notes, shallow = item.notes(self._table.marks)
                writer.add(folder, item.compared.digest, item.pack(self._table), notes, shallow)
        writer.copy(copied, len(self._stored))
        return writer

    def _packed_folders(self) -> Iterator[tuple[str, PackedFiles]]:
        """All folders, those in memory last."""
        for at, folder in enumerate(self._stored.list_paths()):
            if at not in self._dropped and folder not in self._folders:
                yield folder, self._stored.files(at)
        for folder, found in self._folders.items():
            yield folder, found.packed or _packed(found.files or {}, self._table)

    def _packed_folder(self, folder: str) -> PackedFiles | None:
        """A folder as it is, which it stays."""
        found = self._folders.get(folder)
        if found is not None:
            return found.packed or _packed(found.files or {}, self._table)
        at = self._stored_at(folder)
        return None if at < 0 else self._stored.files(at)

    def _stored_at(self, folder: str) -> int:
        """The number of a stored folder that was not dropped, or -1."""
        at = self._stored.find(folder)
        return -1 if at in self._dropped else at

    def _stored_digest(self, at: int) -> FolderDigest:
        left_out = self._stored.notes_of(at)[0].left_out
        return FolderDigest(self._stored.digest(at), dict(left_out))

    def _stored_notes(self, at: int) -> tuple[FolderNotes, int]:
        return _NOTHING_NOTABLE if at < 0 else self._stored.notes_of(at)

    def _find(self, folder: str) -> _FolderFiles | None:
        """A folder to look at, read if need be."""
        found = self._folders.get(folder)
        if found is None:
            at = self._stored_at(folder)
            if at < 0:
                return None
            files, compared = self._stored.files(at), self._stored_digest(at)
            found = self._folders[folder] = _FolderFiles(files, compared, at, changed=False)
        self._note_use(folder)
        return found

    def _to_change(self, folder: str) -> dict[str, CachedStat]:
        """The files of a folder by name, which is not packed and not compared from now on."""
        found = self._find(folder)
        if found is None:
            found = self._folders[folder] = _FolderFiles(None, NOT_COMPARED, -1, changed=True)
            self._note_use(folder)
        files = found.unpack(self._table.marks)
        found.packed, found.compared, found.changed = None, NOT_COMPARED, True
        return files

    def _note_use(self, folder: str) -> None:
        """Pack the folder that was used least recently, if too many are by name."""
        if folder == self._used_last and folder in self._unpacked:
            return
        self._used_last = folder
        self._unpacked.pop(folder, None)
        self._unpacked[folder] = None
        if len(self._unpacked) > self._most_unpacked:
            oldest = next(iter(self._unpacked))
            del self._unpacked[oldest]
            if self._folders[oldest].changed:
                self._folders[oldest].pack(self._table)
            else:
                del self._folders[oldest]


def identity(snapshot: Snapshot) -> str:
    """A string that is unique to this generation of this index."""
    entries = repr(snapshot.manifest.segments).encode()
    return f"{snapshot.generation}:{xxhash.xxh3_128_hexdigest(entries)}"


def _refused_in(notes: tuple[FolderNotes, int]) -> int:
    return sum(count for _, count in notes[0].refused)


def _path_of(row: tuple[str, object]) -> str:
    return row[0]


def _place_of(row: tuple[int, str, _FolderFiles | None]) -> tuple[int, bool, str]:
    """Dropped folders before those that are new in their place."""
    return row[0], row[2] is not None, row[1]


def folder_of(path: str) -> str:
    """The folder of a file with its slash, "" for the root."""
    return path[: path.rfind("/") + 1]


def _split(path: str) -> tuple[str, str]:
    cut = path.rfind("/") + 1
    return path[:cut], path[cut:]


def _names(packed: PackedFiles) -> list[str]:
    return packed.names.decode("utf-8", "surrogatepass").split("\0") if packed.names else []


def _packed(files: Mapping[str, CachedStat], table: MarkTable) -> PackedFiles:
    seen = files.values()
    return PackedFiles(
        "\0".join(files).encode("utf-8", "surrogatepass"),
        b"".join(pack_key(item.key) for item in seen),
        b"".join(item.fingerprint.rjust(FINGERPRINT_BYTES, b"\0") for item in seen),
        b"".join(table.number(item.mark).to_bytes(MARK_BYTES, "little") for item in seen),
    )


def _numbers(packed: PackedFiles) -> tuple[int, ...]:
    """The numbers of marks."""
    return struct.unpack(f"<{packed.file_count}H", packed.marks)


def _marked(packed: PackedFiles) -> Iterator[tuple[str, tuple[bytes, int]]]:
    named = zip(_names(packed), _numbers(packed), strict=True)
    for at, (name, mark) in enumerate(named):
        yield (
            name,
            (packed.fingerprints[at * FINGERPRINT_BYTES : (at + 1) * FINGERPRINT_BYTES], mark),
        )


def _unpack(packed: PackedFiles, marks: list[str]) -> Iterator[tuple[str, CachedStat]]:
    keys = unpack_keys(packed.keys)
    for key, (name, (fingerprint, mark)) in zip(keys, _marked(packed), strict=True):
        shallow, _, reason = marks[mark].partition(":")
        known = UNKNOWN_KEY if pack_key(key) == _PACKED_UNKNOWN else key
        yield name, CachedStat(known, fingerprint, reason, shallow == _SHALLOW)
