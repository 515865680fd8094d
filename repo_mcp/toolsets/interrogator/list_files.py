"""`repo.list_files`: a page of files that match a glob, and the folders with most of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from repo_mcp.answers.repository import FileEntry, ListFilesResult
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import (
    FileList,
    FileLister,
    OpenIndex,
    folder_counts,
    fullest_folders,
    tiny_files,
    with_folders,
)
from repo_mcp.safety.hidden_files import hidden_in_folder
from repo_mcp.safety.sandbox import StatKey
from repo_mcp.text.plurals import counted
from repo_mcp.toolsets.kit.answers import Outcome, size
from repo_mcp.toolsets.kit.cursors import CHANGED, decode_cursor, encode_cursor
from repo_mcp.toolsets.kit.index_warnings import COMPARING, warn_hidden
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices

_MOST_RESULTS: Final = 1000
# files that an overview of folders shows
_MOST_BESIDE: Final = 20


class ListFiles:
    """Lists the files of a repository."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services
        self._files = FileLister(services.repository)

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """A page of files."""
        services, budget = self._services, context.budget
        repository = services.repository
        if repository.manager.state().status == "ready":
            wait = services.wait
            return repository.run_query(
                lambda index: self._list(
                    arguments, repository.follow_files(index, wait, budget, walks=False), budget
                ),
                wait,
                budget,
            )
        services.repository.freshen()
        return self._list(arguments, repository.current_index(), budget)

    def _list(self, arguments: Arguments, index: OpenIndex, budget: Budget) -> Outcome:
        repository = self._services.repository
        warnings = [*index.warnings]
        arguments = self._services.with_package_globs(arguments, "glob", index.snapshot)
        hidden = arguments["include_hidden"]
        glob = (arguments["glob"] or "").strip() or None
        listed = self._files.list_files(glob, index, budget, hidden=hidden)
        if not listed.paths and glob and (inside := with_folders(glob)):
            below = self._files.list_files(inside, index, budget, hidden=hidden)
            if below.paths:
                listed = below
                warnings.append(AnswerWarning("folder", f"{glob} is a folder: {inside} is listed"))
        hides = warn_hidden(glob, repository.settings.deny_globs)
        if glob and not hides and (text := hidden_in_folder(glob)):
            hides = [AnswerWarning("hidden", text)]
        warnings += hides if not arguments["cursor"] else ()
        if not listed.complete:
            text = "incomplete, the time ran out: name a folder, as in src/**"
            warnings.append(AnswerWarning("out_of_time", text))
        elif index.complete and not index.compared and listed.is_indexed:
            warnings.append(COMPARING)
        return self._page(arguments, [glob, hidden], listed, index, warnings, budget)

    @staticmethod
    def _summed(listed: FileList, result: ListFilesResult) -> FileList:
        """The list without many tiny files of one size, which the result has by folder."""
        found = tiny_files(listed)
        if not found:
            return listed
        result.tiny = [
            f"{item.folder}/ {len(item.paths)} files of {counted(item.size, 'byte')} each"
            for item in found
        ]
        left_out = {path for item in found for path in item.paths}
        return listed._replace(paths=[path for path in listed.paths if path not in left_out])

    def _page(
        self,
        arguments: Arguments,
        cursor_key: list[Any],
        listed: FileList,
        index: OpenIndex,
        warnings: list[AnswerWarning],
        budget: Budget,
    ) -> Outcome:
        services, paths = self._services, listed.paths
        most = services.clamp("max_results", arguments["max_results"], _MOST_RESULTS, warnings)
        page = services.page_size(arguments["max_chars"], warnings)
        result = ListFilesResult(
            files=[],
            total=len(paths),
            scope="indexed" if listed.is_indexed else "all",
            complete=listed.complete,
        )
        listed = self._summed(listed, result)
        if arguments["cursor"]:
            result.tiny = []
        paths = listed.paths
        begin = self._begin(arguments["cursor"], cursor_key, paths, index, warnings)
        budget.check()
        shown, end = self._rows(listed, begin, most, services.room(page, result, warnings))
        if not arguments["cursor"] and end < len(paths):
            budget.check()
            counts = folder_counts(paths) if cursor_key[0] is None else []
            if counts:  # the whole repository: its folders, and the files beside them
                listed = listed._replace(paths=[path for path in paths if "/" not in path])
                most = min(most, _MOST_BESIDE)
            counts = counts or fullest_folders(paths)
            result.folders = [f"{path}/ {count}" for path, count in counts]
            budget.check()
            shown, end = self._rows(listed, begin, most, services.room(page, result, warnings))
        result.files = shown
        if end < len(paths):
            result.truncated = True
            # after an overview the list begins with its first path
            place = [paths[end - 1] if end and listed.paths is paths else ""]
            result.cursor = encode_cursor(cursor_key, index.generation, place)
        gone = end - begin - len(shown)
        if gone:
            text = f"{counted(gone, 'file')} of the index gone or no longer readable"
            warnings.append(AnswerWarning("gone", text))
        cited = [row.path for row in shown]
        return Outcome(result, warnings, shown=cited, generation=index.generation)

    def _begin(
        self,
        cursor: str | None,
        cursor_key: list[Any],
        paths: Sequence[str],
        index: OpenIndex,
        warnings: list[AnswerWarning],
    ) -> int:
        """The index of the first path after the last page."""
        if not cursor:
            return 0
        position = decode_cursor(cursor, cursor_key, str)
        if position.generation != index.generation:
            warnings.append(CHANGED)
        return bisect_right(paths, position.place[0])

    def _rows(
        self, listed: FileList, begin: int, most: int, room: int
    ) -> tuple[list[FileEntry], int]:
        """As many files as fit, and the index of the next one."""
        shown: list[FileEntry] = []
        for at in range(begin, len(listed.paths)):
            if len(shown) == most:
                return shown, at
            path = listed.paths[at]
            row = self._row(path, listed.keys.get(path))
            if row is None:
                continue
            # a cursor holds the last path
            room -= size(row)
            if room < 2 * len(path) and shown:
                return shown, at
            shown.append(row)
        return shown, len(listed.paths)

    def _row(self, path: str, key: StatKey | None) -> FileEntry | None:
        """The entry of a file; None if the file is gone."""
        if key is None:
            try:
                key = self._services.repository.sandbox.file_key(path)
            except Problem:
                return None
        return FileEntry(path=path, size=key.size, mtime=_time(key.mtime_ns))


def _time(ns: int) -> str:
    if not ns:  # what is published has no times of files
        return ""
    try:
        found = datetime.fromtimestamp(ns // 1_000_000_000, UTC)
    except (OverflowError, ValueError, OSError):  # a time out of range
        return ""
    return found.isoformat(timespec="seconds").replace("+00:00", "Z")
