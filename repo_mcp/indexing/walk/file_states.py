"""What is known of each file of the repository, folder by folder, packed until it is asked for.

A folder whose digest is the same as at the last comparison has the same files, of which none has
changed: nothing of it is unpacked then. Packed, a file takes about seventy bytes; only the folders
that were used last are not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, MutableMapping
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.indexing.walk.known_folders import KnownFolders
from repo_mcp.safety.sandbox import KEY_BYTES, UNKNOWN_KEY, StatKey, pack_key, unpack_keys

FINGERPRINT_BYTES: Final = 16
MARK_BYTES: Final = 2
NO_FINGERPRINT: Final = bytes(FINGERPRINT_BYTES)
_PACKED_UNKNOWN: Final = pack_key(UNKNOWN_KEY)
_SHALLOW: Final = "s"
# the mark of a file that is indexed with its facts
_PLAIN: Final = ":"
# folders whose files are objects: a file takes half a kilobyte then
_MOST_UNPACKED: Final = 256


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


class PackedFiles(NamedTuple):
    """The files of a folder: names joined by NUL, and as many keys, fingerprints and marks."""

    names: bytes
    keys: bytes
    fingerprints: bytes
    marks: bytes

    def check(self) -> None:
        """Raise ValueError unless all columns have the same length."""
        count = self.file_count
        sizes = len(self.keys), len(self.fingerprints), len(self.marks)
        if sizes != (count * KEY_BYTES, count * FINGERPRINT_BYTES, count * MARK_BYTES):
            raise ValueError(sizes)

    @property
    def file_count(self) -> int:
        """Count of files."""
        return self.names.count(b"\0") + 1 if self.names else 0


class FolderDigest(NamedTuple):
    """A folder as it was compared: its digest, and why how many of its files are left out."""

    digest: bytes = b""
    left_out: Mapping[str, int] = {}


NOT_COMPARED: Final = FolderDigest()


class MarkTable:
    """Numbers of the marks that files have."""

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

    __slots__ = ("compared", "files", "packed")

    def __init__(self, packed: PackedFiles | None, compared: FolderDigest) -> None:
        # None where files have changed since they were packed
        self.packed = packed
        self.files: dict[str, CachedStat] | None = None if packed else {}
        self.compared = compared

    @property
    def names(self) -> list[str]:
        """The names of the files."""
        return list(self.files or ()) if self.packed is None else _names(self.packed)

    def unpack(self, marks: list[str]) -> dict[str, CachedStat]:
        """The files by name."""
        if self.files is None:
            self.files = {} if self.packed is None else dict(_unpack(self.packed, marks))
        return self.files

    def pack(self, table: MarkTable) -> PackedFiles:
        """The files packed, and no longer by name."""
        if self.packed is None:
            self.packed = _packed(self.files or {}, table)
        self.files = None
        return self.packed


class FileStates(MutableMapping[str, CachedStat]):
    """Files by path; a change of a file makes its folder one that was not compared."""

    def __init__(
        self,
        files: Mapping[str, CachedStat] | None = None,
        most_unpacked: int = _MOST_UNPACKED,
    ) -> None:
        self._folders: dict[str, _FolderFiles] = {}
        # folders whose files are by name, the one that was used last at the end
        self._unpacked: dict[str, None] = {}
        self._most_unpacked = most_unpacked
        self._count = 0
        self.table = MarkTable()
        for path, seen in (files or {}).items():
            self[path] = seen

    def __getitem__(self, path: str) -> CachedStat:
        """What is known of a file."""
        folder, name = _split(path)
        return self.of_folder(folder)[name]

    def __setitem__(self, path: str, seen: CachedStat) -> None:
        """Record a file as it was read."""
        folder, name = _split(path)
        files = self._to_change(folder)
        self._count += name not in files
        files[name] = seen

    def __delitem__(self, path: str) -> None:
        """Forget a file."""
        folder, name = _split(path)
        if name not in self.of_folder(folder):
            raise KeyError(path)
        del self._to_change(folder)[name]
        self._count -= 1

    def __iter__(self) -> Iterator[str]:
        """The paths, folder by folder."""
        for folder in list(self._folders):
            for name in self.names(folder):
                yield folder + name

    def __len__(self) -> int:
        """Count of files."""
        return self._count

    @property
    def folders(self) -> Collection[str]:
        """The folders that have files, each with its slash; the root is ""."""
        return self._folders.keys()

    def of_folder(self, folder: str) -> Mapping[str, CachedStat]:
        """The files of a folder, by name, until the next question."""
        found = self._folders.get(folder)
        if found is None:
            return {}
        self._note_use(folder)
        return found.unpack(self.table.marks)

    def names(self, folder: str) -> list[str]:
        """The names of a folder's files."""
        return self._folders[folder].names

    def below(self, folders: tuple[str, ...]) -> Iterator[str]:
        """The files below these folders."""
        for folder in list(self._folders):
            if folder.startswith(folders):
                yield from (folder + name for name in self.names(folder))

    def fingerprints(self) -> Iterator[tuple[str, bytes]]:
        """The files that are indexed, with their fingerprints."""
        for folder, found in self._folders.items():
            packed = found.packed or _packed(found.files or {}, self.table)
            for name, (fingerprint, mark) in _marked(packed):
                if self.table.marks[mark].endswith(":"):
                    yield folder + name, fingerprint

    def known_folders(self) -> KnownFolders:
        """All folders as they are now, for a walk."""
        rows = sorted(self._folders.items(), key=_path_of)
        return KnownFolders(
            [folder for folder, _ in rows], [found.compared.digest for _, found in rows]
        )

    def compared(self, folder: str) -> FolderDigest:
        """The folder as it was compared last; without a digest if a file has changed since."""
        found = self._folders.get(folder)
        return NOT_COMPARED if found is None else found.compared

    def digest(self, folder: str) -> bytes:
        """The digest of a folder as it was compared last; empty if that does not hold."""
        return self.compared(folder).digest

    def set_compared(self, folder: str, digest: FolderDigest) -> None:
        """Remember that a folder was compared, and all that is known of its files is true."""
        found = self._folders.setdefault(folder, _FolderFiles(None, NOT_COMPARED))
        found.compared = digest

    def forget(self, folder: str) -> None:
        """Remove a folder and its files."""
        self._count -= len(self._folders.pop(folder).names)
        self._unpacked.pop(folder, None)

    def notable(self, folders: Iterable[str]) -> Iterator[str]:
        """Those of which files are left out, or lack something."""
        plain = self.table.marks == [_PLAIN]
        for folder in folders:
            if self._folders[folder].compared.left_out or not (plain or not self.has_marks(folder)):
                yield folder

    def has_marks(self, folder: str) -> bool:
        """Whether a file of the folder is anything but indexed with its facts."""
        found = self._folders[folder]
        if found.packed is None:
            return any(seen.mark != _PLAIN for seen in (found.files or {}).values())
        plain = self.table.number(_PLAIN).to_bytes(MARK_BYTES, "little")
        marks = found.packed.marks
        return marks != plain * (len(marks) // MARK_BYTES)

    def pack(self) -> Iterator[tuple[str, PackedFiles, FolderDigest]]:
        """Pack all folders, and give each in order."""
        for folder, found in sorted(self._folders.items(), key=_path_of):
            yield folder, found.pack(self.table), found.compared
        self._unpacked.clear()

    def add_packed(self, folder: str, packed: PackedFiles, compared: FolderDigest) -> None:
        """Add a folder that `pack` gave, with the same table of marks."""
        self._folders[folder] = _FolderFiles(packed, compared)
        self._count += packed.file_count

    def _to_change(self, folder: str) -> dict[str, CachedStat]:
        """The files of a folder by name, which is not packed and not compared from now on."""
        found = self._folders.get(folder)
        if found is None:
            found = self._folders[folder] = _FolderFiles(None, NOT_COMPARED)
        self._note_use(folder)
        files = found.unpack(self.table.marks)
        found.packed, found.compared = None, NOT_COMPARED
        return files

    def _note_use(self, folder: str) -> None:
        """Pack the folder that was used least recently, if too many are by name."""
        self._unpacked.pop(folder, None)
        self._unpacked[folder] = None
        if len(self._unpacked) > self._most_unpacked:
            oldest = next(iter(self._unpacked))
            del self._unpacked[oldest]
            self._folders[oldest].pack(self.table)


def _path_of(row: tuple[str, object]) -> str:
    return row[0]


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


def _marked(packed: PackedFiles) -> Iterator[tuple[str, tuple[bytes, int]]]:
    for at, name in enumerate(_names(packed)):
        fingerprint = packed.fingerprints[at * FINGERPRINT_BYTES : (at + 1) * FINGERPRINT_BYTES]
        mark = packed.marks[at * MARK_BYTES : (at + 1) * MARK_BYTES]
        yield name, (fingerprint, int.from_bytes(mark, "little"))


def _unpack(packed: PackedFiles, marks: list[str]) -> Iterator[tuple[str, CachedStat]]:
    keys = unpack_keys(packed.keys)
    for key, (name, (fingerprint, mark)) in zip(keys, _marked(packed), strict=True):
        shallow, _, reason = marks[mark].partition(":")
        known = UNKNOWN_KEY if pack_key(key) == _PACKED_UNKNOWN else key
        yield name, CachedStat(known, fingerprint, reason, shallow == _SHALLOW)
