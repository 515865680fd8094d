"""The commits before some others, the newest first."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator

from repo_mcp.git.commits import Commit, read_commit, read_links
from repo_mcp.git.objects import GitObjects
from repo_mcp.git.packs import DAMAGE

# a commit's date and parents, where they are known without its object
KnownParents = Callable[[bytes], "tuple[int, tuple[bytes, ...]] | None"]
# a commit's hash, its date and its parents
Row = tuple[bytes, int, tuple[bytes, ...]]


class CommitWalk:
    """Goes through commits by their dates, each once; `missing` are those that are not there.

    Those before a missing one, as at the end of a shallow clone, can't be reached.
    """

    def __init__(self, objects: GitObjects, known: KnownParents = lambda _: None) -> None:
        """`known` commits are not read."""
        self._objects = objects
        self._known = known
        self.missing: set[bytes] = set()

    def newest_first(
        self, heads: Iterable[bytes], is_end: Callable[[bytes], bool] = lambda _: False
    ) -> Iterator[Row]:
        """The commits at `heads` and before them; those at an end, and before it, are left out."""
        seen: set[bytes] = set()
        waiting: list[tuple[int, bytes, tuple[bytes, ...]]] = []

        def add(identity: bytes) -> None:
            if identity in seen or is_end(identity):
                return
            seen.add(identity)
            row = self._known(identity) or self._read(identity)
            if row is None:
                self.missing.add(identity)
            else:
                heapq.heappush(waiting, (-row[0], identity, row[1]))

        for head in heads:
            add(head)
        while waiting:
            time, identity, parents = heapq.heappop(waiting)
            for parent in parents:
                add(parent)
            yield identity, -time, parents

    def _read(self, identity: bytes) -> tuple[int, tuple[bytes, ...]] | None:
        try:
            found = read_links(self._objects, identity)
        except DAMAGE:
            return None
        return None if found is None else (found.time, found.parents)


def merge_base(objects: GitObjects, one: bytes, other: bytes) -> bytes | None:
    """A last commit that both have before them, or are; None where they have none in common."""
    walk = CommitWalk(objects)
    before: set[bytes] = set()
    ahead = walk.newest_first([one])
    for identity, time, _ in CommitWalk(objects).newest_first([other]):
        # as far as commits are no older than this one
        for row in ahead:
            before.add(row[0])
            if row[1] < time:
                break
        if identity in before:
            return identity
    return None


def commit_or_none(objects: GitObjects, identity: bytes) -> Commit | None:
    """The commit of a hash; None where it is not there, or can't be read."""
    try:
        return read_commit(objects, identity)
    except DAMAGE:
        return None
