"""The door to a published tree: its files are read by ranges of packs, without a checkout.

A file is named as the tree has it, and nothing else is in the tree: no name leads out of it. A text
is shown once its hash is the one that the tree has, and the tree's hash is in the publication.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import groupby
from typing import Final, TypeVar

from index_format import CorruptIndexError, StoreError
from repo_mcp import side_files
from repo_mcp.errors import Problem
from repo_mcp.remote.objects.blocks import BlockCache
from repo_mcp.remote.objects.contract import ObjectReader
from repo_mcp.remote.objects.ranges import RangeHandle, shared_reader
from repo_mcp.remote.publish import names
from repo_mcp.remote.publish.publication import Publication, decode, invalid, read_publication
from repo_mcp.remote.publish.tree import PublishedTree, TextKind, TreeFile, read_text
from repo_mcp.safety.sandbox import Folder, FolderEntry, FolderId, RootState, StatKey
from repo_mcp.safety.sandbox.door import Check, HandleInfo, Names
from repo_mcp.safety.sandbox.one_by_one import OneByOneDoor

# packs that are read at a time
_REQUESTS: Final = 8
# open packs that are known
_MOST_OPEN: Final = 256
# of a text with other bytes than its own: what was damaged on its way is right the second time
_ATTEMPTS: Final = 2
_LINKS: Final = frozenset({TextKind.LINK, TextKind.OTHER})
_PUBLICATION: Final = "publication.json"
_TREE: Final = "tree.rmt"

T = TypeVar("T")


def same_always() -> RootState:
    """The state of a publication that is not followed: nothing takes its place."""
    return RootState.SAME


class PublishedDoor(OneByOneDoor):
    """Opens files of one publication; thread-safe."""

    windows = False

    def __init__(
        self,
        open_store: Callable[[], ObjectReader],
        publication: Publication,
        tree: PublishedTree,
        blocks: BlockCache,
        root: str,
        state: Callable[[], RootState] = same_always,
    ) -> None:
        """Keep the arguments; `root` is an empty folder, which stands for the tree.

        The store is opened for a text that is not kept here.
        """
        self.publication = publication
        self.tree = tree
        self._open_store = open_store
        self._blocks = blocks
        self._root = root
        self._state = state
        self._guard = threading.Lock()
        self._packs: OrderedDict[int, RangeHandle] = OrderedDict()

    @property
    def roots(self) -> tuple[str, ...]:
        """The path of the folder that stands for the tree."""
        return (self._root,)

    @property
    def folder(self) -> FolderId:
        """The identity of the publication: no other one has both numbers."""
        identity = self.publication.identity
        return FolderId(int(identity[:15], 16), int(identity[15:30], 16))

    @property
    def anchor(self) -> str:
        """The folder that stands for the tree: no program reaches files in it."""
        return self._root

    def root_state(self) -> RootState:
        """The state of the publication: replaced once another one is served."""
        return self._state()

    def open(self, names: Names, check: Check, *, follow: bool) -> int:
        """The number of a file; that of a link where links are followed."""
        check(names, folder=False)
        path = "/".join(names)
        number = self.tree.find(path)
        if number is None:
            is_folder = next(self.tree.entries(path), None) is not None
            raise Problem("not_a_file" if is_folder else "not_found")
        kind = self.tree.file(number).kind
        if kind in _LINKS and not follow:
            raise Problem("not_a_file")
        if kind is TextKind.OTHER:
            raise Problem("not_found")
        return number

    def handle_info(self, handle: int) -> HandleInfo:
        """Type and key of a file."""
        return HandleInfo(regular=True, links=1, key=_key(self.tree.file(handle)))

    def real_names(self, handle: int) -> Names | None:
        """The file's path."""
        return tuple(self.tree.file(handle).path.split("/"))

    def read(self, handle: int, most: int) -> bytes:
        """All bytes of a text, but no more than `most`."""
        file = self.tree.file(handle)
        if not file.has_text:
            raise Problem("binary_file" if file.kind is TextKind.BINARY else "file_too_large")
        return self._text(file)[:most]

    def read_plain(
        self,
        paths: Sequence[str],
        *,
        most_bytes: int,
        hard_links: bool,  # noqa: ARG002 there are none
    ) -> Sequence[tuple[bytes, StatKey] | None]:
        """Read plain files, several packs at a time."""
        files: dict[str, TreeFile] = {}
        for path in paths:
            number = self.tree.find(path)
            file = None if number is None else self.tree.file(number)
            if file is not None and file.kind is TextKind.FILE and file.size <= most_bytes:
                files[path] = file
        wanted = sorted(files.values(), key=lambda file: file.place)
        packs = [[*group] for _, group in groupby(wanted, lambda file: file.place.pack)]
        if len(packs) > 1:
            with ThreadPoolExecutor(min(len(packs), _REQUESTS)) as pool:
                read = [*pool.map(self._texts, packs)]
        else:
            read = [*map(self._texts, packs)]
        texts = {path: text for group in read for path, text in group.items()}
        return [(texts[path], _key(files[path])) if path in texts else None for path in paths]

    def _texts(self, files: Sequence[TreeFile]) -> Mapping[str, bytes]:
        """The texts of files of one pack; none of one that can't be read, which is told alone."""
        ranges = [(file.place.begin, file.place.length) for file in files if file.place.length]
        if len(ranges) > 1:
            self._pack(files[0].place.pack).expect(ranges)
        texts: dict[str, bytes] = {}
        for file in files:
            try:
                texts[file.path] = self._text(file)
            except Problem:
                continue
        return texts

    def _text(self, file: TreeFile) -> bytes:
        """The text of a file; a `Problem` where it can't be had, or is another one."""
        if not file.size:
            return b""
        pack = self._pack(file.place.pack)
        for _ in range(_ATTEMPTS):
            try:
                stored = pack.read(file.place.begin, file.place.length)
            except StoreError as error:
                raise Problem("store_unavailable", str(error)[:200]) from error
            except CorruptIndexError as error:
                raise invalid(self.publication.identity, str(error)) from error
            text = read_text(stored, file)
            if text is not None:
                return text
            self._blocks.forget(pack.name)
        raise invalid(self.publication.identity, f"{pack.name} has another text than its tree says")

    def _pack(self, number: int) -> RangeHandle:
        with self._guard:
            pack = self._packs.pop(number, None)
            if pack is None:
                stored = self.tree.packs[number]
                pack = RangeHandle(
                    self._open_store(), stored.name, stored.length, self._blocks, folder=names.TEXTS
                )
            self._packs[number] = pack
            if len(self._packs) > _MOST_OPEN:
                self._packs.popitem(last=False)
            return pack

    def release(self, handle: int) -> None:
        """Do nothing: a text is open only while it is read."""

    def list_folder(self, names: Names) -> Folder:
        """List a folder."""
        path = "/".join(names)
        listed = [self._entry(name, number) for name, number in self.tree.entries(path)]
        if not listed and names:
            raise Problem("not_found" if self.tree.find(path) is None else "not_a_folder")
        return Folder(sorted(listed, key=lambda entry: entry.name.encode()), 0, 0)

    list_names = list_folder

    def _entry(self, name: str, number: int | None) -> FolderEntry:
        if number is None:
            return FolderEntry(name, "folder", None)
        file = self.tree.file(number)
        if file.kind in _LINKS:
            return FolderEntry(name, "link", None)
        return FolderEntry(name, "file", _key(file))

    def close(self) -> None:
        """Do nothing: what reads the store is used by others."""


