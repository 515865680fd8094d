"""Where workers find the files of a part, as values in its order, and how they lay them out.

    []                                           the checkout, at the path of the recipe
    ["files", object]                            an archive of this part, see `inputs`
    ["git", repository, commit]                  files of a commit, where workers have it
    ["tar", object, [[path, offset, size], …]]   ranges of one archive of the tree

All but the first become files of an empty folder. What is there may differ from the checkout of
whoever gives the orders: the refresh that follows compares every file, and indexes what differs.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator, Sequence
from typing import Any, Final, Protocol

from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.git import GitHistory, GitTree
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.build.tasks import FileResult, FileTask
from repo_mcp.remote.cluster.inputs import MAX_ARCHIVE_BYTES, pack_files, unpack_files, write_file
from repo_mcp.remote.publish import ObjectStore
from repo_mcp.safety.sandbox import Sandbox, StatKey

# the values of `--files`
CHECKOUT: Final = "checkout"
STORE: Final = "store"
GIT: Final = "git"
TAR: Final = "tar"
_FILES: Final = "files"
# read at once of an archive: headers of files lie between their contents
_BUFFER_BYTES: Final = 1 << 20
# files of an archive that are so near each other are read together, up to so much
_GAP_BYTES: Final = 1 << 16
_RANGE_BYTES: Final = 8 << 20


class PartFiles(NamedTuple):
    """The files of a part for a worker, and what is known of them here.

    `keys` are those of files that were read here, `unread` those that could not be.
    """

    inputs: list[Any]
    files: Sequence[FileTask]
    keys: dict[str, StatKey]
    unread: list[FileResult]


class PartSource(Protocol):
    """Says for the files of a part where workers find them."""

    def part(self, wanted: Sequence[FileTask]) -> PartFiles:
        """These files."""
        ...


class _Fixed:
    """All parts have the same inputs."""

    def __init__(self, inputs: list[Any]) -> None:
        self._inputs = inputs

    def part(self, wanted: Sequence[FileTask]) -> PartFiles:
        return PartFiles(self._inputs, wanted, {}, [])


class _Uploaded:
    """Files that are read here, and brought to the workers through the store."""

    def __init__(self, store: ObjectStore, sandbox: Sandbox, uploaded: set[str]) -> None:
        self._store = store
        self._sandbox = sandbox
        self._uploaded = uploaded

    def part(self, wanted: Sequence[FileTask]) -> PartFiles:
        packed = pack_files(self._sandbox, wanted)
        if packed.name and packed.name not in self._uploaded:
            self._store.put(packed.name, [packed.data])
            self._uploaded.add(packed.name)
        return PartFiles([_FILES, packed.name], packed.files, packed.keys, packed.unread)


class _Archived:
    """Files of an archive in the store, which was not compressed: each is a range of it."""

    def __init__(self, store: ObjectStore, name: str) -> None:
        self._name = name
        folder = name.rpartition("/")[0]
        size = next((row.size for row in store.rows(folder) if row.name == name), None)
        if size is None:
            raise Problem("argument_invalid", f"there is no object {name} in the store")
        self._places = dict(_entries(_Ranges(store, name, size)))

    def part(self, wanted: Sequence[FileTask]) -> PartFiles:
        rows = [
            [item.path, *self._places[item.path]] for item in wanted if item.path in self._places
        ]
        return PartFiles([TAR, self._name, rows], wanted, {}, [])


def open_source(
    files: str, recipe: Recipe, sandbox: Sandbox, store: ObjectStore, uploaded: set[str]
) -> PartSource:
    """The source that `--files` names; `uploaded` gets the names of objects that it puts there."""
    kind, _, where = files.partition(":")
    if files == CHECKOUT:
        return _Fixed([])
    if files == STORE:
        return _Uploaded(store, sandbox, uploaded)
    if kind == GIT:
        commit = GitHistory(recipe.root).head()
        if not commit:
            raise Problem("argument_invalid", "the commit of this checkout is not known")
        return _Fixed([GIT, where or recipe.root, commit])
    if kind == TAR and "/" in where and ".." not in where:
        return _Archived(store, where)
    raise Problem("argument_invalid", "--files is checkout, store, git, git:PATH, tar:FOLDER/NAME")


class Materials:
    """Lays out the files of orders in a folder of a worker."""

    def __init__(self, store: ObjectStore, root: str) -> None:
        """Nothing is read yet."""
        self._store = store
        self._root = root
        self._tree: tuple[tuple[str, str], GitTree] | None = None

    def lay_out(self, inputs: Sequence[Any], wanted: Sequence[FileTask]) -> None:
        """Write these files, as far as they are there; the folder has to be empty."""
        if inputs[0] == _FILES:
            if inputs[1]:
                unpack_files(self._store, inputs[1], self._root)
        elif inputs[0] == GIT:
            tree = self._git_tree(inputs[1], inputs[2])
            for item in wanted:
                data = tree.content(item.path)
                if data is not None:
                    write_file(self._root, item.path, data)
        else:
            for path, data in _read_ranges(self._store, inputs[1], inputs[2]):
                write_file(self._root, path, data)

    def _git_tree(self, repository: str, commit: str) -> GitTree:
        if self._tree is None or self._tree[0] != (repository, commit):
            tree = GitTree(repository, commit)
            if not tree.is_known:
                raise Problem("engine_unusable", f"a worker's repository lacks {commit[:12]}")
            self._tree = (repository, commit), tree
        return self._tree[1]


def _read_ranges(
    store: ObjectStore, name: str, rows: Sequence[Sequence[Any]]
) -> Iterator[tuple[str, bytes]]:
    """Files of an archive, of which neighbours are read together."""
    group: list[Sequence[Any]] = []
    for row in [*sorted(rows, key=lambda row: int(row[1])), None]:
        if group and (row is None or not _is_near(group, row)):
            begin, end = group[0][1], group[-1][1] + group[-1][2]
            data = store.read(name, begin, end - begin) if end > begin else b""
            for path, offset, size in group:
                yield path, data[offset - begin : offset - begin + size]
            group = []
        if row is not None:
            group.append(row)


def _is_near(group: Sequence[Sequence[Any]], row: Sequence[Any]) -> bool:
    _, begin, size = row
    end = group[-1][1] + group[-1][2]
    return bool(begin - end <= _GAP_BYTES and begin + size - group[0][1] <= _RANGE_BYTES)


def _entries(archive: _Ranges) -> Iterator[tuple[str, tuple[int, int]]]:
    """Paths of the regular files of an archive, with where they begin and their sizes."""
    try:
        with tarfile.open(
            fileobj=io.BufferedReader(archive, _BUFFER_BYTES),
            mode="r:",
            encoding="utf-8",
            errors="surrogateescape",
        ) as found:
            while (item := found.next()) is not None:
                found.members = []  # type: ignore[attr-defined]  # it would keep all of them
                if item.isreg() and not item.issparse() and item.size <= MAX_ARCHIVE_BYTES:
                    yield item.name.removeprefix("./"), (item.offset_data, item.size)
    except tarfile.TarError:
        detail = "the object is no tar archive, or a compressed one: it is read by ranges"
        raise Problem("argument_invalid", detail) from None


class _Ranges(io.RawIOBase):
    """An object of the store as a file."""

    def __init__(self, store: ObjectStore, name: str, size: int) -> None:
        self._store = store
        self._name = name
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(base + offset, 0)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 the form of the base
        length = min(len(buffer), self._size - self._at)
        if length <= 0:
            return 0
        data = self._store.read(self._name, self._at, length)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)
