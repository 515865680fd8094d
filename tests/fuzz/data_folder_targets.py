"""Side files of a data folder that may have come with the repository."""

from __future__ import annotations

import json
import struct
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgpack

from repo_mcp import side_files
from repo_mcp.audit.log import AuditEntry, AuditLog
from repo_mcp.audit.record import format_entry, parse_entry
from repo_mcp.bundle.page import write_last_bundle
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.runs import last_refresh
from repo_mcp.indexing.walk import memory_file
from repo_mcp.indexing.walk.memory import CachedStat, WalkMemory
from repo_mcp.indexing.walk.memory_file import DamagedBlocksError
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.redaction import DENIED
from repo_mcp.safety.sandbox import Sandbox, StatKey
from repo_mcp.toolsets.resources import BUNDLES, Resources
from repo_mcp.vectors import function_vectors
from tests.fuzz.engine import Target
from tests.fuzz.mutations import json_bytes, line_mutation, tree_mutation

_DENYLIST: Final = Denylist()


@contextmanager
def _folder_with(files: Mapping[str, bytes]) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            (Path(folder) / name).write_bytes(data)
        yield folder


# ---- the cache of file states: its record, or the whole file ----

_SETTINGS: Final = "s"


def run_statcache(data: bytes) -> object:
    """A head is read whole or not at all, and what was read is saved as it is."""
    head = memory_file._HEAD.pack(memory_file._MAGIC, memory_file._VERSION)
    with _folder_with({memory_file._NAME: data}) as folder:
        WalkMemory.load(folder, _SETTINGS)
    record, blocks = _split(data)
    with _folder_with({}) as folder:
        side_files.put_headed(folder, memory_file._NAME, head + record, [blocks])
        found = WalkMemory.load(folder, _SETTINGS)
        try:
            dict(found)
        except DamagedBlocksError:
            return "damaged"
    assert found.signature == _SETTINGS
    assert isinstance(found.generation, str)
    for path, seen in found.items():
        assert isinstance(path, str)
        assert all(isinstance(number, int) for number in seen.key)
        assert (type(seen.fingerprint), type(seen.reason)) == (bytes, str)
    with _folder_with({}) as folder:
        found.save(folder)
        assert dict(WalkMemory.load(folder, _SETTINGS)) == dict(found)
    return len(found), sorted({seen.reason for seen in found.values()})[:3]


def _split(data: bytes) -> tuple[bytes, bytes]:
    """The head's record and the blocks, of a list of both."""
    try:
        record, blocks = msgpack.unpackb(data, unicode_errors="surrogatepass", strict_map_key=False)
        return _packed(record), bytes(memoryview(blocks))  # a number is no blocks
    except (ValueError, TypeError, msgpack.UnpackException):
        return data, b""


def statcache_seeds() -> Iterator[bytes]:
    """Caches of no, one and several files."""
    seen = CachedStat(StatKey(1, 2, 3, 4), b"0123456789abcdef")
    odd = CachedStat(StatKey(-1, 1 << 60, 0, 0), b"\0" * 16, "too_large", shallow=True)
    for files in ({}, {"a.py": seen}, {"a.py": seen, "b/\udcff": odd, "c": seen}):
        with _folder_with({}) as folder:
            memory = WalkMemory(_SETTINGS, files)
            memory.generation = "1:x"
            memory.save(folder)
            whole = (Path(folder) / memory_file._NAME).read_bytes()
        yield whole
        _, length, rest = whole.split(b"\n", 2)
        cut = int(length, 16)
        record = _unpacked(rest[memory_file._HEAD.size : cut])
        yield _packed([record, rest[cut:]])
    row = struct.pack("<16s16s5I", b"d" * 16, b"h" * 16, 3, 0, 0, 0, 1)
    notes = [[[], []], [[["ignored", 2]], []]]
    yield _packed([[_SETTINGS, "1:x", ["s:x"], notes, b"f/\0", row], b""])
    yield _packed([[_SETTINGS, 3, ["s:x"], notes, b"f/\0", row + row], b""])


def _packed(value: object) -> bytes:
    found: bytes = msgpack.packb(value, unicode_errors="surrogatepass")
    return found


def _unpacked(data: bytes) -> object:
    try:
        return msgpack.unpackb(data, unicode_errors="surrogatepass", strict_map_key=False)
    except msgpack.UnpackException as error:
        raise ValueError from error


STATCACHE: Final = Target(
    "statcache",
    run_statcache,
    statcache_seeds,
    (
        "repo_mcp/indexing/walk/memory.py",
        "repo_mcp/indexing/walk/memory_file.py",
    ),
    mutation=tree_mutation(_unpacked, _packed),
)


# ---- the audit log: lines ----


def run_audit(data: bytes) -> object:
    """A line is an entry that can be shown, or it is counted as something else."""
    entries = [parse_entry(row, _DENYLIST) for row in data.split(b"\n") if row]
    known = [entry for entry in entries if entry is not None]
    for entry in known:
        _check_entry(entry)
    with _folder_with({"audit.jsonl": data}) as folder:
        recent = AuditLog(folder).recent(limit=1000)
    assert len(recent.entries) == len(known)
    assert recent.skipped == len(entries) - len(known)
    return len(known), [(entry.ok, len(entry.shown), len(entry.counts)) for entry in known]


