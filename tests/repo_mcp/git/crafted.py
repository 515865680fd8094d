"""Repositories that git has not written: objects of any bytes, under any hash, in any packs."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from index_format.tuples import NamedTuple

BLOB, TREE, OFFSET_DELTA, HASH_DELTA = 3, 2, 6, 7
_CODE: Final = b"def add_tax():\n    return 1\n"
_FIRST_SECOND: Final = 1_700_000_000


class TreeRow(NamedTuple):
    """An entry of a tree."""

    name: str | bytes
    identity: bytes
    mode: str = "100644"


class Packed(NamedTuple):
    """An object of a pack: its hash, its type, the size that it says, and its packed bytes."""

    identity: bytes
    kind: int
    size: int
    data: bytes
    # the hash of what a delta is of
    base: bytes = b""

    @classmethod
    def of(cls, identity: bytes, kind: int, data: bytes, base: bytes = b"") -> Packed:
        """The object of a content."""
        return cls(identity, kind, len(data), zlib.compress(data), base)


class CraftedRepository:
    """A checkout with one file, whose `.git` is written object by object."""

    def __init__(self, root: Path) -> None:
        """Write what a repository has at least."""
        self.root = root
        self.git = root / ".git"
        for folder in ("refs/heads", "objects/pack"):
            (self.git / folder).mkdir(parents=True)
        (self.git / "HEAD").write_text("ref: refs/heads/main\n")
        (self.git / "config").write_text("[core]\n\trepositoryformatversion = 0\n")
        (root / "rates.py").write_bytes(_CODE)
        self.code = self.add("blob", _CODE)
        self._time = _FIRST_SECOND

    def add(self, kind: str, data: bytes, identity: bytes = b"") -> bytes:
        """Write a loose object; returns its hash."""
        raw = f"{kind} {len(data)}\0".encode() + data
        identity = identity or hashlib.sha1(raw, usedforsecurity=False).digest()
        path = self.git / "objects" / identity.hex()[:2] / identity.hex()[2:]
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(zlib.compress(raw))
        return identity

    def tree(self, rows: Iterable[TreeRow]) -> bytes:
        """Write a tree."""
        return self.add("tree", tree_bytes(rows))

    def commit(self, tree: bytes, parents: Sequence[bytes] = (), message: str = "x") -> bytes:
        """Write a commit; returns its hash."""
        self._time += 100
        who = f"Ada <ada@example.org> {self._time} +0000"
        head = [f"tree {tree.hex()}", *(f"parent {parent.hex()}" for parent in parents)]
        head += [f"author {who}", f"committer {who}", "", message]
        return self.add("commit", "\n".join(head).encode())

    def history(self, *rows: TreeRow, message: str = "more") -> bytes:
        """Three commits: one file, with these entries beside it, one file; returns the second."""
        plain = self.tree([TreeRow("rates.py", self.code)])
        first = self.commit(plain, (), "begin")
        second = self.commit(self.tree([TreeRow("rates.py", self.code), *rows]), [first], message)
        self.head(self.commit(plain, [second], "end"))
        return second

    def head(self, commit: bytes) -> None:
        """Have this commit checked out."""
        (self.git / "refs" / "heads" / "main").write_text(f"{commit.hex()}\n")

    def bomb(self, levels: int = 10, wide: int = 10, leaf: TreeRow | None = None) -> TreeRow:
        """A folder of few objects, and of more paths than there are numbers."""
        row = leaf or TreeRow("f", self.code)
        for _ in range(levels):
            tree = self.tree(row._replace(name=f"f{number}") for number in range(wide))
            row = TreeRow("f", tree, "40000")
        return row._replace(name="bomb")

    def pack(self, *objects: Packed, name: str = "pack-crafted") -> None:
        """Write a pack and its index."""
        data = bytearray(b"PACK" + struct.pack(">II", 2, len(objects)))
        offsets: dict[bytes, int] = {}
        for item in objects:
            offsets[item.identity] = len(data)
            data += _entry_head(item.kind, item.size) + item.base + item.data
        hashes = sorted(offsets)
        counts = [sum(identity[0] <= first for identity in hashes) for first in range(256)]
        index = b"\xfftOc\x00\x00\x00\x02" + struct.pack(">256I", *counts) + b"".join(hashes)
        index += bytes(4 * len(hashes))
        index += b"".join(struct.pack(">I", offsets[identity]) for identity in hashes)
        folder = self.git / "objects" / "pack"
        (folder / f"{name}.pack").write_bytes(bytes(data) + bytes(20))
        (folder / f"{name}.idx").write_bytes(index + bytes(40))


def tree_bytes(rows: Iterable[TreeRow]) -> bytes:
    """The bytes of a tree."""
    named = ((row, row.name.encode() if isinstance(row.name, str) else row.name) for row in rows)
    return b"".join(b"%s %s\0%s" % (row.mode.encode(), name, row.identity) for row, name in named)


def repeated(unit: bytes, times: int) -> bytes:
    """The packed bytes of so many times the same, made piece by piece."""
    packing = zlib.compressobj(9)
    at_once = max((1 << 20) // len(unit), 1)
    pieces = [
        packing.compress(unit * min(at_once, times - begin)) for begin in range(0, times, at_once)
    ]
    return b"".join([*pieces, packing.flush()])


def delta(before: int, after: int, commands: bytes) -> bytes:
    """A delta of something of a size to something of another one."""
    return _number(before) + _number(after) + commands


def _number(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def _entry_head(kind: int, size: int) -> bytes:
    found = bytearray()
    byte, size = kind << 4 | size & 15, size >> 4
    while size:
        found.append(byte | 0x80)
        byte, size = size & 0x7F, size >> 7
    return bytes([*found, byte])
