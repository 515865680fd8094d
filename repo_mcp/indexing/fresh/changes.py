"""Compares files with the index: which files to index, which to parse, which to remove."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from index_format import Snapshot
from repo_mcp.indexing.build.builder import FileTask
from repo_mcp.indexing.walk.statcache import UNKNOWN, CachedStat
from repo_mcp.indexing.walk.walk import WalkedFile
from repo_mcp.languages import Languages
from repo_mcp.safety.sandbox import StatKey
from repo_mcp.stored import FACTS

# coarsest timestamp of file systems: a file modified this shortly before its stat may be modified
# again without a new timestamp
_RACY_NANOSECONDS: Final = 2_000_000_000


@dataclass(slots=True)
class Changes:
    """Files to read, files whose facts are missing, and files that are gone."""

    changed: list[FileTask] = field(default_factory=list)
    shallow: list[FileTask] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    # unchanged files that were left out after reading, counted by reason
    left_out: dict[str, int] = field(default_factory=dict)


def stats_of(snapshot: Snapshot, languages: Languages | None) -> dict[str, CachedStat]:
    """The files of an index, with unknown stat keys.

    With `languages`, files that these parse and that have no facts are marked as shallow.
    """
    found = {
        path: CachedStat(UNKNOWN, fingerprint)
        for path, (fingerprint, _) in snapshot.fingerprints().items()
    }
    if languages is not None:
        for path in _without_facts(snapshot, languages):
            found[path] = found[path]._replace(shallow=True)
    return found


def merge_stats(
    known: Mapping[str, CachedStat], remembered: Mapping[str, CachedStat]
) -> dict[str, CachedStat]:
    """The files of an index, with the cached stat keys whose fingerprints agree."""
    found: dict[str, CachedStat] = {}
    for path, seen in known.items():
        old = remembered.get(path)
        same = old is not None and old.fingerprint == seen.fingerprint and not old.reason
        found[path] = seen._replace(key=old.key) if same and old is not None else seen
    for path, old in remembered.items():
        if old.reason and path not in found:
            found[path] = old
    return found


def compare(files: Iterable[WalkedFile], known: Mapping[str, CachedStat]) -> Changes:
    """Walk and compare stat keys; reads no file."""
    changes = Changes()
    unseen = dict.fromkeys(known)
    for path, key in files:
        seen = known.get(path)
        if seen is None:
            changes.changed.append(FileTask(path, b"", key.size))
            continue
        del unseen[path]
        if seen.key != key:
            known_fingerprint = b"" if seen.reason else seen.fingerprint
            changes.changed.append(FileTask(path, known_fingerprint, key.size))
        elif seen.reason:
            changes.left_out[seen.reason] = changes.left_out.get(seen.reason, 0) + 1
        elif seen.shallow:
            changes.shallow.append(FileTask(path, b"", key.size))
    changes.gone = list(unseen)
    return changes


def cacheable_key(key: StatKey, looked_at: int) -> StatKey:
    """The key, or `UNKNOWN` if the file was modified just before it was read."""
    racy = max(key.mtime_ns, key.ctime_ns) >= looked_at - _RACY_NANOSECONDS
    return UNKNOWN if racy else key


def _without_facts(snapshot: Snapshot, languages: Languages) -> Iterable[str]:
    for path, segment, number in snapshot.files():
        name = path.decode("utf-8", "surrogatepass")
        if languages.language_of(name):
            reader = snapshot.segments[segment].reader
            if not reader.attachments.get(number, FACTS):
                yield name
