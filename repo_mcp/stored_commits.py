"""Documents of the index of commits: their paths, and records that they have attached.

A document is a commit. Its path is its date, counted down, and its hash, so that documents are in
the order of `git log`. Its first chunk has the words of the message and of the author; each file
that it has changed has one, with the words of the lines that are gone and new, and with its path as
one term. Merges have no files, since git shows none for them; their only chunk has the paths that
they have not as their first parent has them.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Final

from index_format.tuples import NamedTuple

# attachments of a commit
PARENTS: Final = "parents"  # their hashes, one behind the other
FILES: Final = "files"  # `pack_files` of the files that it has changed

# the term of a commit whose paths are not all known
MANY_PATHS: Final = b"\0many"
# the term of a file whose changed lines are not indexed
UNREAD_LINES: Final = b"\0unread"

HASH_BYTES: Final = 20
# dates are counted down from here
_LAST_SECOND: Final = (1 << 40) - 1
_TIME_DIGITS: Final = 10
# records that are longer are compressed
_LONG: Final = 160
_PLAIN, _COMPRESSED = b"p", b"z"


class CommitFile(NamedTuple):
    """A file that a commit has changed, and how many lines of it are new and gone."""

    kind: str  # A, D, M or R: added, deleted, modified, renamed
    path: str
    old_path: str = ""  # of a renamed file
    added: int = 0
    removed: int = 0


def commit_path(identity: bytes, time: int) -> str:
    """The path of the document of a commit with this date."""
    return f"{_LAST_SECOND - time:0{_TIME_DIGITS}x}{identity.hex()}"


def commit_of_path(path: str | bytes) -> tuple[bytes, int]:
    """The hash and the date of the commit with this path."""
    text = path if isinstance(path, str) else path.decode("latin-1")
    date, identity = text[:_TIME_DIGITS], text[_TIME_DIGITS:]
    return bytes.fromhex(identity), _LAST_SECOND - int(date, 16)


def pack_files(files: Sequence[CommitFile]) -> bytes:
    """The bytes of a commit's files."""
    rows = [
        f"{item.kind}{item.added},{item.removed}\0{item.path}\0{item.old_path}" for item in files
    ]
    data = "\0".join(rows).encode("utf-8", "surrogateescape")
    if not data:
        return b""
    return _COMPRESSED + zlib.compress(data, 6) if len(data) > _LONG else _PLAIN + data


def unpack_files(data: bytes) -> list[CommitFile]:
    """Undo `pack_files`; `ValueError` or `zlib.error` for other bytes."""
    if not data:
        return []
    plain = zlib.decompress(data[1:]) if data[:1] == _COMPRESSED else data[1:]
    parts = plain.decode("utf-8", "surrogateescape").split("\0")
    found = []
    for head, path, old_path in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        added, _, removed = head[1:].partition(",")
        found.append(CommitFile(head[0], path, old_path, int(added), int(removed)))
    return found