def _key(file: TreeFile) -> StatKey:
    """The size and the hash: equal for equal contents, and never a time that is still going."""
    change = -(int.from_bytes(file.digest[:8], "big") >> 1)
    return StatKey(file.size, 0, change, int.from_bytes(file.digest[8:16], "big"))


def open_published(
    url: str,
    identity: str,
    folder: str,
    blocks: tuple[str, int],
    root: str,
    state: Callable[[], RootState] = same_always,
) -> PublishedDoor:
    """The door to a publication at an address; raises a `Problem`.

    Publication and tree are kept in the `folder`, and compared with their hashes each time.
    """
    publication = _read(folder, _PUBLICATION, lambda data: decode(data, identity))
    if publication is None:
        publication = read_publication(shared_reader(url), identity)
        if publication is None:
            raise Problem("publication_missing", f"{identity[:12]} was removed")
        _keep(folder, _PUBLICATION, publication.data)
    name = publication.tree
    if not name:
        text = f"{identity[:12]} has no texts of files: publish with --texts"
        raise Problem("publication_missing", text)
    tree = _read(folder, _TREE, lambda data: PublishedTree.decode(data, name))
    if tree is None:
        found = shared_reader(url).get(names.texts(name), names.MAX_TREE_BYTES)
        if found is None:
            raise invalid(identity, "its tree is missing")
        tree = PublishedTree.decode(found.data, name)
        _keep(folder, _TREE, found.data)
    # a collector goes by the list
    if {*tree.names, name} != {*publication.texts}:
        raise invalid(identity, "its tree has other packs")
    side_files.make_folders(root)
    open_store = partial(shared_reader, url)
    kept = BlockCache(blocks[0], blocks[1])
    return PublishedDoor(open_store, publication, tree, kept, root, state)


def _read(folder: str, name: str, parse: Callable[[bytes], T]) -> T | None:
    """A value that is kept in a folder; None without one, or where it is not as it was."""
    with suppress(OSError, Problem):
        return parse(side_files.get(folder, name, names.MAX_TREE_BYTES))
    return None


def _keep(folder: str, name: str, data: bytes) -> None:
    """Keep bytes in a folder, if the disk lets us."""
    with suppress(OSError):
        side_files.make_folders(folder)
        side_files.put(folder, name, data)
