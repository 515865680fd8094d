"""Which commit a checkout is at, those before it, and other worktrees, as the files of `.git` say.

No program is started and nothing outside of `.git` is read: of a worktree, the folders that its
`.git` file names. Only hashes of commits and folders of worktrees leave this module; what can't be
read ends the history there. That costs nothing but a publication that is further away.

A commit is a loose object, or an entry of a pack, where it may be a delta of another one:

    objects/12/3456…        zlib: "commit <size>", a zero byte, the text
    objects/pack/*.idx      version 2: magic, 256 counts, hashes, checksums, offsets, large offsets
    objects/pack/*.pack     at the offset: type and size, 7 bits a byte, then zlib
"""

from __future__ import annotations

import os
import re
import stat
import struct
import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import Final, Self

_READ: Final = os.O_RDONLY | sum(
    getattr(os, f"O_{flag}", 0) for flag in ("NOFOLLOW", "NONBLOCK", "CLOEXEC", "BINARY")
)
_HASH: Final = re.compile(r"[0-9a-f]{40}")
_REF: Final = re.compile(r"refs/[A-Za-z0-9._/@+-]{1,200}")
_PARENT: Final = re.compile(rb"^parent ([0-9a-f]{40})$", re.MULTILINE)
_SMALL_BYTES: Final = 4096
_MAX_PACKED_REFS: Final = 64 << 20
_MAX_COMMIT_BYTES: Final = 1 << 20
_INDEX_MAGIC: Final = b"\xfftOc\x00\x00\x00\x02"
_FAN_OUT: Final = len(_INDEX_MAGIC)
_HASHES: Final = _FAN_OUT + 256 * 4
_LARGE: Final = 1 << 31
_COMMIT, _OFFSET_DELTA, _HASH_DELTA = 1, 6, 7
_MOST_DELTAS: Final = 60
_MOST_PACKS: Final = 1000
# commits that are compared with the ancestors of HEAD, and how far back each is followed
_MOST_RELATIVES: Final = 64
_MOST_STEPS: Final = 1000
_MOST_WORKTREES: Final = 1000


