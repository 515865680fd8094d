"""The outline of a folder as an answer, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.answers.repository import FOLDER, OutlineResult
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import (
    FolderListing,
    OpenIndex,
    OutdatedFiles,
    SourceFiles,
    list_folder,
    outline_file,
)
from repo_mcp.text.plurals import counted
from repo_mcp.toolsets.kit.answers import Outcome, size
from repo_mcp.toolsets.kit.cursors import CHANGED, Position, decode_cursor, encode_cursor
from repo_mcp.toolsets.kit.index_warnings import COMPARING, building_detail
from repo_mcp.toolsets.kit.services import Arguments, ToolServices

# room for the cursor besides the name in it
_CURSOR: Final = 200


class _Entry(NamedTuple):
    """A folder or a file of the listing, as it is shown."""

    name: str
    line: str
    is_file: bool


class _FolderPage(NamedTuple):
    """The entries of one page, and the files among them that changed since they were indexed."""

    entries: list[_Entry]
    total: int
    is_last: bool
    outdated: OutdatedFiles


class FolderOutlines:
    """Lists what the files of a folder declare."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services

    def __call__(self, folder: str, arguments: Arguments, budget: Budget) -> Outcome:
        """A page: folders first, then files, each by path."""
        services, warnings = self._services, list[AnswerWarning]()
        page = services.page_size(arguments["max_chars"], warnings)
        result = OutlineResult(path=folder or ".", status=FOLDER, total=0, symbols=[])
        room = services.room(page, result, warnings) - _CURSOR
        cursor_key = [FOLDER, folder]
        position = Position(0, [""])
        if arguments["cursor"]:
            position = decode_cursor(arguments["cursor"], cursor_key, str)

        def find(index: OpenIndex) -> _FolderPage:
            if index.snapshot is None:
                raise Problem("index_missing", building_detail(services.repository))
            return self._page(index.snapshot, folder, position.place[0], room, budget)

        def answer(index: OpenIndex) -> Outcome:
            repository = services.repository
            found, index = repository.run_fresh_query(
                find, lambda item: item.outdated.paths, index, services.wait, budget
            )
            notes = [*warnings, *index.warnings]
            if arguments["cursor"] and position.generation != index.generation:
                notes.append(CHANGED)
            if index.complete and not index.compared:
                notes.append(COMPARING)
            if not found.total:
                text = "no file in this folder is indexed: repo.list_files lists all of them"
                notes.append(AnswerWarning("left_out", text))
            return self._outcome(result, cursor_key, found, index, notes)

        return services.repository.run_query(answer, services.wait, budget)

    def _page(
        self, snapshot: Snapshot, folder: str, after: str, room: int, budget: Budget
    ) -> _FolderPage:
        listing = list_folder(snapshot, folder)
        shown: list[_Entry] = []
        is_last = True
        for entry in _entries(snapshot, listing, after):
            budget.check()
            room -= size(entry.line) + 1
            if shown and room < 2 * len(entry.name):
                is_last = False
                break
            shown.append(entry)
        total = len(listing.files) + sum(count for _, count in listing.folders)
        files = SourceFiles(self._services.repository.sandbox, snapshot)
        outdated = files.outdated(entry.name for entry in shown if entry.is_file)
        return _FolderPage(shown, total, is_last, outdated)

    def _outcome(
        self,
        result: OutlineResult,
        cursor_key: object,
        found: _FolderPage,
        index: OpenIndex,
        warnings: list[AnswerWarning],
    ) -> Outcome:
        if found.outdated:
            warnings.append(found.outdated.warning())
        result.total = found.total
        result.folders = [entry.line for entry in found.entries if not entry.is_file]
        result.files = [entry.line for entry in found.entries if entry.is_file]
        if not found.is_last:
            result.truncated = True
            result.cursor = encode_cursor(cursor_key, index.generation, [found.entries[-1].name])
        shown = [entry.name for entry in found.entries if entry.is_file]
        return Outcome(result, warnings, shown=shown, generation=index.generation)


def _entries(snapshot: Snapshot, listing: FolderListing, after: str) -> Iterator[_Entry]:
    """Folders, then files, from the one after this name; a folder's name ends in a slash."""
    for folder, count in listing.folders:
        name = f"{folder}/"
        if not after or (after.endswith("/") and name > after):
            yield _Entry(name, f"{name} {counted(count, 'file')}", is_file=False)
    for path in listing.files:
        if not after or after.endswith("/") or path > after:
            yield _Entry(path, outline_file(snapshot, path).as_line(), is_file=True)
