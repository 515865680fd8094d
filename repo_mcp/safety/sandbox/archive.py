"""The door to an archive of sources: its files are read without unpacking any.

An entry is named as it is written, and nothing else is in the archive: there are no links in it,
and no name leads out of it. The archive stays open, so another file in its place changes nothing.
"""

from __future__ import annotations

import os
import weakref
import zipfile
import zlib
from calendar import timegm
from typing import Final

from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox.door import (
    Check,
    FolderId,
    HandleInfo,
    Names,
    RootState,
)
from repo_mcp.safety.sandbox.listing import Folder, FolderEntry, StatKey
from repo_mcp.safety.sandbox.one_by_one import OneByOneDoor

# entries that are looked at, and folders above one
_MOST_ENTRIES: Final = 200_000
_MOST_DEPTH: Final = 200
_ENCRYPTED: Final = 1
_NANOSECONDS: Final = 1_000_000_000
_NO_NAMES: Final = frozenset({"", ".", ".."})
_UNREADABLE: Final = (
    *(OSError, EOFError, zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error),
    *(NotImplementedError, RuntimeError, ValueError),
)


class ArchiveDoor(OneByOneDoor):
    """Opens files of one archive, or those in one folder of it."""

    windows = False

    def __init__(self, path: str, folder: str = "") -> None:
        """Open the archive and read its list of entries; raises `OSError` if it is none.

        Nothing outside of the `folder` is an entry.
        """
        self._path = path
        self._inside: Names = tuple(folder.split("/")) if folder else ()
        self._file = open(path, "rb")  # noqa: SIM115 it stays open as long as the door is there
        try:
            self._archive = zipfile.ZipFile(self._file)
        except _UNREADABLE as error:
            self._file.close()
            message = "it is not an archive that can be read"
            raise OSError(0, message) from error
        self._stat = os.fstat(self._file.fileno())
        self._closing = weakref.finalize(self, self._file.close)
        self._entries: list[zipfile.ZipInfo] = []
        self._files: dict[Names, int] = {}
        self._folders: dict[Names, dict[str, FolderEntry]] = {(): {}}
        for entry in self._archive.infolist()[:_MOST_ENTRIES]:
            self._add(entry)
        if self._inside and not self._files:
            self._file.close()
            message = "it has no such folder"
            raise OSError(0, message)

    def _add(self, entry: zipfile.ZipInfo) -> None:
        """Add a file and the folders above it; of equal names the first counts."""
        names = self._names(entry)
        usual = names and "\0" not in entry.filename
        if not usual or len(names) > _MOST_DEPTH or entry.flag_bits & _ENCRYPTED:
            return
        above = [names[:count] for count in range(1, len(names))]
        if (
            names in self._files
            or names in self._folders
            or any(one in self._files for one in above)
        ):
            return
        for folder in above:
            if folder not in self._folders:
                self._folders[folder] = {}
                self._folders[folder[:-1]][folder[-1]] = FolderEntry(folder[-1], "folder", None)
        number = len(self._entries)
        self._entries.append(entry)
        self._files[names] = number
        self._folders[names[:-1]][names[-1]] = FolderEntry(names[-1], "file", self._key(number))

    def _names(self, entry: zipfile.ZipInfo) -> Names:
        """The names of an entry below the folder; none of one outside, or with unusual names."""
        names = tuple(entry.filename.split("/"))
        count = len(self._inside)
        is_inside = names[:count] == self._inside and _NO_NAMES.isdisjoint(names)
        return names[count:] if is_inside else ()

    def _key(self, number: int) -> StatKey:
        """Size, time and checksum, which are equal in all copies of the archive."""
        entry = self._entries[number]
        written = timegm((*entry.date_time, 0, 1, -1)) * _NANOSECONDS
        return StatKey(entry.file_size, written, entry.CRC, 0)

    @property
    def roots(self) -> tuple[str, ...]:
        """The path of the archive, or of the folder in it."""
        return (os.path.join(self._path, *self._inside),)

    @property
    def folder(self) -> FolderId:
        """The identity of the archive."""
        return FolderId(self._stat.st_dev, self._stat.st_ino)

    @property
    def anchor(self) -> str:
        """The path of the archive: no other program reaches what is in it."""
        return self._path

    def root_state(self) -> RootState:
        """The current target of the archive's path."""
        try:
            now = os.stat(self._path)
        except OSError:
            return RootState.MISSING
        same = os.path.samestat(now, self._stat)
        same = same and (now.st_size, now.st_mtime_ns) == (
            self._stat.st_size,
            self._stat.st_mtime_ns,
        )
        return RootState.SAME if same else RootState.REPLACED

    def open(self, names: Names, check: Check, *, follow: bool) -> int:  # noqa: ARG002 there are no links
        """The number of an entry."""
        check(names, folder=False)
        if names in self._folders:
            raise Problem("not_a_file")
        if names not in self._files:
            raise Problem("not_found")
        return self._files[names]

    def handle_info(self, handle: int) -> HandleInfo:
        """Type and key of an entry."""
        return HandleInfo(regular=True, links=1, key=self._key(handle))

    def real_names(self, handle: int) -> Names | None:
        """The entry's path."""
        return self._names(self._entries[handle])

    def read(self, handle: int, most: int) -> bytes:
        """All bytes, but no more than `most`: a size may be wrong."""
        try:
            with self._archive.open(self._entries[handle]) as entry:
                return entry.read(most)
        except _UNREADABLE:
            raise Problem("unreadable") from None

    def _read_plain(self, names: Names, most: int) -> tuple[bytes, StatKey] | None:
        number = self._files.get(names)
        if number is None or self._entries[number].file_size > most:
            return None
        try:
            return self.read(number, most), self._key(number)
        except Problem:
            return None

    def release(self, handle: int) -> None:
        """Do nothing: an entry is open only while it is read."""

    def list_folder(self, names: Names) -> Folder:
        """List a folder."""
        found = self._folders.get(tuple(names))
        if found is None:
            raise Problem("not_found" if tuple(names) not in self._files else "not_a_folder")
        entries = sorted(found.values(), key=lambda entry: entry.name.encode("utf-8", "replace"))
        return Folder(entries, 0, self._stat.st_dev)

    list_names = list_folder

    def close(self) -> None:
        """Close the archive, unless it is closed; the last reference does it, too."""
        self._closing()