class GitHistory:
    """The history of the checkout at a folder."""

    def __init__(self, root: str) -> None:
        """Find the folders of `.git`; there may be none."""
        self._root = root
        self._own = _git_folder(root)
        common = _text(os.path.join(self._own, "commondir")) if self._own else ""
        self._common = os.path.join(self._own, common) if common else self._own
        self._packs: list[_Pack] | None = None

    @property
    def common(self) -> str:
        """The folder that all worktrees of the repository have in common; empty without one."""
        return os.path.realpath(self._common) if self._common else ""

    def head(self) -> str:
        """The commit that is checked out; empty if that is not known."""
        if not self._own:
            return ""
        text = _text(os.path.join(self._own, "HEAD"))
        for _ in range(5):
            if _HASH.fullmatch(text):
                return text
            name = text.removeprefix("ref: ")
            if name == text or not _REF.fullmatch(name) or ".." in name:
                return ""
            text = self._ref(name)
        return ""

    def ancestors(self) -> Iterator[str]:
        """The commits before HEAD, the nearest first; reads as far as they are asked for."""
        return self._before(self.head())

    def relatives(self, commits: Iterable[str]) -> list[str]:
        """Those of these commits that have an ancestor in common with HEAD, the nearest first.

        As near as both are to that ancestor, together.
        """
        head, candidates = self.head(), list(islice(commits, _MOST_RELATIVES))
        if not head or not candidates:
            return []
        ranks = {item: rank for rank, item in enumerate(islice(self.ancestors(), _MOST_STEPS), 1)}
        ranks[head] = 0
        found = []
        for item in candidates:
            line = chain([item], islice(self._before(item), _MOST_STEPS))
            steps = next((n + ranks[at] for n, at in enumerate(line) if at in ranks), None)
            if steps is not None:
                found.append((steps, item))
        return [item for _, item in sorted(found)]

    def worktrees(self) -> Iterator[str]:
        """The folders of the repository's other worktrees, the first one first.

        A folder is a worktree only if it says so itself, and this one only if the repository does:
        a repository from elsewhere may name any folder.
        """
        marks = [os.path.realpath(git) for git in islice(self._git_marks(), _MOST_WORKTREES)]
        own = os.path.realpath(os.path.join(self._root, ".git"))
        for git in marks if own in marks else ():
            folder, mark = os.path.split(git)
            if git != own and mark == ".git" and GitHistory(folder).common == self.common:
                yield folder

    def _git_marks(self) -> Iterator[str]:
        """The entry `.git` of each worktree."""
        if not self._common:
            return
        yield self._common
        folder = os.path.join(self._common, "worktrees")
        with suppress(OSError):
            for name in sorted(os.listdir(folder)):
                told = _text(os.path.join(folder, name, "gitdir"))
                if told:  # relative to the folder that has the file, where git writes it so
                    yield os.path.normpath(os.path.join(folder, name, told))

    def has(self, commit: str) -> bool:
        """Whether the commit is one of this repository."""
        with suppress(OSError, ValueError, IndexError, struct.error, zlib.error):
            return bool(self._commit(commit))
        return False

    def _before(self, commit: str) -> Iterator[str]:
        seen, waiting = {commit}, deque([commit] if commit else [])
        while waiting:
            for parent in self._parents(waiting.popleft()):
                if parent not in seen:
                    seen.add(parent)
                    waiting.append(parent)
                    yield parent

    def _ref(self, name: str) -> str:
        for folder in (self._own, self._common):
            text = _text(os.path.join(folder, *name.split("/")))
            if text:
                return text
        packed = _content(os.path.join(self._common, "packed-refs"), _MAX_PACKED_REFS)
        row = rb"^([0-9a-f]{40}) " + re.escape(name.encode()) + rb"$"
        found = re.search(row, packed, re.MULTILINE)
        return found[1].decode() if found else ""

    def _parents(self, commit: str) -> list[str]:
        try:
            text = self._commit(commit)
        except (OSError, ValueError, IndexError, struct.error, zlib.error):
            return []
        return [parent.decode() for parent in _PARENT.findall(text.partition(b"\n\n")[0])]

    def _commit(self, commit: str) -> bytes:
        loose = os.path.join(self._common, "objects", commit[:2], commit[2:])
        packed = _content(loose, _MAX_COMMIT_BYTES)
        if packed:
            kind, _, text = _inflate(packed).partition(b"\0")
            return text if kind.startswith(b"commit ") else b""
        kind_of, text = self._packed(bytes.fromhex(commit), _MOST_DELTAS)
        return text if kind_of == _COMMIT else b""

    def _packed(self, identity: bytes, deltas: int) -> tuple[int, bytes]:
        for pack in self._all_packs():
            offset = pack.offset(identity)
            if offset is not None:
                return self._entry(pack, offset, deltas)
        return 0, b""

    def _entry(self, pack: _Pack, offset: int, deltas: int) -> tuple[int, bytes]:
        """Type and content of an entry, after its deltas."""
        if deltas <= 0:
            raise ValueError
        kind, data = pack.entry(offset)
        if kind == _OFFSET_DELTA:
            back, used = _base_distance(data)
            base_kind, base = self._entry(pack, offset - back, deltas - 1)
            return base_kind, _apply(base, _inflate(data[used:]))
        if kind == _HASH_DELTA:
            base_kind, base = self._packed(data[:20], deltas - 1)
            return base_kind, _apply(base, _inflate(data[20:]))
        return kind, _inflate(data) if kind == _COMMIT else b""

    def _all_packs(self) -> list[_Pack]:
        if self._packs is None:
            folder = os.path.join(self._common, "objects", "pack")
            names: list[str] = []
            with suppress(OSError):
                names = sorted(name for name in os.listdir(folder) if name.endswith(".idx"))
            paths = [os.path.join(folder, name[: -len(".idx")]) for name in names[:_MOST_PACKS]]
            self._packs = [_Pack(path) for path in paths]
        return self._packs


