"""Files that a commit has changed, with those that it has renamed found as git finds them.

A file that is gone and one that is new are one file renamed if they are the same, or if more than
half of the larger one is in the other: first those of one name in other folders, then the most
alike.

A `Version` is a file as a commit has it; `find_version` finds one by its path.
"""

from __future__ import annotations

import os
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.git.deltas import changed_entries, is_file_name
from repo_mcp.git.gaps import DAMAGED, UNNAMED, ObjectGap, Skipped, UnreadObjectError
from repo_mcp.git.likeness import LineSpans
from repo_mcp.git.objects import GitObjects
from repo_mcp.git.work import TreeWork, crowded

_FOLDER: Final = b"40000"
_LINK: Final = b"120000"
_MODULE: Final = b"160000"
_REGULAR: Final = b"100"
# scores are parts of so much
_WHOLE: Final = 60_000
_ALIKE: Final = _WHOLE // 2
# of a file with the only name of its kind
_ALIKE_BY_NAME: Final = _WHOLE * 3 // 4
# gone and new files, multiplied, up to which each is compared with each
_MOST_COMPARED: Final = 1000 * 1000
# the best candidates of a new file that are ordered with those of others
_CANDIDATES: Final = 4
# bytes of texts, and of what is known of their lines, that are held to be compared, and bytes that
# are compared: all other files are as different as can be
_MOST_HELD: Final = 48 << 20
_MOST_COMPARED_BYTES: Final = 16 << 30
# levels of folders
_MOST_DEPTH: Final = 200
_HASH_BYTES: Final = 20
# digits of the mode of what is no folder
_MODE: Final = 6


class Version(NamedTuple):
    """A file of a commit: its path, mode and hash, of which there are none where it has none."""

    path: str
    mode: bytes = b""
    identity: bytes = b""

    @property
    def is_there(self) -> bool:
        """True if the commit has the file."""
        return bool(self.identity)

    @property
    def has_text(self) -> bool:
        """True for all that has a content of its own: no other repository."""
        return self.is_there and self.mode != _MODULE

    @property
    def is_regular(self) -> bool:
        """True for a file with text: no link, and no other repository."""
        return self.mode.startswith(_REGULAR)


class FileChange(NamedTuple):
    """A file before and after a commit."""

    old: Version
    new: Version

    @property
    def path(self) -> str:
        """Its path: the last one, where it has two."""
        return self.new.path

    @property
    def kind(self) -> str:
        """One letter: added, deleted, modified, renamed."""
        if not self.old.is_there:
            return "A"
        if not self.new.is_there:
            return "D"
        return "R" if self.old.path != self.new.path else "M"


# the content of a file by its hash; None where it can't be read
Contents = Callable[[bytes], "bytes | None"]


def changed_files(
    objects: GitObjects,
    old_tree: bytes | None,
    new_tree: bytes | None,
    skipped: Skipped | None = None,
) -> list[FileChange]:
    """Files that differ between two trees, by path; raises one of `DAMAGE`.

    A file that is renamed is two: one that is gone, and one that is new. Folders that can't be read
    are passed over if there is someone to be told, and so is the rest of very many files.
    """
    return list(_Comparison(objects, skipped).differences(old_tree, new_tree))


