"""Commits of a repository, as their objects say them, and the way back from them."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.git.objects import GitObjects
from repo_mcp.git.packs import DAMAGE

_PERSON: Final = re.compile(
    rb"^(author|committer) ([^<\n]*?) ?<([^>\n]*)> (-?\d{1,18}) ([+-]\d{4})", re.MULTILINE
)
_PARENT: Final = re.compile(rb"^parent ([0-9a-f]{40})$", re.MULTILINE)
_TREE: Final = re.compile(rb"\Atree ([0-9a-f]{40})$", re.MULTILINE)
_DATE: Final = re.compile(rb"^committer [^\n]*> (-?\d{1,18}) [+-]\d{4}", re.MULTILINE)
_ENCODING: Final = re.compile(rb"^encoding ([A-Za-z0-9._-]{1,40})$", re.MULTILINE)
# bytes of a message that are read, and characters of its first paragraph and of names
_MOST_MESSAGE: Final = 64 << 10
_MOST_SUBJECT: Final = 1000
_MOST_NAME: Final = 250
# the last second that a date can say
_LAST_SECOND: Final = 1 << 37
# the first second, and the last one of a year of four digits
_FIRST: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_SHOWN: Final = 253_402_300_799
# a commit's date and parents, where they are known without its object
_KnownParents = Callable[[bytes], "tuple[int, tuple[bytes, ...]] | None"]
# a commit's hash, its date and its parents
_Row = tuple[bytes, int, tuple[bytes, ...]]


class Person(NamedTuple):
    """Name and address of a person, the second since 1970, and how far from UTC the clock was."""

    name: str
    email: str
    time: int = 0
    zone: str = "+0000"

    @property
    def local_time(self) -> int:
        """The second that UTC had since 1970 when its clocks showed what the person's did."""
        minutes = 60 * int(self.zone[1:3]) + int(self.zone[3:])
        return self.time + 60 * (-minutes if self.zone.startswith("-") else minutes)

    @property
    def day(self) -> str:
        """The day by the person's own clock, as git shows it."""
        return (_FIRST + timedelta(seconds=min(self.local_time, _LAST_SHOWN))).date().isoformat()


class Commit(NamedTuple):
    """A commit; hashes are bytes."""

    identity: bytes
    tree: bytes
    parents: tuple[bytes, ...]
    author: Person
    committer: Person
    message: str

    @property
    def subject(self) -> str:
        """The first paragraph of the message in one line."""
        line = " ".join(self.message.strip().partition("\n\n")[0].split())
        return line if len(line) <= _MOST_SUBJECT else f"{line[:_MOST_SUBJECT]}…"

    @property
    def is_merge(self) -> bool:
        """True for a commit of several parents."""
        return len(self.parents) > 1


class CommitLinks(NamedTuple):
    """The tree and the parents of a commit, and when it was committed."""

    tree: bytes
    parents: tuple[bytes, ...]
    time: int


def read_links(objects: GitObjects, identity: bytes) -> CommitLinks | None:
    """The links of a commit; None where it is not there. Raises one of `DAMAGE`."""
    found = objects.get(identity)
    if found.kind != "commit":
        return None
    head = found.data.partition(b"\n\n")[0]
    tree, date = _TREE.search(head), _DATE.search(head)
    if tree is None:
        raise ValueError(identity)
    parents = tuple(bytes.fromhex(item.decode()) for item in _PARENT.findall(head))
    return CommitLinks(
        bytes.fromhex(tree[1].decode()), parents, 0 if date is None else _second(date[1])
    )


def read_commit(objects: GitObjects, identity: bytes) -> Commit | None:
    """The commit of a hash; None where there is none. Raises one of `DAMAGE`."""
    found = objects.get(identity)
    return parse_commit(identity, found.data) if found.kind == "commit" else None


def parse_commit(identity: bytes, data: bytes) -> Commit:
    """A commit of the bytes of its object; `ValueError` for others."""
    head, _, message = data.partition(b"\n\n")
    tree = _TREE.search(head)
    if tree is None:
        raise ValueError(identity)
    encoding = _ENCODING.search(head)
    encoded = encoding[1].decode() if encoding else "utf-8"
    people = {row[1]: _person(row, encoded) for row in _PERSON.finditer(head)}
    nobody = Person("", "")
    author = people.get(b"author", nobody)
    return Commit(
        identity,
        bytes.fromhex(tree[1].decode()),
        tuple(bytes.fromhex(item.decode()) for item in _PARENT.findall(head)),
        author,
        people.get(b"committer", author),
        _message(message, encoded),
    )


def _person(row: re.Match[bytes], encoding: str) -> Person:
    # a name has no line ends, whatever else it has
    given = (_text(text[:_MOST_NAME], encoding) for text in (row[2], row[3]))
    name, email = (" ".join(text.split()) for text in given)
    return Person(name, email, _second(row[4]), row[5].decode())


def _message(data: bytes, encoding: str) -> str:
    text = _text(data[:_MOST_MESSAGE], encoding)
    if len(data) <= _MOST_MESSAGE:
        return text
    return f"{text}\n[cut: {len(data) - _MOST_MESSAGE:,} more bytes]"


def _second(digits: bytes) -> int:
    return min(max(int(digits), 0), _LAST_SECOND)


def _text(data: bytes, encoding: str) -> str:
    with suppress(LookupError, ValueError):
        return data.decode(encoding)
    return data.decode("utf-8", "replace")


class CommitWalk:
    """Goes through commits by their dates, each once; `missing` are those that are not there.

    Those before a missing one, as at the end of a shallow clone, can't be reached.
    """

    def __init__(self, objects: GitObjects, known: _KnownParents = lambda _: None) -> None:
        """`known` commits are not read."""
        self._objects = objects
        self._known = known
        self.missing: set[bytes] = set()

    def newest_first(
        self, heads: Iterable[bytes], is_end: Callable[[bytes], bool] = lambda _: False
    ) -> Iterator[_Row]:
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
