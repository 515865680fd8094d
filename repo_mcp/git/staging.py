"""The index of a checkout: the files that it tracks, as they were when they were last added.

DIRC, version, count; an entry each: times, size, hash, flags, path; then extensions, of which
TREE has the hashes of folders that are as a commit has them
"""

from __future__ import annotations

import os
import struct
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.git.changes import Version
from repo_mcp.git.deltas import is_file_name, tree_entries
from repo_mcp.git.gaps import DAMAGED, ObjectGap, Skipped, UnreadObjectError
from repo_mcp.git.objects import GitObjects, content
from repo_mcp.git.packs import GitFile
from repo_mcp.git.work import TreeWork, crowded

_HEAD: Final = struct.Struct(">4sII")
# two times of seconds and nanoseconds, six numbers of which the mode and the size count, the hash
_ENTRY: Final = struct.Struct(">10I20sH")
_MAGIC: Final = b"DIRC"
_VERSIONS: Final = range(2, 5)
_COMPRESSED: Final = 4
_EXTENDED: Final = 0x4000
# of the flags that an extended entry has besides: the checkout leaves the file out
_FLAGS: Final = struct.Struct(">H")
_SKIPPED: Final = 0x4000
# the mode of a folder that stands for all of its files
_SPARSE_FOLDER: Final = 0o40000
_STAGES: Final = 0x3000
_MOST_BYTES: Final = 512 << 20
_HASH_BYTES: Final = 20
_EXTENSION: Final = struct.Struct(">4sI")
_SECOND: Final = 1_000_000_000
_MOST_DEPTH: Final = 200


class StagedFile(NamedTuple):
    """A tracked file: its path, mode and hash, and what `stat` said of it, cut to 32 bits."""

    path: bytes
    mode: bytes
    identity: bytes
    size: int
    mtime_ns: int
    # a sparse checkout has it in no folder, and git takes it for unchanged
    is_left_out: bool = False