def _check_entry(entry: AuditEntry) -> None:
    """A tool shows it as JSON, and names no denied path; it is the same when read again."""
    text = json.dumps(entry._asdict(), allow_nan=False)
    assert len(text) < 1 << 20
    assert not any(_DENYLIST.rule(path) for path in entry.shown if path != DENIED)
    again = parse_entry(format_entry(entry, _DENYLIST), _DENYLIST)
    assert again is not None
    assert (again.tool, again.counts, again.ok) == (entry.tool, entry.counts, entry.ok)


def audit_seeds() -> Iterator[bytes]:
    """Entries of calls that showed something, failed, or were refused."""
    for entry in (
        AuditEntry(
            "r1", "repo.search", {"query": "x"}, ok=True, counts={"hits": 2}, shown=["a.py:1-2"]
        ),
        AuditEntry("r2", "repo.open_file", {"path": ".env", "n": 1}, ok=False, code="denied"),
        AuditEntry("r3", "x", {"a": [{"b": {"c": 1.5}}]}, ok=False, blocked=True, seconds=1.25),
    ):
        line = format_entry(entry._replace(time="2026-01-01T00:00:00Z"), _DENYLIST)
        yield json_bytes(json.loads(line) | {"process": 1}) + b"\n"
    yield b"{}\nnull\n[]\nx\n"


_ENTRY_NAMES: Final = (
    "time",
    "tool",
    "counts",
    "shown",
    "milliseconds",
    "generation",
    ".env",
    "a:1",
)
AUDIT: Final = Target(
    "audit",
    run_audit,
    audit_seeds,
    ("repo_mcp/audit", "repo_mcp/safety/redaction.py", "repo_mcp/safety/denylist.py"),
    words=[
        b"NaN",
        b"Infinity",
        b"1e400",
        b'".env"',
        b"9" * 400,
        b'"2026-01-01T00:00:00+99:99"',
        b"\n",
    ],
    mutation=line_mutation(tree_mutation(json.loads, json_bytes, _ENTRY_NAMES)),
)


# ---- small JSON files: the time of the last refresh, the last bundle ----


def run_side_files(data: bytes) -> object:
    """A time is passed on or nothing is; a bundle that names a denied path is not there."""
    with _folder_with({"refresh.json": data}) as folder:
        write_last_bundle(folder, data, data)
        shown = last_refresh(folder)
        assert all(character in "0123456789T:-+Z." for character in shown)
        sandbox = Sandbox(folder, _DENYLIST, max_file_bytes=1 << 20)
        try:
            return len(shown), _bundle(Resources(sandbox, folder), data)
        finally:
            sandbox.close()


def _bundle(resources: Resources, data: bytes) -> object:
    try:
        found = [resources.read(uri)[0]["text"] for uri in BUNDLES]
    except Problem as problem:
        return problem.code
    finally:
        resources.list_resources()
    assert not _names_secret(data)
    return len(found)


def _names_secret(data: bytes) -> bool:
    """Asked of each object while it is parsed, unlike in the product."""
    found: list[object] = []

    def keep(value: dict[str, object]) -> dict[str, object]:
        found.append(value.get("path"))
        return value

    json.loads(data, object_hook=keep)
    return any(isinstance(path, str) and _DENYLIST.rule(path) for path in found)


def side_file_seeds() -> Iterator[bytes]:
    """Times and bundles."""
    yield b'{"timestamp":"2026-01-01T00:00:00Z"}'
    yield b'{"timestamp":"2026-W01-1T00+01:00"}'
    yield b'{"excerpts":[{"path":"a.py","text":"x"}],"path":".env"}'
    yield b'{"excerpts":[{"path":"a.py","text":"x"}]}'
    yield b"[" * 900 + b"]" * 900


_NAMES: Final = ("timestamp", "path", ".env", "a/.git/config", "0001-01-01T00:00:00+23:59", "C:x")
SIDE_FILES: Final = Target(
    "side_files",
    run_side_files,
    side_file_seeds,
    ("repo_mcp/toolsets/resources.py", "repo_mcp/indexing/keep/runs.py"),
    mutation=tree_mutation(json.loads, json_bytes, _NAMES),
)

# ---- vectors of functions: records behind one another ----


class _KnownKey(side_files.Tagger):
    """Tags with a key that the inputs were made with, so that they come behind the tag."""

    def __init__(self) -> None:
        self._key = b"key of the inputs"


def run_function_vectors(data: bytes) -> object:
    """A record is whole, or it is not there; what follows one that is damaged is found."""
    found = function_vectors._Records(data, _KnownKey())
    assert 0 <= found.end <= len(data)
    for key, packed in found.vectors.items():
        assert len(key) == function_vectors._KEY_BYTES
        assert len(packed) % function_vectors.WIDTH == 0
        record = function_vectors._record(key, packed, _KnownKey())
        assert record in data
        behind = function_vectors._Records(record[:-1] + data, _KnownKey()).vectors
        assert behind.keys() >= found.vectors.keys() - {key}
    return len(found.vectors), found.end == len(data)


def function_vector_seeds() -> Iterator[bytes]:
    """Whole, empty and cut records."""
    records = [
        function_vectors._record(
            bytes([number]) * 16, bytes(function_vectors.WIDTH) * number, _KnownKey()
        )
        for number in range(4)
    ]
    yield b"".join(records)
    yield records[2] + records[3][:50] + records[1]
    yield b"fvec" * 20


FUNCTION_VECTORS: Final = Target(
    "function_vectors",
    run_function_vectors,
    function_vector_seeds,
    ("repo_mcp/vectors/function_vectors.py",),
    words=[b"fvec", b"\xff\xff\xff\xff"],
)

TARGETS: Final = (STATCACHE, AUDIT, SIDE_FILES, FUNCTION_VECTORS)
