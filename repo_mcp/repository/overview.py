"""Overviews of a tree: entries of a folder with counts, and the files that declare most."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Final

import numpy as np

from code_graph.facts import DamagedFactsError, decode_count
from code_graph.store.schema import FACTS
from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.model import AnswerWarning
from repo_mcp.repository.folder_outline import FolderListing, list_folder
from repo_mcp.repository.folders import DIRECTORY, FolderItem, Folders
from repo_mcp.repository.repository import Repository
from repo_mcp.stored import SYMBOL

# entries of one folder that are listed
_MOST_ENTRIES: Final = 2_000
# files by the length of their names' field, of which declarations are counted
_COUNTED: Final = 8


class TreeEntry(NamedTuple):
    """A file or folder: of a folder the indexed files in it, of a file its size and content."""

    path: str
    name: str
    is_folder: bool
    files: int = 0
    size: int = 0
    language: str = ""
    declarations: int = 0


class FolderOverview(NamedTuple):
    """The entries of a folder, folders first; `more` are not listed."""

    path: str
    entries: list[TreeEntry]
    files: int
    more: int
    warnings: list[AnswerWarning]


def overview_of(repository: Repository, path: str, budget: Budget) -> FolderOverview:
    """A folder as it is now, with counts of the index; raises a `Problem` if it can't be shown."""
    folders = Folders(repository.sandbox)
    place = folders.find(path)
    items = sorted(folders.entries(place), key=lambda item: (item.type != DIRECTORY, item.name))
    snapshot = repository.current_index().snapshot
    folder = place.prefix.rstrip("/")
    indexed = FolderListing(folder, [], []) if snapshot is None else list_folder(snapshot, folder)
    budget.check()
    counts = dict(indexed.folders)
    listed = [
        _entry(item, place.prefix, repository, snapshot, counts) for item in items[:_MOST_ENTRIES]
    ]
    more = max(len(items) - _MOST_ENTRIES, 0)
    files = sum(counts.values()) + len(indexed.files)
    return FolderOverview(folder, listed, files, more, folders.warnings)


def most_declaring(repository: Repository, most: int) -> list[TreeEntry]:
    """The files with the most declarations, by the index."""
    snapshot = repository.current_index().snapshot
    field = None if snapshot is None else snapshot.schema.number(SYMBOL)
    if snapshot is None or field is None or not snapshot.chunk_span:
        return []
    lengths = snapshot.lengths(field, np.arange(snapshot.chunk_span))
    totals = np.concatenate([[0], np.cumsum(lengths)])[snapshot.file_starts]
    longest = np.argsort(-np.diff(totals), kind="stable")[: most * _COUNTED]
    paths = dict.fromkeys(snapshot.paths_of(np.sort(longest)))
    live = (path for path in paths if snapshot.file(path) is not None)
    found = [_file(path, path, 0, repository, snapshot) for path in live]
    ordered = sorted(found, key=lambda item: (-item.declarations, item.path))
    return [item for item in ordered[:most] if item.declarations]


def _entry(
    item: FolderItem,
    prefix: str,
    repository: Repository,
    snapshot: Snapshot | None,
    counts: Mapping[str, int],
) -> TreeEntry:
    path = f"{prefix}{item.name}"
    if item.type == DIRECTORY:
        return TreeEntry(path, item.name, is_folder=True, files=counts.get(path, 0))
    return _file(path, item.name, item.size, repository, snapshot)


def _file(
    path: str, name: str, size: int, repository: Repository, snapshot: Snapshot | None
) -> TreeEntry:
    language = repository.languages.language_of(path) or ""
    data = b"" if snapshot is None or not language else snapshot.attachment(path, FACTS)
    count = 0
    with suppress(DamagedFactsError):
        count = decode_count(data) if data else 0
    return TreeEntry(path, name, is_folder=False, size=size, language=language, declarations=count)