class Staging:
    """The tracked files in the order of their paths."""

    def __init__(
        self,
        files: Sequence[StagedFile],
        folders: Mapping[bytes, bytes],
        written_ns: int = 0,
        sparse: Mapping[bytes, bytes] = MappingProxyType({}),
    ) -> None:
        """`folders` are the hashes of those that are as in some commit, by path with a slash.

        `sparse` are those that a checkout leaves out as a whole, with no files here. A file that
        was changed when this was written may have been changed again at the same time.
        """
        self.written_ns = written_ns
        self.sparse = sparse
        self.files = files
        self._folders = {**folders, **sparse}
        self._paths = [file.path for file in files]

    def changed_since(
        self, objects: GitObjects, tree: bytes, skipped: Skipped | None = None
    ) -> Iterator[tuple[Version | None, StagedFile | None]]:
        """Files that a commit's tree has not as they are here; raises one of `DAMAGE`.

        Folders that can't be read are passed over if there is someone to be told.
        """
        try:
            yield from self._changed(objects, tree, b"", _MOST_DEPTH, skipped, TreeWork())
        except UnreadObjectError as error:
            if skipped is None:
                raise
            skipped(error.gap)

    def _changed(
        self,
        objects: GitObjects,
        tree: bytes,
        folder: bytes,
        depth: int,
        skipped: Skipped | None,
        work: TreeWork,
    ) -> Iterator[tuple[Version | None, StagedFile | None]]:
        if self._folders.get(folder) == tree:
            return
        if depth <= 0:
            raise UnreadObjectError(crowded(folder, tree))
        try:
            if folder in self.sparse:
                left_out = self.sparse[folder]
                yield from _left_out_changes(objects, folder, tree, left_out, depth, work)
                return
            data = objects.data(tree, "tree")
            entries = tree_entries(data)
        except ValueError as error:
            damaged = ObjectGap("", "tree", tree, DAMAGED)
            gap = error.gap if isinstance(error, UnreadObjectError) else damaged
            unread = UnreadObjectError(gap).at(os.fsdecode(folder))
            if skipped is None:
                raise unread from None
            skipped(unread.gap)
            return
        work.add_folder(folder, tree, len(data))
        for path in self._sparse_beside(folder, entries):
            yield from _left_out_changes(objects, path, b"", self.sparse[path], depth, work)
        files, folders = self._inside(folder)
        for name, (mode, identity) in entries.items():
            path = folder + name
            if not is_file_name(name.removesuffix(b"/")):
                continue
            if name.endswith(b"/"):
                folders.pop(path, None)
                yield from self._changed(objects, identity, path, depth - 1, skipped, work)
                continue
            file = files.pop(path, None)
            if file is None or (file.identity, file.mode) != (identity, mode):
                work.add_path(folder, tree, path)
                yield Version(os.fsdecode(path), mode, identity), file
        new = [*files.values()]
        for begin, end in folders.values():
            new += self.files[begin:end]
        yield from ((None, item) for item in new)

    def left_out(self, objects: GitObjects) -> Iterator[StagedFile]:
        """The files of folders that are left out as a whole; raises one of `DAMAGE`."""
        work = TreeWork()
        for folder, tree in self.sparse.items():
            for _, file in _left_out_changes(objects, folder, b"", tree, _MOST_DEPTH, work):
                if file is not None:
                    yield file

    def _sparse_beside(self, folder: bytes, entries: Collection[bytes]) -> Iterator[bytes]:
        """The folders that are left out, in one of which a commit has not these entries."""
        for path in self.sparse:
            if path.startswith(folder):
                name, slash, _ = path[len(folder) :].partition(b"/")
                if slash and name + slash not in entries:
                    yield path

    def is_as_added(self, file: StagedFile, size: int, mtime_ns: int) -> bool:
        """True for a tracked file of this size and time, which is as it was when it was added."""
        return (
            file.size == size & 0xFFFFFFFF
            and file.mtime_ns == mtime_ns < self.written_ns
            and file.size > 0
        )

    def in_folder(self, folder: bytes) -> dict[bytes, StagedFile]:
        """The tracked files of a folder, with its slash, by their names."""
        return {path[len(folder) :]: file for path, file in self._inside(folder)[0].items()}

    def folders(self) -> frozenset[bytes]:
        """The folders of tracked files, each with its slash; the root is empty."""
        return frozenset([path[: path.rfind(b"/") + 1] for path in self._paths])

    def find(self, path: bytes) -> StagedFile | None:
        """A tracked file."""
        at = bisect_left(self._paths, path)
        return self.files[at] if at < len(self.files) and self._paths[at] == path else None

    def _inside(
        self, folder: bytes
    ) -> tuple[dict[bytes, StagedFile], dict[bytes, tuple[int, int]]]:
        """The files in a folder, and the folders in it with the places of all files below them."""
        files: dict[bytes, StagedFile] = {}
        folders: dict[bytes, tuple[int, int]] = {}
        at = bisect_left(self._paths, folder)
        while at < len(self._paths) and self._paths[at].startswith(folder):
            path = self._paths[at]
            slash = path.find(b"/", len(folder))
            if slash < 0:
                files[path] = self.files[at]
                at += 1
            else:
                inner = path[: slash + 1]
                # the byte behind a slash
                end = bisect_left(self._paths, path[:slash] + b"0", at)
                folders[inner] = at, end
                at = end
        return files, folders