class _Pack:
    """A pack and its index, opened for each question: few are asked, of the newest ones."""

    def __init__(self, path: str) -> None:
        self._path = path

    def offset(self, identity: bytes) -> int | None:
        """Where the entry of this hash is, or None."""
        with _File(f"{self._path}.idx") as file:
            if file.read(0, _FAN_OUT) != _INDEX_MAGIC:
                return None
            first = identity[0]
            counts = struct.unpack(">256I", file.read(_FAN_OUT, 1024))
            low, high, total = counts[first - 1] if first else 0, counts[first], counts[255]
            while low < high:
                middle = (low + high) // 2
                found = file.read(_HASHES + 20 * middle, 20)
                if found == identity:
                    return _offset_at(file, middle, total)
                low, high = (middle + 1, high) if found < identity else (low, middle)
        return None

    def entry(self, offset: int) -> tuple[int, bytes]:
        """Type of the entry, and bytes that begin behind its size."""
        with _File(f"{self._path}.pack") as file:
            data = file.read(offset, _MAX_COMMIT_BYTES // 16)
        used = 0
        while data[used] & 0x80:
            used += 1
        return data[0] >> 4 & 7, data[used + 1 :]


class _File:
    """A regular file, open while the block lasts."""

    def __init__(self, path: str) -> None:
        self._descriptor = os.open(path, _READ)
        if not stat.S_ISREG(os.fstat(self._descriptor).st_mode):
            os.close(self._descriptor)
            raise OSError(path)
        self._file = os.fdopen(self._descriptor, "rb", buffering=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def size(self) -> int:
        return os.fstat(self._descriptor).st_size

    def read(self, offset: int, length: int) -> bytes:
        """These bytes, fewer at the end of the file."""
        self._file.seek(offset)
        return self._file.read(length) or b""


def _offset_at(file: _File, place: int, total: int) -> int:
    offsets = _HASHES + 24 * total
    (offset,) = struct.unpack(">I", file.read(offsets + 4 * place, 4))
    if offset < _LARGE:
        return int(offset)
    (large,) = struct.unpack(">Q", file.read(offsets + 4 * total + 8 * (offset - _LARGE), 8))
    return int(large)


def _base_distance(data: bytes) -> tuple[int, int]:
    """How far before a delta its base begins, and how many bytes say so."""
    used, distance = 1, data[0] & 0x7F
    while data[used - 1] & 0x80:
        distance = ((distance + 1) << 7) | (data[used] & 0x7F)
        used += 1
    return distance, used


def _inflate(data: bytes) -> bytes:
    return zlib.decompressobj().decompress(data, _MAX_COMMIT_BYTES)


def _apply(base: bytes, delta: bytes) -> bytes:
    """The text that a delta makes of its base."""
    at = _skip_size(delta, _skip_size(delta, 0))
    made = bytearray()
    while at < len(delta):
        command = delta[at]
        at += 1
        if not command & 0x80:
            made += delta[at : at + command]
            at += command
            continue
        values = []
        for bits in (command & 0xF, command >> 4 & 7):
            value = 0
            for place in range(4):
                if bits >> place & 1:
                    value |= delta[at] << 8 * place
                    at += 1
            values.append(value)
        start, length = values
        made += base[start : start + (length or 0x10000)]
        if len(made) > _MAX_COMMIT_BYTES:
            raise ValueError
    return bytes(made)


def _skip_size(delta: bytes, at: int) -> int:
    while delta[at] & 0x80:
        at += 1
    return at + 1


def _git_folder(root: str) -> str:
    path = os.path.join(root, ".git")
    if os.path.isdir(path):
        return path
    named = _text(path)
    folder = named.removeprefix("gitdir: ")
    return os.path.join(root, folder) if folder != named else ""


def _text(path: str) -> str:
    return _content(path, _SMALL_BYTES).decode("utf-8", "replace").strip()


def _content(path: str, most: int) -> bytes:
    """The content of a small file; nothing if it can't be read."""
    with suppress(OSError), _File(path) as file:
        if file.size <= most:
            return file.read(0, most)
    return b""
