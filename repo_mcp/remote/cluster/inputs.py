"""The files of one task as one object of the store, for workers that see no checkout.

    zlib: msgpack [[path, bytes], …]

It is named by the hash of paths and contents: a run that is begun again uploads nothing twice.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgpack

from index_format.analysis.content import fingerprint
from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.tasks import FileResult, FileTask
from repo_mcp.remote.cluster import orders
from repo_mcp.remote.publish import ObjectStore
from repo_mcp.safety.sandbox import UNKNOWN_KEY, Sandbox, StatKey

# the largest task, and a file as large as any that is indexed
MAX_ARCHIVE_BYTES: Final = 256 << 20
# text of programs shrinks to a quarter; higher levels take the time of a build
_LEVEL: Final = 1


class FileArchive(NamedTuple):
    """An archive: its name, which is empty for no files, and its bytes.

    `files` are those in it, `keys` their keys when they were read, `unread` the others.
    """

    name: str
    data: bytes
    files: Sequence[FileTask]
    keys: dict[str, StatKey]
    unread: list[FileResult]


def pack_files(sandbox: Sandbox, wanted: Sequence[FileTask]) -> FileArchive:
    """Read files through the sandbox into one archive."""
    rows: list[tuple[str, bytes]] = []
    files: list[FileTask] = []
    keys: dict[str, StatKey] = {}
    unread: list[FileResult] = []
    for item in wanted:
        try:
            content = sandbox.read(item.path, follow=False)
        except Problem as problem:
            unread.append(FileResult(item.path, problem.code, UNKNOWN_KEY, b"", 0, shallow=False))
            continue
        rows.append((item.path, content.data))
        files.append(item)
        keys[item.path] = content.key
    identity = orders.digest([[path, fingerprint(data)] for path, data in rows])
    data = msgpack.packb(rows, use_bin_type=True, unicode_errors="surrogatepass")
    return FileArchive(
        orders.archive(identity) if rows else "", zlib.compress(data, _LEVEL), files, keys, unread
    )


def unpack_files(store: ObjectStore, name: str, root: str) -> None:
    """Write the files of an archive below an empty folder."""
    found = store.get(name, MAX_ARCHIVE_BYTES)
    if found is None:
        raise Problem("store_unavailable", f"{name} is missing")
    unpacked = zlib.decompressobj().decompress(found.data, MAX_ARCHIVE_BYTES)
    rows = msgpack.unpackb(unpacked, raw=False, unicode_errors="surrogatepass")
    for path, data in rows:
        write_file(root, path, data)


def write_file(root: str, path: str, data: bytes) -> None:
    """Write a file below a folder, and never outside of it."""
    parts = path.split("/")
    if not all(parts) or {".", "..", ".git"}.intersection(parts) or "\0" in path:
        raise Problem("path_outside")
    target = Path(root, *parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as file:
        file.write(data)