def read_staging(own: str) -> Staging:
    """The index in a checkout's own folder of `.git`; one of `DAMAGE` for one that is damaged."""
    file = os.path.join(own, "index")
    try:
        written_ns = os.stat(file).st_mtime_ns
    except OSError:
        written_ns = 0
    data = content(file, _MOST_BYTES)
    if not data:
        return Staging((), {})
    magic, version, count = _HEAD.unpack_from(data)
    if magic != _MAGIC or version not in _VERSIONS:
        raise ValueError(version)
    files: list[StagedFile] = []
    sparse: dict[bytes, bytes] = {}
    at, path = _HEAD.size, b""
    for _ in range(count):
        fields = _ENTRY.unpack_from(data, at)
        flags, begin = fields[11], at + _ENTRY.size
        is_left_out = False
        if flags & _EXTENDED:
            is_left_out = bool(_FLAGS.unpack_from(data, begin)[0] & _SKIPPED)
            begin += _FLAGS.size
        if version == _COMPRESSED:
            cut, begin = _number(data, begin)
            end = data.index(b"\0", begin)
            path = path[: len(path) - cut] + data[begin:end]
            at = end + 1
        else:
            end = data.index(b"\0", begin)
            path = data[begin:end]
            at += (end - at + 8) // 8 * 8
        if fields[6] == _SPARSE_FOLDER:
            sparse[path] = fields[10]
        elif not flags & _STAGES:
            time = fields[2] * _SECOND + fields[3]
            mode = f"{fields[6]:o}".encode()
            files.append(StagedFile(path, mode, fields[10], fields[9], time, is_left_out))
    return Staging(files, dict(_folders(data, at)), written_ns, sparse)


def _left_out_changes(
    objects: GitObjects, folder: bytes, old: bytes, new: bytes, depth: int, work: TreeWork
) -> Iterator[tuple[Version | None, StagedFile | None]]:
    """Files that differ between two trees of a folder that is left out; a tree may be empty."""
    if old == new:
        return
    if depth <= 0:
        raise UnreadObjectError(crowded(folder, old or new))
    before, after = (
        tree_entries(objects.data(tree, "tree")) if tree else {} for tree in (old, new)
    )
    work.add_folder(folder, old or new, len(before) + len(after))
    for name in sorted({*before, *after}):
        was, now = before.get(name), after.get(name)
        if was == now or not is_file_name(name.removesuffix(b"/")):
            continue
        path = folder + name
        if name.endswith(b"/"):
            old_tree, new_tree = (entry[1] if entry else b"" for entry in (was, now))
            yield from _left_out_changes(objects, path, old_tree, new_tree, depth - 1, work)
            continue
        work.add_path(folder, old or new, path)
        yield (
            Version(os.fsdecode(path), was[0], was[1]) if was else None,
            StagedFile(path, now[0], now[1], 0, 0, is_left_out=True) if now else None,
        )


def mark_of_staging(own: str) -> bytes:
    """The mark of one state of a checkout's index; empty where it can't be read.

    The file ends with a hash of itself, unless git is told to leave it out.
    """
    try:
        with GitFile(os.path.join(own, "index")) as file:
            told = file.stat
            hashed = file.read(max(told.st_size - _HASH_BYTES, 0), _HASH_BYTES)
    except OSError:
        return b""
    numbers = told.st_ino, told.st_size, told.st_mtime_ns, told.st_ctime_ns
    return repr(numbers).encode() + hashed


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number as offsets in packs are written, and where it ends."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 0x7F)
    return value, at + 1


def _folders(data: bytes, at: int) -> Iterator[tuple[bytes, bytes]]:
    """The folders of the extension TREE that are as a commit has them."""
    end = len(data) - _HASH_BYTES
    while at + _EXTENSION.size <= end:
        name, size = _EXTENSION.unpack_from(data, at)
        at += _EXTENSION.size
        if name == b"TREE":
            yield from _tree_rows(data[at : at + size])
            return
        at += size


def _tree_rows(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    # folders that are open: path, and how many of those inside are still to come
    around: list[tuple[bytes, int]] = []
    while at < len(data):
        end = data.index(b"\0", at)
        line = data.index(b"\n", end)
        count, inside = map(int, data[end + 1 : line].split(b" "))
        while around and not around[-1][1]:
            around.pop()
        above = around[-1][0] if around else b""
        if around:
            around[-1] = above, around[-1][1] - 1
        name = data[at:end]
        path = above + name + b"/" if name else b""
        at = line + 1
        if count >= 0:
            yield path, data[at : at + _HASH_BYTES]
            at += _HASH_BYTES
        around.append((path, inside))
