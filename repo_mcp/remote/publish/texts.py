"""Packs the texts of a checkout: neighbouring files together, cut by their paths.

Where a pack ends follows from the path of its last file, or from its size. So an edit changes the
pack that the file is in and no other, and equal trees have equal packs, whatever was published
before. No pack is kept: the one that is uploaded is made again, and has to be what it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final

from index_format.analysis.content import fingerprint
from index_format.blake2 import blake2b
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.documents import has_text
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.remote.publish import names
from repo_mcp.remote.publish.tree import (
    NOWHERE,
    PackedPlace,
    StoredPack,
    TextKind,
    TreeFile,
    digest_of,
    encode_tree,
    stored_text,
)
from repo_mcp.safety.sandbox import is_speakable
from repo_mcp.text.files import decode

# files of a pack on average, and bytes of texts at which one ends in any case: a pack is about as
# large as a block of an index that is read in place, and one edit uploads a pack
_FILES_PER_PACK: Final = 32
_MOST_PACKED: Final = 1 << 20
# of paths that a walk has visited: how they are published, by why they are not indexed
_KINDS: Final = {"": TextKind.FILE, "large": TextKind.LARGE, "link": TextKind.LINK}
_NO_DIGEST: Final = bytes(names.DIGEST_BYTES)
_OTHER: Final = TreeFile("", TextKind.OTHER, 0, _NO_DIGEST, NOWHERE)


class CheckoutFile(NamedTuple):
    """A file of a checkout, which a walk has found: it is listed, and read unless it is large."""

    path: str
    kind: TextKind
    size: int


# the bytes of a file, as they are now
ReadBytes = Callable[[CheckoutFile], bytes]


class TextExport:
    """The packs and the tree of some files, in the order of their paths.

    A link to a file of the tree has the text of that, any other has none.
    """

    def __init__(self, files: Sequence[CheckoutFile], read: ReadBytes) -> None:
        """Read all texts once, for the names of packs and tree; raises a `Problem`."""
        self._read = read
        self._packs: dict[str, Sequence[CheckoutFile]] = {}
        packs: list[StoredPack] = []
        listed: list[TreeFile] = []
        for group in _cut(file for file in files if file.kind is not TextKind.LINK):
            data, rows = self._pack(group, len(packs))
            listed += rows
            if data:
                packs.append(StoredPack(digest_of(data), len(data)))
                self._packs[packs[-1].name] = group
        texts = {file.digest: file for file in listed if file.has_text}
        for link in (file for file in files if file.kind is TextKind.LINK):
            target = texts.get(digest_of(read(link)))
            if target is None or not target.size:
                target = _OTHER
            kind = TextKind.LINK if target.size else TextKind.OTHER
            listed.append(target._replace(path=link.path, kind=kind))
        self.tree = encode_tree(packs, sorted(listed))
        name = names.tree_of(digest_of(self.tree))
        # how many bytes each object has, by its name
        self.sizes: Mapping[str, int] = {
            **{pack.name: pack.length for pack in packs},
            name: len(self.tree),
        }

    @property
    def names(self) -> tuple[str, ...]:
        """The names of packs and tree, sorted."""
        return tuple(sorted(self.sizes))

    def data(self, name: str) -> bytes:
        """The bytes of an object; raises a `Problem` if files of it have changed meanwhile."""
        if names.is_tree(name):
            return self.tree
        data, _ = self._pack(self._packs[name], 0)
        if names.pack_of(digest_of(data)) != name:
            raise Problem("file_changing")
        return data

    def _pack(self, files: Sequence[CheckoutFile], number: int) -> tuple[bytes, Sequence[TreeFile]]:
        """The bytes of the pack with this number, and rows of its files; equal texts are once."""
        parts: list[bytes] = []
        rows: list[TreeFile] = []
        places: dict[bytes, PackedPlace] = {}
        size = 0
        for file in files:
            if file.kind is TextKind.LARGE:
                rows.append(TreeFile(file.path, file.kind, file.size, _NO_DIGEST, NOWHERE))
                continue
            text = self._read(file)
            digest = digest_of(text)
            is_binary = decode(text) is None and not has_text(file.path)
            kind = TextKind.BINARY if is_binary else TextKind.FILE
            if text and not is_binary and digest not in places:
                stored = stored_text(text)
                places[digest] = PackedPlace(number, size, len(stored))
                parts.append(stored)
                size += len(stored)
            place = places.get(digest, NOWHERE)
            rows.append(TreeFile(file.path, kind, len(text), digest, place))
        return b"".join(parts), rows


def read_texts(manager: IndexManager, budget: Budget, *, is_last: bool) -> TextExport:
    """The texts of the files that a walk for the index finds, with those that have none there.

    Raises a `Problem` where one is not as the index has it. One that the index lacks for a reason
    of its own is taken in the `is_last` attempt.
    """
    text = manager.snapshot()
    if text is None:
        raise Problem("index_missing")
    sandbox = manager.sandbox
    files = [
        CheckoutFile(visited.path, _KINDS[visited.reason], visited.key.size if visited.key else 0)
        for visited in manager.discovery().candidates(budget)
        if visited.reason in _KINDS and is_speakable(visited.path)
    ]

    def read(file: CheckoutFile) -> bytes:
        budget.check()
        if file.kind is TextKind.LINK:
            with suppress(Problem):
                return sandbox.read_bytes(file.path).data
            return b""
        data = sandbox.read_bytes(file.path, follow=False).data
        indexed = text.file(file.path)
        if has_text(file.path) or decode(data) is None or (indexed is None and is_last):
            return data
        if indexed is None or indexed.fingerprint != fingerprint(data):
            raise Problem("index_behind")
        return data

    if {*text.paths()} - {file.path for file in files}:
        raise Problem("index_behind")
    return TextExport(files, read)


def _cut(files: Iterable[CheckoutFile]) -> Iterator[Sequence[CheckoutFile]]:
    """The files of each pack."""
    group: list[CheckoutFile] = []
    size = 0
    for file in files:
        group.append(file)
        size += 0 if file.kind is TextKind.LARGE else file.size
        mark = blake2b(file.path.encode(), digest_size=4).digest()
        if size >= _MOST_PACKED or not int.from_bytes(mark, "little") % _FILES_PER_PACK:
            yield group
            group, size = [], 0
    if group:
        yield group