class _Comparison:
    """A comparison of two trees."""

    def __init__(self, objects: GitObjects, skipped: Skipped | None) -> None:
        self._objects = objects
        self._skipped = skipped
        self._work = TreeWork()

    def differences(self, old: bytes | None, new: bytes | None) -> Iterator[FileChange]:
        """Files that differ, by path."""
        try:
            yield from self._below(old, new, b"", _MOST_DEPTH)
        except UnreadObjectError as error:
            if self._skipped is None:
                raise
            self._skipped(error.gap)

    def _below(
        self, old: bytes | None, new: bytes | None, folder: bytes, depth: int
    ) -> Iterator[FileChange]:
        if depth <= 0:
            raise UnreadObjectError(crowded(folder, new or old))
        try:
            before, behind = self._tree(old), self._tree(new)
        except UnreadObjectError as error:
            self._skip(error.at(os.fsdecode(folder)).gap)
            return
        self._work.add_folder(folder, new or old, len(before) + len(behind))
        try:
            entries = changed_entries(before, behind)
        except ValueError:
            gap = ObjectGap(os.fsdecode(folder), "tree", new or old or b"", DAMAGED)
            self._skip(gap)
            return
        for name, old_mode, old_hash, new_mode, new_hash in entries:
            if not is_file_name(name):
                if self._skipped is not None:
                    gap = ObjectGap(os.fsdecode(folder), "tree", new or old or b"", UNNAMED)
                    self._skipped(gap)
                continue
            path = folder + name
            old_folder, new_folder = old_mode == _FOLDER, new_mode == _FOLDER
            if old_folder or new_folder:
                yield from self._below(
                    old_hash if old_folder else None,
                    new_hash if new_folder else None,
                    path + b"/",
                    depth - 1,
                )
            if (old_hash and not old_folder) or (new_hash and not new_folder):
                self._work.add_path(folder, new or old, path)
                text = os.fsdecode(path)
                yield FileChange(
                    Version(text) if old_folder else Version(text, old_mode, old_hash),
                    Version(text) if new_folder else Version(text, new_mode, new_hash),
                )

    def _skip(self, gap: ObjectGap) -> None:
        if self._skipped is None:
            raise UnreadObjectError(gap) from None
        self._skipped(gap)

    def _tree(self, identity: bytes | None) -> bytes:
        return b"" if identity is None else self._objects.data(identity, "tree")


def with_renames(changes: Sequence[FileChange], contents: Contents) -> list[FileChange]:
    """The same changes, with one for both files of a rename; by path."""
    gone = [item.old for item in changes if not item.new.is_there]
    made = [item.new for item in changes if not item.old.is_there]
    if not gone or not made:
        return list(changes)
    pairs = _Pairs(gone, made, contents)
    pairs.find()
    renamed = {gone[old].path for old in pairs.found.values()}
    sources = {made[new].path: gone[old] for new, old in pairs.found.items()}
    found: list[FileChange] = []
    for item in changes:
        if item.new.is_there and not item.old.is_there and item.path in sources:
            found.append(FileChange(sources[item.path], item.new))
        elif item.new.is_there or item.path not in renamed:
            found.append(item)
    return found


