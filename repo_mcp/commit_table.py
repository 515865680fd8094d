"""Hashes, dates and parents of all commits of an index, as columns in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from index_format import LiveSegment, Snapshot
from repo_mcp.stored_commits import HASH_BYTES, PARENTS, commit_of_path

if TYPE_CHECKING:
    import numpy.typing as npt

I64: TypeAlias = "npt.NDArray[np.int64]"
# bytes of a hash by which commits are sorted
_KEY: Final = np.dtype(">u8")


class CommitTable:
    """The commits of a generation by their places, the newest first.

    `segments` and `files` say where the document of each is.
    """

    def __init__(self, snapshot: Snapshot | None) -> None:
        """Read all of them."""
        segments = () if snapshot is None else snapshot.segments
        self._sizes = [segment.entry.files for segment in segments]
        columns = _Columns()
        for number, segment in enumerate(segments):
            columns.add(number, segment)
        keys = _keys(b"".join(columns.hashes))
        dates = np.array(columns.dates, dtype=np.int64)
        newest_first = np.lexsort((keys, -dates))
        columns.put_children_first(newest_first, dates[newest_first])
        keys = keys[newest_first]
        self.dates: I64 = dates[newest_first]
        self.segments: I64 = np.array(columns.segments, dtype=np.int64)[newest_first]
        self.files: I64 = np.array(columns.files, dtype=np.int64)[newest_first]
        order = newest_first.tolist()
        self._hashes = b"".join([columns.hashes[at] for at in order])
        parents = [columns.parents[at] for at in order]
        self._parents = b"".join(parents)
        sizes = np.array([len(item) for item in parents], dtype=np.int64) // HASH_BYTES
        self._bounds: list[int] = np.concatenate([[0], np.cumsum(sizes)]).astype(int).tolist()
        self.is_merge = sizes > 1
        self._order = np.argsort(keys, kind="stable")
        self._sorted = keys[self._order]

    def __len__(self) -> int:
        """Number of commits."""
        return len(self.dates)

    def __contains__(self, identity: bytes) -> bool:
        """True if a commit is there."""
        return self.place(identity) is not None

    def identities(self) -> Iterator[bytes]:
        """The hashes of all."""
        return map(self.identity, range(len(self)))

    def identity(self, place: int) -> bytes:
        """The hash of the commit at a place."""
        return self._hashes[place * HASH_BYTES : (place + 1) * HASH_BYTES]

    def place(self, identity: bytes) -> int | None:
        """The place of a commit, or None."""
        key = int.from_bytes(identity[: _KEY.itemsize], "big")
        at = int(np.searchsorted(self._sorted, np.uint64(key)))
        while at < len(self._order) and int(self._sorted[at]) == key:
            place = int(self._order[at])
            if self.identity(place) == identity:
                return place
            at += 1
        return None

    def place_before(self, seconds: int) -> int:
        """The place of the last commit that is not older than a date; -1 if all are."""
        return int(np.searchsorted(-self.dates, -seconds, side="right")) - 1

    def parents(self, place: int) -> tuple[bytes, ...]:
        """The hashes of a commit's parents."""
        begin, end = self._bounds[place : place + 2]
        return tuple(
            self._parents[at * HASH_BYTES : (at + 1) * HASH_BYTES] for at in range(begin, end)
        )

    def get(self, identity: bytes) -> tuple[int, tuple[bytes, ...]] | None:
        """Date and parents of a commit, or None."""
        place = self.place(identity)
        return None if place is None else (int(self.dates[place]), self.parents(place))

    @cached_property
    def first_parents(self) -> list[int]:
        """The place of each commit's first parent, -1 where that is not there."""
        bounds = np.array(self._bounds, dtype=np.int64)
        has_any = bounds[1:] > bounds[:-1]
        firsts = bounds[:-1][has_any]
        rows = np.frombuffer(self._parents, dtype=np.uint8).reshape(-1, HASH_BYTES)[firsts]
        keys = _keys(rows.tobytes())
        at = np.searchsorted(self._sorted, keys)
        at[at == len(self._order)] = 0
        found = np.full(len(self), -1, dtype=np.int64)
        if len(self._order):
            places = self._order[at]
            own = np.frombuffer(self._hashes, dtype=np.uint8).reshape(-1, HASH_BYTES)
            same = (own[places] == rows).all(axis=1)
            found[has_any.nonzero()[0][same]] = places[same]
        return found.tolist()

    @cached_property
    def places(self) -> list[I64]:
        """By segment, the place of each document, -1 of one that is dead."""
        found = [np.full(size, -1, dtype=np.int64) for size in self._sizes]
        for number, places in enumerate(found):
            mine = (self.segments == number).nonzero()[0]
            places[self.files[mine]] = mine
        return found


class _Columns:
    """Columns of the commits in the order of segments."""

    def __init__(self) -> None:
        self.hashes: list[bytes] = []
        self.parents: list[bytes] = []
        self.dates: list[int] = []
        self.segments: list[int] = []
        self.files: list[int] = []

    def put_children_first(self, order: I64, dates: I64) -> None:
        """Put commits of one second, as of a rebase, behind those that they are parents of."""
        same = np.concatenate([[0], np.diff(dates) == 0, [0]]).astype(np.int8)
        edges = np.diff(same)
        begins, ends = (edges == 1).nonzero()[0], (edges == -1).nonzero()[0] + 1
        for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
            order[begin:end] = self._children_first(order[begin:end].tolist())

    def _children_first(self, commits: list[int]) -> list[int]:
        known = {self.hashes[commit]: commit for commit in commits}
        parents = {
            commit: [known[item] for item in _split(self.parents[commit]) if item in known]
            for commit in commits
        }
        children = Counter(item for items in parents.values() for item in items)
        waiting = [commit for commit in reversed(commits) if not children[commit]]
        found: list[int] = []
        while waiting:
            commit = waiting.pop()
            found.append(commit)
            for parent in parents[commit]:
                children[parent] -= 1
                if not children[parent]:
                    waiting.append(parent)
        return found if len(found) == len(commits) else commits

    def add(self, number: int, segment: LiveSegment) -> None:
        """Add the live commits of a segment."""
        attachments = segment.reader.attachments
        parents = bytes(attachments.read(PARENTS))
        bounds = np.concatenate([[0], np.cumsum(attachments.sizes(PARENTS))]).astype(int).tolist()
        for path, file in segment.live_files():
            identity, date = commit_of_path(path)
            self.hashes.append(identity)
            self.dates.append(date)
            self.segments.append(number)
            self.files.append(file)
            self.parents.append(parents[bounds[file] : bounds[file + 1]])


def _split(hashes: bytes) -> list[bytes]:
    return [hashes[at : at + HASH_BYTES] for at in range(0, len(hashes), HASH_BYTES)]


def _keys(hashes: bytes) -> npt.NDArray[np.uint64]:
    """The first bytes of each hash, as numbers."""
    rows = np.frombuffer(hashes, dtype=np.uint8).reshape(-1, HASH_BYTES)
    keys = rows[:, : _KEY.itemsize].copy().view(_KEY).reshape(-1)
    return keys.astype(np.uint64)
