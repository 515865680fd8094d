"""Files to index, to parse and to remove: by comparing all, or as they are reported."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from operator import not_
from typing import Final

import xxhash

from index_format import LiveSegment, Snapshot
from index_format.records import Record, field
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.tasks import FileResult, FileTask, FileTasks
from repo_mcp.indexing.walk.known_folders import KnownFolders, UnchangedFolders
from repo_mcp.indexing.walk.memory import (
    NOT_COMPARED,
    CachedStat,
    FolderDigest,
    NotableFolder,
    WalkMemory,
    folder_of,
    identity,
)
from repo_mcp.indexing.walk.walk import Discovery, FolderFiles, WalkedFile
from repo_mcp.safety.sandbox import UNKNOWN_KEY, StatKey, pack_key
from repo_mcp.stored import WORDS_ONLY, IndexProgress

# coarsest timestamp of file systems: a file modified this shortly before its stat may be modified
# again without a new timestamp
_RACY_NANOSECONDS: Final = 2_000_000_000


class Changes(Record, frozen=False):
    """Files to read, files whose facts are missing, and files that are gone."""

    # of both there may be as many as there are files
    changed: FileTasks = field(factory=FileTasks)
    shallow: FileTasks = field(factory=FileTasks)
    # files without facts in unchanged folders, if they are not listed
    unlisted_shallow: int = 0
    gone: list[str] = field(factory=list)
    # those of the changed files that may be as before: their times prove nothing
    unproved: set[str] = field(factory=set)
    # unchanged files that were left out after reading, counted by reason
    left_out: Counter[str] = field(factory=Counter)
    # folders that were not as they are known, and hashes of the files that they had
    compared: dict[str, tuple[FolderDigest, bytes]] = field(factory=dict)
    gone_folders: list[str] = field(factory=list)


def known_stats(base: Snapshot, memory: WalkMemory) -> WalkMemory:
    """The files of an index, with the keys of the memory where these are of the same content.

    The memory is made one of this generation.
    """
    if memory.generation != identity(base):
        deep = IndexProgress.of(base).deep  # which files are shallow may be another matter
        align(memory, base, None if deep else memory.segments)
        memory.assign(base)
    return memory


def align(
    files: WalkMemory,
    base: Snapshot,
    known: Mapping[str, Sequence[int]] | None = None,
) -> None:
    """Update the remembered file states to those in the index; entries that agree are kept.

    Of segments that are `known` with their dead files, only those that died since are looked at.
    """
    looked_at: list[LiveSegment] = []
    died: set[str] = set()
    for segment in base.segments:
        then = (known or {}).get(segment.entry.seal)
        if then is None or not segment.dead_files.issuperset(then):
            looked_at.append(segment)
        else:
            since = sorted(segment.dead_files.difference(then))
            died.update(segment.reader.files.paths.paths_of(since))
    for segment in looked_at:
        _align_segment(files, segment, died)
    for path in died:
        seen = files.get(path)
        if seen is not None and not seen.reason:
            del files[path]
    if files.indexed_count > base.file_count:
        _remove_others(files, base)


def _align_segment(files: WalkMemory, segment: LiveSegment, died: set[str]) -> None:
    """Align the live files of a segment, which have not `died`."""
    marks = {shallow: files.mark_of(shallow=shallow) for shallow in (False, True)}
    # the folder of a file and those above it, with what is known of their files
    folders = [("", files.marks_of(""))]
    for path, fingerprint, shallow in _live_files(segment):
        folder = folder_of(path)
        while not folder.startswith(folders[-1][0]):
            folders.pop()
        if folder != folders[-1][0]:
            folders.append((folder, files.marks_of(folder)))
        if folders[-1][1].get(path[len(folder) :]) != (fingerprint, marks[shallow]):
            _align_file(files, path, fingerprint, shallow=shallow)
        died.discard(path)


def _align_file(files: WalkMemory, path: str, fingerprint: bytes, *, shallow: bool) -> None:
    seen = files.get(path)
    if seen is None or seen.reason or seen.fingerprint != fingerprint:
        files[path] = CachedStat(UNKNOWN_KEY, fingerprint, "", shallow)
    elif seen.shallow != shallow:
        files[path] = seen._replace(shallow=shallow)


def _live_files(segment: LiveSegment) -> Iterator[tuple[str, bytes, bool]]:
    """Path, fingerprint and whether it has words only, of each live file of a segment."""
    reader = segment.reader
    words_only = reader.attachments.sizes(WORDS_ONLY) > 0
    rows = zip(
        reader.files.paths.list_all(),
        reader.files.fingerprints(),
        words_only.tolist(),
        segment.alive,
        strict=True,
    )
    for path, fingerprint, shallow, alive in rows:
        if alive:
            yield path.decode("utf-8", "surrogatepass"), fingerprint, shallow


def _remove_others(files: WalkMemory, base: Snapshot) -> None:
    """Forget indexed files that are not in an index."""
    live: set[bytes] = set()
    for segment in base.segments:
        live.update(compress(segment.reader.files.paths.list_all(), segment.alive))
    for path in files.missing_in(live):
        del files[path]


def find_changes(known: WalkMemory, discovery: Discovery, budget: Budget) -> Changes | None:
    """Walk and compare stat keys; None if the budget is spent before that is done."""
    # a walk asks at each folder whether it is cancelled, and for nothing else
    limit = Budget(None, lambda: budget.spent, budget.clock)
    try:
        folders = known.known_folders()
        return compare(discovery.by_folder(folders, limit), known, folders, lacking=False)
    except Problem as problem:
        if problem.code != "cancelled":
            raise
        return None


def compare(
    folders: Iterable[FolderFiles | UnchangedFolders],
    known: WalkMemory,
    before: KnownFolders | None = None,
    *,
    lacking: bool = True,
    read_since: float = -math.inf,
) -> Changes:
    """Walk and compare stat keys; reads no file.

    Folders that are as they were are passed over; files in them that lack facts are listed if
    `lacking`, else counted. `before` are the folders that the walk knows, by default those known
    now. All files have been read `read_since` then, in nanoseconds; by default none has.
    """
    changes = Changes()
    before = before or known.known_folders()
    seen = bytearray(len(before.paths) + 1)  # the last one is for folders that are new
    notable = known.notable()
    for found in folders:
        if isinstance(found, UnchangedFolders):
            seen[found.first : found.end] = b"\1" * (found.end - found.first)
            first = bisect_left(notable, before.paths[found.first], key=_folder_of)
            end = bisect_right(notable, before.paths[found.end - 1], key=_folder_of)
            for item in notable[first:end]:
                _note_unchanged(changes, known, item, lacking=lacking)
            continue
        seen[before.find(found.folder)] = 1
        if found.files is None:
            unchanged = NotableFolder(found.folder, *known.notes(found.folder))
            _note_unchanged(changes, known, unchanged, lacking=lacking)
        else:
            digest = FolderDigest(found.digest, found.left_out)
            changes.compared[found.folder] = digest, _hash_of(found.files)
            changes.left_out.update(found.left_out)
            known_files = known.of_folder(found.folder)
            _compare_files(changes, found.folder, found.files, known_files, read_since)
    changes.gone_folders = list(compress(before.paths, map(not_, seen)))
    for folder in changes.gone_folders:
        changes.gone += (folder + name for name in known.names(folder))
    return changes


def _folder_of(item: NotableFolder) -> str:
    return item.folder


def _note_unchanged(
    changes: Changes, known: WalkMemory, item: NotableFolder, *, lacking: bool
) -> None:
    """Files of a folder without changes that are left out or lack facts."""
    for reason, count in item.notes.left_out + item.notes.refused:
        changes.left_out[reason] += count
    if not lacking:
        changes.unlisted_shallow += item.shallow
    elif item.shallow:
        changes.shallow.add_folder(item.folder, known.shallow_sizes(item.folder))


def _compare_files(
    changes: Changes,
    folder: str,
    files: Iterable[WalkedFile],
    known: Mapping[str, CachedStat],
    read_since: float,
) -> None:
    unseen = dict.fromkeys(known)
    for path, key in files:
        name = path[len(folder) :]
        seen = known.get(name)
        if seen is None:
            changes.changed.append(FileTask(path, b"", key.size))
            continue
        del unseen[name]
        is_unknown = seen.key == UNKNOWN_KEY
        if _is_racy(key, read_since) if is_unknown else seen.key != key:
            if is_unknown:
                changes.unproved.add(path)
            known_fingerprint = b"" if seen.reason else seen.fingerprint
            changes.changed.append(FileTask(path, known_fingerprint, key.size))
        elif seen.reason:
            changes.left_out[seen.reason] += 1
        elif seen.shallow:
            changes.shallow.append(FileTask(path, b"", key.size))
    changes.gone += (folder + name for name in unseen)


def remember_folders(changes: Changes, known: WalkMemory) -> int:
    """Remember the digests of folders of which all files are known now; returns their number.

    Folders that are gone are forgotten once their files are.
    """
    gone, changes.gone_folders = changes.gone_folders, []
    for folder in gone:
        if known.of_folder(folder):
            changes.gone_folders.append(folder)
        else:
            known.forget(folder)
    count = 0
    for folder, (digest, files) in changes.compared.items():
        now = sorted((folder + name, seen.key) for name, seen in known.of_folder(folder).items())
        if _hash_of(now) == files:
            known.set_compared(folder, digest)
            count += bool(digest.digest)
        else:
            # the folder above is compared, so that the next walk has to know that this one is not:
            # what was remembered of it may be of the same entries under other rules
            known.set_compared(folder, NOT_COMPARED)
    return count


def _hash_of(files: Iterable[tuple[str, StatKey]]) -> bytes:
    """Equal for the same files with the same keys."""
    hashed = xxhash.xxh3_128()
    for path, key in files:
        hashed.update(path.encode("utf-8", "surrogatepass") + b"\0" + pack_key(key))
    return hashed.digest()


def cacheable_key(key: StatKey, looked_at: int) -> StatKey:
    """The key, or `UNKNOWN_KEY` if the file was modified just before it was read."""
    return UNKNOWN_KEY if _is_racy(key, looked_at) else key


def _is_racy(key: StatKey, looked_at: float) -> bool:
    """True if the file may have been modified after it was looked at, by its times."""
    return max(key.mtime_ns, key.ctime_ns) >= looked_at - _RACY_NANOSECONDS


# gives the paths that wait, and forgets them
TakePaths = Callable[[], Sequence[str]]
# among these, it says that other files may have changed and were not reported
ANY_FILE: Final = "/"


class Edits:
    """The files that were reported during one run, which indexes them before the rest of it.

    The result of a task that read such a file earlier is out of date: then the file is read once
    more, before anything is published.
    """

    def __init__(self, take: TakePaths) -> None:
        """Keep the source of the paths."""
        self._take = take
        # fingerprints of the reported files as they were read then, empty if they are gone
        self._indexed: dict[str, bytes] = {}
        self._outdated: set[str] = set()
        # whether all files have to be compared, as not every change was reported
        self.are_incomplete = False

    def next_paths(self) -> list[str]:
        """The paths to index now."""
        paths = {*self._take(), *self._outdated}
        self._outdated.clear()
        self.are_incomplete |= ANY_FILE in paths
        paths.discard(ANY_FILE)
        return sorted(paths)

    def record(self, path: str, fingerprint: bytes = b"") -> None:
        """Remember a reported file as it was read, or as gone."""
        self._indexed[path] = fingerprint

    def check(self, results: Iterable[FileResult]) -> None:
        """Have files read again of which these results of the run's own tasks have an old text."""
        if not self._indexed:
            return
        for item in results:
            last = self._indexed.get(item.path)
            if last is not None and last != item.fingerprint:
                self._outdated.add(item.path)

    def without_present(self, gone: Sequence[str]) -> list[str]:
        """Files that a walk has missed, without those that were reported and there since."""
        return [path for path in gone if not self._indexed.get(path)]

    @property
    def paths(self) -> Sequence[str]:
        """The reported files that were there, in order."""
        return sorted(path for path, fingerprint in self._indexed.items() if fingerprint)