class _Pairs:
    """Pairs of a new file and one that is gone, which are one file renamed."""

    def __init__(
        self, gone: Sequence[Version], made: Sequence[Version], contents: Contents
    ) -> None:
        self._gone, self._made, self._contents = gone, made, contents
        # a new file's number, and that of the one that is gone
        self.found: dict[int, int] = {}
        self._used: set[int] = set()
        self._spans: dict[bytes, LineSpans | None] = {}
        self._held = self._compared = 0

    def find(self) -> None:
        """Find all pairs."""
        self._find_same()
        self._find_by_name()
        old, new = self._left()
        if old and new and len(old) * len(new) <= _MOST_COMPARED:
            self._find_alike(old, new)

    def _take(self, new: int, old: int) -> None:
        self.found[new] = old
        self._used.add(old)

    def _left(self) -> tuple[list[int], list[int]]:
        """Files without a pair; what is no regular file has none but the same."""
        return (
            [n for n, item in enumerate(self._gone) if n not in self._used],
            [n for n, item in enumerate(self._made) if n not in self.found],
        )

    def _find_same(self) -> None:
        same: defaultdict[tuple[bytes, bytes], deque[int]] = defaultdict(deque)
        named: defaultdict[tuple[tuple[bytes, bytes], str], deque[int]] = defaultdict(deque)
        for number, item in enumerate(self._gone):
            content = item.identity, _REGULAR if item.is_regular else item.mode
            same[content].append(number)
            named[content, os.path.basename(item.path)].append(number)
        for new, item in enumerate(self._made):
            content = item.identity, _REGULAR if item.is_regular else item.mode
            for free in (named.get((content, os.path.basename(item.path))), same.get(content)):
                while free and free[0] in self._used:
                    free.popleft()
                if free:
                    self._take(new, free.popleft())
                    break

    def _are_regular(self, old: int, new: int) -> bool:
        return self._gone[old].is_regular and self._made[new].is_regular

    def _find_by_name(self) -> None:
        """Pair files with a name that one that is gone and one new file have."""
        gone, made = self._left()
        old_names = _names(self._gone, gone)
        new_names = _names(self._made, made)
        for name, olds in old_names.items():
            news = new_names.get(name, [])
            if len(olds) == len(news) == 1:
                old, new = olds[0], news[0]
                if self._likeness(old, new) >= _ALIKE_BY_NAME:
                    self._take(new, old)

    def _find_alike(self, gone: Sequence[int], made: Sequence[int]) -> None:
        """Pair the most alike first."""
        best: list[tuple[int, bool, int, int]] = []
        for new in made:
            name = os.path.basename(self._made[new].path)
            scores = [
                (-self._likeness(old, new), _other(self._gone[old], name), new, old) for old in gone
            ]
            best += sorted(scores, key=lambda row: row[:2])[:_CANDIDATES]
        for score, _, new, old in sorted(best, key=lambda row: row[:2]):
            if -score < _ALIKE:
                break
            if new not in self.found and old not in self._used:
                self._take(new, old)

    def _likeness(self, old: int, new: int) -> int:
        """The likeness of two files, of `_WHOLE`; 0 if their sizes say that it is too little."""
        if not self._are_regular(old, new):
            return 0
        before = self._spans_of(self._gone[old].identity)
        behind = self._spans_of(self._made[new].identity)
        if before is None or behind is None:
            return 0
        larger = max(before.size, behind.size)
        if not behind.size or larger * (_WHOLE - _ALIKE) < abs(before.size - behind.size) * _WHOLE:
            return 0
        self._compared += before.size + behind.size
        if self._compared > _MOST_COMPARED_BYTES:
            return 0
        return before.common(behind) * _WHOLE // larger

    def _spans_of(self, identity: bytes) -> LineSpans | None:
        if identity not in self._spans:
            text = self._contents(identity) if self._held < _MOST_HELD else None
            found = self._spans[identity] = None if text is None else LineSpans(text)
            self._held += 0 if found is None else found.size
        return self._spans[identity]


def _names(files: Sequence[Version], numbers: Iterable[int]) -> dict[str, list[int]]:
    found: defaultdict[str, list[int]] = defaultdict(list)
    for number in numbers:
        found[os.path.basename(files[number].path)].append(number)
    return found


def _other(file: Version, name: str) -> bool:
    return os.path.basename(file.path) != name


def find_version(objects: GitObjects, tree: bytes, path: str) -> Version | None:
    """The file at a path below a tree; None if there is none. Raises one of `DAMAGE`."""
    *folders, name = os.fsencode(path).split(b"/")
    try:
        for folder in folders:
            found = _entry(objects, tree, folder)
            if found is None or found[0] != _FOLDER:
                return None
            tree = found[1]
        found = _entry(objects, tree, name)
    except UnreadObjectError as error:
        raise error.at(path) from None
    if found is None or found[0] == _FOLDER:
        return None
    return Version(path, *found)


def _entry(objects: GitObjects, tree: bytes, name: bytes) -> tuple[bytes, bytes] | None:
    """Mode and hash of an entry of a tree."""
    data = objects.data(tree, "tree")
    mark = b" " + name + b"\0"
    at = data.find(mark)
    if not name or at < 0:
        return None
    mode = data[max(at - _MODE, 0) : at]
    mode = _FOLDER if mode.endswith(_FOLDER) else mode
    begin = at + len(mark)
    return mode, data[begin : begin + _HASH_BYTES]
