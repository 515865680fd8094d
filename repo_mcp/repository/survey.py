"""A survey of a repository by one walk: languages, folders, and omitted files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from heapq import nsmallest
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.indexing.keep.manager import Indexes
from repo_mcp.indexing.keep.runs import IndexRun, index_runs
from repo_mcp.indexing.walk.memory import WalkMemory

_OTHER: Final = "other text"
_MOST: Final = 8
_NANOSECONDS: Final = 1_000_000_000
_MINUTE: Final = 60

LEFT_OUT: Final = {
    "binary": "not text",
    "denied": "may contain secrets",
    "depth": "too deep",
    "document_unread": "PDF that can't be read, or without repo-mcp[pdf]",
    "excluded": "third-party or excluded",
    "file_too_large": "larger than max_file_bytes",
    "ignored": ".gitignore",
    "large": "larger than max_file_bytes",
    "link": "links are not followed",
    "mount": "on another file system",
    "name": "not valid Unicode",
    "other": "pipes, devices and the like",
    "unreadable": "can't be read",
}


class FileTotals(NamedTuple):
    """Files of one kind, and their bytes."""

    name: str
    files: int
    size: int


class Cell(NamedTuple):
    """The bytes of one language in one folder of the root."""

    folder: str
    language: str
    size: int


class ChangedFile(NamedTuple):
    """A file, and when it was written last, in seconds since 1970."""

    path: str
    time: float


class UnindexedEntry(NamedTuple):
    """A file or folder that is not indexed, and why."""

    path: str
    reason: str
    is_folder: bool = False


class Survey(NamedTuple):
    """The files of a repository, by language and by folder; `complete`: all were walked.

    Of languages and folders those with the most bytes; `cells` has all of them. `changed` has the
    files that were written last, without those that one checkout has written at once.
    """

    languages: list[FileTotals]
    folders: list[FileTotals]
    left_out: dict[str, int]
    complete: bool
    cells: list[Cell]
    changed: list[ChangedFile]


def survey_files(manager: Indexes, budget: Budget) -> Survey:
    """Walk the repository until the budget is spent; reads no file."""
    languages, folders = _Shares(), _Shares()
    cells: Counter[tuple[str, str]] = Counter()
    left_out: Counter[str] = Counter()
    complete = True
    refused = dict(refused_files(manager))
    written: list[ChangedFile] = []
    for path, reason, key in manager.discovery().candidates(budget):
        if budget.spent:
            complete = False
            break
        if reason:
            left_out[reason] += 1
        elif key is not None and path not in refused:
            language = manager.languages.language_of(path) or _OTHER
            folder = path.partition("/")[0] if "/" in path else "."
            languages.add(language, key.size)
            folders.add(folder, key.size)
            cells[folder, language] += key.size
            if key.mtime_ns:  # what is published has no times of files
                written.append(ChangedFile(path, key.mtime_ns / _NANOSECONDS))
    left_out.update(refused.values())
    return Survey(
        languages.largest(),
        folders.largest(),
        dict(sorted(left_out.items())),
        complete,
        [Cell(*names, size) for names, size in sorted(cells.items())],
        changed_last(written),
    )


def changed_last(written: Sequence[ChangedFile]) -> list[ChangedFile]:
    """The files that were written last, newest first.

    A checkout writes all files at once: if most files have the time of one minute, those that
    were written until its end tell nothing.
    """
    minutes = Counter(int(item.time // _MINUTE) for item in written)
    minute, number = minutes.most_common(1)[0] if minutes else (0, 0)
    after = (minute + 1) * _MINUTE if number * 2 > len(written) > _MOST else 0.0
    found = (item for item in written if item.time >= after)
    return nsmallest(_MOST, found, key=lambda item: (-item.time, item.path))


def left_out_paths(manager: Indexes, budget: Budget, reason: str) -> Iterator[tuple[str, str]]:
    """Paths that are not indexed, each with its reason; `reason` is one of them, or empty."""
    for path, found, _ in manager.discovery().candidates(budget):
        if found and reason in {"", found}:
            yield path, found
    for path, found in sorted(refused_files(manager)):
        if reason in {"", found}:
            yield path, found


def refused_files(manager: Indexes) -> list[tuple[str, str]]:
    """Files that were left out after they were read, with the reasons."""
    found: list[tuple[str, str]] = []
    for folder, part in manager.parts.items():
        refused = part.text.with_memory(lambda memory: list(memory.refused()))
        found += ((folder + path, reason) for path, reason in refused)
    return found


def noted_left_out(manager: Indexes, reasons: Collection[str]) -> list[UnindexedEntry] | None:
    """Paths left out for one of these reasons, without a walk; None if nothing is remembered.

    Only folders are listed in which the last walk has left out something for such a reason, or has
    not noted it.
    """
    noted: list[str] = []
    found: list[UnindexedEntry] = []
    for above, part in manager.parts.items():
        folders, refused = part.text.with_memory(lambda memory: _noted(memory, reasons))
        if folders is None:
            return None
        noted += (above + folder for folder in folders)
        found += (UnindexedEntry(above + path, reason) for path, reason in refused)
    walk = manager.discovery()
    for folder in noted:
        entries = walk.entries(folder.rstrip("/"))
        for entry, reason in () if isinstance(entries, str) else entries:
            if reason in reasons:
                found.append(UnindexedEntry(folder + entry.name, reason, entry.kind == "folder"))
    return found


def _noted(
    memory: WalkMemory, reasons: Collection[str]
) -> tuple[list[str] | None, list[tuple[str, str]]]:
    """Folders where something was left out for these reasons, and files that were read."""
    if not memory:
        return None, []
    noted = memory.notable()
    folders = {
        folder for folder, notes, _ in noted if any(why in reasons for why, _ in notes.left_out)
    }
    known = memory.known_folders()
    # of a folder that was changed shortly before it was walked nothing is noted
    folders |= {folder for folder, digest in zip(*known, strict=True) if not digest}
    refused = [
        (folder + name, seen.reason)
        for folder, notes, _ in noted
        if any(why in reasons for why, _ in notes.refused)
        for name, seen in memory.of_folder(folder).items()
        if seen.reason in reasons
    ]
    return sorted(folders), refused


def past_runs(manager: Indexes) -> list[IndexRun]:
    """The runs that published an index, oldest first, as far as they are remembered."""
    return list(index_runs(manager.index_dir))


class _Shares:
    """Files and bytes by name."""

    def __init__(self) -> None:
        self._files: Counter[str] = Counter()
        self._sizes: Counter[str] = Counter()

    def add(self, name: str, size: int) -> None:
        self._files[name] += 1
        self._sizes[name] += size

    def largest(self) -> list[FileTotals]:
        """The largest by bytes."""
        found = [FileTotals(name, files, self._sizes[name]) for name, files in self._files.items()]
        return sorted(found, key=lambda share: (-share.size, share.name))[:_MOST]
