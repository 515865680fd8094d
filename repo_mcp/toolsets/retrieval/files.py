"""`open_file`, `get_snippet` and `list_dir` of the retrieval toolset."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, Final

from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.repository import LineRange, RangeFault, RangeProblem, read
from repo_mcp.safety.sandbox import FolderEntry
from repo_mcp.text.cutting import number_lines
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.cursors import decode_cursor, encode_cursor
from repo_mcp.toolsets.kit.services import Arguments, Context
from repo_mcp.toolsets.retrieval.errors import RetrievalRefusal, refusal_of
from repo_mcp.toolsets.retrieval.results import (
    FolderEntryResult,
    ListDirResult,
    RetrievalOpenFileResult,
    SnippetResult,
)
from repo_mcp.toolsets.retrieval.root import OpenRoot, RetrievalServices, is_shown

# reasons of the walk that do not hide an entry from `list_dir`
_LISTED: Final = frozenset({"", "large", "link"})
_TYPES: Final = {"file": "file", "folder": "directory", "link": "link"}
# the code for each reason why the walk does not reach a folder
_UNLISTED: Final = {
    "denied": "PATH_DENIED",
    "missing": "PATH_NOT_FOUND",
    "vanished": "PATH_NOT_FOUND",
    "unreadable": "PATH_UNREADABLE",
}
_IGNORED: Final = {
    "ignored": "it is ignored by .gitignore",
    "excluded": "it is tool output or third-party",
    "mount": "it is on another file system",
    "depth": "it is too deep",
    "hidden": "it begins with a dot",
}


_RANGES: Final = {
    RangeFault.BEFORE_FIRST: "lines are counted from 1",
    RangeFault.BACKWARDS: "end_line is less than start_line",
    RangeFault.AFTER_LAST: "start_line is after the last line",
}


class _TextFile(NamedTuple):
    path: str
    size: int
    encoding: str
    rows: list[str]


class ReadFileLines:
    """Reads all lines of a file."""

    def __init__(self, services: RetrievalServices) -> None:
        self._roots = services.roots

    def __call__(self, arguments: Arguments, _: Context) -> Outcome:
        """The file."""
        root = self._roots[arguments["repo"]].open()
        file = _file(root, arguments["path"])
        last = len(file.rows)
        result = RetrievalOpenFileResult(
            path=file.path,
            start_line=min(1, last),
            end_line=last,
            total_lines=last,
            size=file.size,
            encoding=file.encoding,
            content=_content(file, 1, last),
        )
        return Outcome(result, shown=_citations(root.name, result))


class GetSnippet:
    """Reads some lines of a file."""

    def __init__(self, services: RetrievalServices) -> None:
        self._roots = services.roots

    def __call__(self, arguments: Arguments, _: Context) -> Outcome:
        """The lines of the range, clamped to the file."""
        root = self._roots[arguments["repo"]]
        requested = LineRange(arguments["start_line"], arguments["end_line"])
        about: dict[str, Any] = {"repo": root.name, "path": arguments["path"]}
        try:
            requested.check()
            file = _file(root.open(), arguments["path"])
            about["total_lines"] = total = len(file.rows)
            first, last = requested.within(total, least=0)
        except RangeProblem as problem:
            raise RetrievalRefusal(
                "RANGE_INVALID", **about, reason=_RANGES[problem.fault]
            ) from None
        result = SnippetResult(
            path=file.path,
            start_line=first if last else 0,
            end_line=last,
            total_lines=total,
            clamped=last < arguments["end_line"],
            content=_content(file, first, last),
        )
        return Outcome(result, shown=_citations(root.name, result))


class ListDir:
    """Lists a folder."""

    def __init__(self, services: RetrievalServices) -> None:
        self._roots = services.roots

    def __call__(self, arguments: Arguments, _: Context) -> Outcome:
        """A page of its entries."""
        root = self._roots[arguments["repo"]].open()
        path = _folder(root, arguments["path"])
        entries = [
            entry for entry in _entries(root, path, arguments["path"]) if is_shown(entry.name)
        ]
        cursor_key = [root.name, path]
        begin = _begin(arguments["cursor"], cursor_key, entries)
        shown = entries[begin : begin + arguments["limit"]]
        more = begin + len(shown) < len(entries)
        prefix = f"{path}/" if path else ""
        result = ListDirResult(
            path=path,
            entries=[_entry(prefix, entry) for entry in shown],
            total=len(entries),
            cursor=encode_cursor(cursor_key, 0, [shown[-1].name]) if more else "",
        )
        return Outcome(result, more=more)


def _citations(repo: str, result: RetrievalOpenFileResult | SnippetResult) -> list[str]:
    """The citation for the audit log."""
    return [f"{repo}/{result.path}:{result.start_line}-{result.end_line}"]


def _file(root: OpenRoot, path: str) -> _TextFile:
    about: dict[str, Any] = {"repo": root.name, "path": path}
    try:
        content = read(root.sandbox, path)
    except Problem as problem:
        raise refusal_of(problem, {**about, "maximum": root.most_bytes}) from None
    if content.text is None:
        raise RetrievalRefusal("FILE_BINARY", **about, size=len(content.data))
    return _TextFile(content.path, len(content.data), content.text.encoding, content.lines)


def _content(file: _TextFile, first: int, last: int) -> str:
    return "\n".join(number_lines(file.rows[first - 1 : last], first))


def _folder(root: OpenRoot, path: str) -> str:
    """The folder's path relative to the root; empty for the root."""
    about = {"repo": root.name, "path": path}
    try:
        below = root.sandbox.normalize_path(path)
    except Problem as problem:
        raise refusal_of(problem, about) from None
    if below and root.sandbox.is_denied(below, folder=True):  # whether or not it exists
        raise RetrievalRefusal("PATH_DENIED", **about)
    if below and not is_shown(below):
        raise RetrievalRefusal("PATH_IGNORED", **about, reason=_IGNORED["hidden"])
    return below


def _entries(root: OpenRoot, folder: str, given: str) -> list[FolderEntry]:
    about = {"repo": root.name, "path": given}
    try:
        found = root.entries(folder)
    except Problem as problem:
        raise refusal_of(problem, about) from None
    if isinstance(found, str):
        if found in _IGNORED:
            raise RetrievalRefusal("PATH_IGNORED", **about, reason=_IGNORED[found])
        code = _UNLISTED.get(found, "NOT_A_DIRECTORY")
        if found == "missing" and _is_other_kind(root, folder):
            code = "NOT_A_DIRECTORY"
        raise RetrievalRefusal(code, **about)
    return [entry for entry, reason in found if reason in _LISTED]


def _is_other_kind(root: OpenRoot, path: str) -> bool:
    """True if something other than a folder has this path."""
    above, _, name = path.rpartition("/")
    found = root.entries(above)
    return not isinstance(found, str) and any(entry.name == name for entry, _ in found)


def _begin(cursor: str | None, cursor_key: list[Any], entries: list[FolderEntry]) -> int:
    if not cursor:
        return 0
    try:
        (name,) = decode_cursor(cursor, cursor_key, str).place
    except Problem as problem:
        raise RetrievalRefusal("CURSOR_INVALID", argument="cursor", reason=problem.detail) from None
    return bisect_right(entries, str(name), key=lambda entry: entry.name)


def _entry(prefix: str, entry: FolderEntry) -> FolderEntryResult:
    found = FolderEntryResult(name=entry.name, path=prefix + entry.name, type=_TYPES[entry.kind])
    if entry.key is not None:
        found.size = entry.key.size
    return found
