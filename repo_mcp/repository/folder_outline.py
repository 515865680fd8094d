"""The outline of a folder: folders with numbers of files, and files with what they declare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from code_graph.facts import (
    FULL,
    MODULE,
    PARTIAL,
    DamagedFactsError,
    Declaration,
    Facts,
    decode_declarations,
)
from code_graph.store.schema import FACTS
from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.repository.folders import Folders
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.text.cutting import cut
from repo_mcp.text.plurals import counted

# kinds of declarations inside of others that say least about a file
INNER_KINDS: Final = frozenset({"constant", "field", "property", "variable"})
_MOST_NAMES: Final = 12
_LONGEST_NAME: Final = 60


class FolderListing(NamedTuple):
    """A folder of the index: its path ("" for the root), folders with numbers of files, files."""

    path: str
    folders: Sequence[tuple[str, int]]
    files: Sequence[str]


class FileOutline(NamedTuple):
    """A file with the number of its declarations, and the names of the longest at its top level."""

    path: str
    language: str
    total: int
    names: Sequence[str]

    def as_line(self, shown: str = "") -> str:
        """The outline in one line; `shown` is the path if it is written in another way."""
        if not self.total:
            return f"{shown or self.path}{f' ({self.language})' if self.language else ''}"
        listed = ", ".join(self.names)
        head = f"{shown or self.path} ({self.language}, {counted(self.total, 'declaration')})"
        return f"{head}: {listed}"


def folder_of_path(sandbox: Sandbox, path: str, problem: Problem) -> str:
    """The folder at a path that names no file; raises the `Problem` if there is none."""
    if problem.code != "not_a_file":
        raise problem
    try:
        return Folders(sandbox).find(path).prefix.rstrip("/")
    except Problem as other:
        raise (problem if other.code == "not_a_folder" else other) from None


def list_folder(snapshot: Snapshot, folder: str, few: int = 0) -> FolderListing:
    """The folders and files directly in a folder, as far as they are indexed, by path.

    Of a folder of folders that has up to so `few` files below, each is listed in their place.
    """
    prefix = f"{folder}/" if folder else ""
    begin = prefix.encode("utf-8", "surrogatepass")
    counts: Counter[str] = Counter()
    files: list[str] = []
    first: list[str] = []
    # the byte after a slash begins what is behind the folder
    for data, _, _ in snapshot.files(begin, begin[:-1] + b"0" if begin else None):
        path = data.decode("utf-8", "surrogatepass")
        if len(first) <= few:
            first.append(path)
        inner, slash, _ = path[len(prefix) :].partition("/")
        if slash:
            counts[prefix + inner] += 1
        else:
            files.append(path)
    if not files and len(first) <= few:
        return FolderListing(folder, [], first)
    return FolderListing(folder, sorted(counts.items()), files)


def outline_file(snapshot: Snapshot, path: str) -> FileOutline:
    """The outline of an indexed file."""
    data = snapshot.attachment(path, FACTS)
    try:
        facts = decode_declarations(data) if data else Facts("", "")
    except DamagedFactsError:
        facts = Facts("", "")
    declared = facts.declarations if facts.status in {FULL, PARTIAL} else ()
    return FileOutline(path, facts.language, len(declared), _main_names(declared))


def _main_names(declared: Sequence[Declaration]) -> list[str]:
    top = [item for item in declared if item.parent == MODULE]
    top = [item for item in top if item.kind not in INNER_KINDS] or top
    longest = sorted(top, key=lambda item: item.start_line - item.end_line)[:_MOST_NAMES]
    shown = sorted(longest, key=lambda item: (item.start_line, item.name_column))
    names = [*dict.fromkeys(cut(" ".join(item.name.split()), _LONGEST_NAME) for item in shown)]
    return [*names, "…"] if len(top) > len(longest) else names
