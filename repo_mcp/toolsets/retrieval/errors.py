"""Errors of the retrieval toolset: code, message, cause, and the tools that return it.

Messages are fixed; what differs from call to call is in `details`. docs/errors.md is generated from
this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from index_format.tuples import NamedTuple
from repo_mcp.errors import TABLE as PROBLEMS, Problem

SEARCH: Final = "search"
OPEN_FILE: Final = "open_file"
GET_SNIPPET: Final = "get_snippet"
LIST_DIR: Final = "list_dir"
_ALL: Final = (SEARCH, OPEN_FILE, GET_SNIPPET, LIST_DIR)
_PATHS: Final = (OPEN_FILE, GET_SNIPPET, LIST_DIR)
_FILES: Final = (OPEN_FILE, GET_SNIPPET)
_LISTS: Final = (SEARCH, LIST_DIR)


class ErrorCase(NamedTuple):
    """One row; `details` are the names of its fields."""

    message: str
    when: str
    tools: tuple[str, ...]
    details: tuple[str, ...] = ()


TABLE: Final[dict[str, ErrorCase]] = {
    "REPO_INVALID": ErrorCase(
        "unknown repo",
        "`repo` is anything but `docs` or `code`, in `search` also `both`; letter case counts",
        _ALL,
        ("argument", "allowed"),
    ),
    "QUERY_INVALID": ErrorCase(
        "invalid query",
        "the query is empty or blank, too long, or has a phrase over several lines",
        (SEARCH,),
        ("argument", "reason"),
    ),
    "LIMIT_INVALID": ErrorCase(
        "limit is out of range",
        "`limit` is zero, negative, or above the maximum",
        _LISTS,
        ("argument", "minimum", "maximum"),
    ),
    "RANGE_INVALID": ErrorCase(
        "invalid line range",
        "`start_line` or `end_line` is less than 1, the range ends before it begins, or it begins"
        " after the last line; an end after the last line is no error",
        (GET_SNIPPET,),
        ("repo", "path", "reason", "total_lines"),
    ),
    "CURSOR_INVALID": ErrorCase(
        "invalid cursor",
        "the cursor belongs to other arguments, or was not issued by this server",
        _LISTS,
        ("argument", "reason"),
    ),
    "ARGUMENT_INVALID": ErrorCase(
        "an argument is missing, unknown or of the wrong type",
        "a required argument is missing, the tool has no argument of that name, or a value can't be"
        " converted to its type",
        _ALL,
        ("reason",),
    ),
    "PATH_INVALID": ErrorCase(
        "invalid path",
        "the path is empty (where a file is required), has a backslash or control character, or is"
        " too long; a glob has too many wildcards",
        _ALL,
        ("repo", "path", "reason"),
    ),
    "PATH_OUTSIDE_ROOT": ErrorCase(
        "the path leads outside the repository",
        "the path has `..`, is absolute and not below the root, or goes through a link that leaves"
        " it; whether such a file exists is not disclosed",
        _PATHS,
        ("repo", "path", "reason"),
    ),
    "PATH_DENIED": ErrorCase(
        "files of this kind may hold secrets and are never shown",
        "the path is on the denylist (`.git/`, `.env`, keys, …), the file has another hard link,"
        " or it is the server's own data; whether such a file exists is not disclosed",
        _PATHS,
        ("repo", "path", "reason"),
    ),
    "PATH_NOT_FOUND": ErrorCase(
        "file or folder not found",
        "no file or folder has exactly this path",
        _PATHS,
        ("repo", "path"),
    ),
    "PATH_UNREADABLE": ErrorCase(
        "the system refuses to read this",
        "missing permissions, or a disk error",
        _PATHS,
        ("repo", "path"),
    ),
    "PATH_IGNORED": ErrorCase(
        "hidden or ignored folders are not listed",
        "the folder, or one above it, begins with a dot, is ignored by `.gitignore`, is tool"
        " output or third-party (`node_modules`), or is on another file system",
        (LIST_DIR,),
        ("repo", "path", "reason"),
    ),
    "NOT_A_FILE": ErrorCase(
        "this is not a regular file",
        "the path names a folder, pipe or device",
        _FILES,
        ("repo", "path"),
    ),
    "NOT_A_DIRECTORY": ErrorCase(
        "this is not a folder",
        "the path names a file, or a symlink, which is not followed",
        (LIST_DIR,),
        ("repo", "path"),
    ),
    "FILE_BINARY": ErrorCase(
        "the file is binary, not text",
        "its content is not text in any known encoding; `search` skips such files",
        _FILES,
        ("repo", "path", "size"),
    ),
    "FILE_TOO_LARGE": ErrorCase(
        "the file is larger than the server reads",
        "it has more bytes than `--max-file-bytes`; `search` skips such files",
        _FILES,
        ("repo", "path", "maximum"),
    ),
    "FILE_CHANGING": ErrorCase(
        "the file changes while it is read",
        "it changed during every attempt to read it; a program is writing it",
        _FILES,
        ("repo", "path"),
    ),
    "ROOT_INVALID": ErrorCase(
        "the root of the repository can't be read",
        "since the server started, the folder was removed, replaced by a file or link, or lost its"
        " permissions, or it was replaced during the call; the same code refuses the start (see"
        " above); the root is served again once there is a folder in its place",
        _ALL,
        ("repo", "variable", "reason"),
    ),
    "SEARCH_TIMEOUT": ErrorCase(
        "the search timed out",
        "the index is still being built, or the query can't be narrowed to few files; partial"
        " results are never returned as complete",
        (SEARCH,),
        ("repo", "reason"),
    ),
    "CANCELLED": ErrorCase(
        "the call was cancelled",
        "the client cancelled the call",
        (SEARCH,),
    ),
    "INTERNAL": ErrorCase(
        "the server failed to answer",
        "a bug in the server; its log names the place",
        _ALL,
    ),
}
# this toolset's code for each problem; INTERNAL for any other
_CODES: Final = {
    "path_invalid": "PATH_INVALID",
    "path_outside": "PATH_OUTSIDE_ROOT",
    "path_denied": "PATH_DENIED",
    "path_data": "PATH_DENIED",
    "path_hard_link": "PATH_DENIED",
    "file_too_large": "FILE_TOO_LARGE",
    "file_changing": "FILE_CHANGING",
    "not_found": "PATH_NOT_FOUND",
    "not_a_file": "NOT_A_FILE",
    "unreadable": "PATH_UNREADABLE",
    "binary_file": "FILE_BINARY",
    "document_unread": "FILE_BINARY",
    "argument_invalid": "ARGUMENT_INVALID",
    "root_missing": "ROOT_INVALID",
    "reopened": "ROOT_INVALID",
    "cancelled": "CANCELLED",
}
# problems whose detail is returned as `reason`
_REASONED: Final = frozenset(
    {"path_invalid", "path_outside", "path_denied", "path_data", "path_hard_link"}
    | {"argument_invalid"}
)


# answers with these codes are blocked: the path is not audited
_BLOCKED: Final = frozenset({"PATH_DENIED", "PATH_OUTSIDE_ROOT"})


class RetrievalRefusal(Problem):
    """A call that can't be answered, with this toolset's code."""

    def __init__(self, code: str, **details: object) -> None:
        """Take the message from the table; `details` must be safe to show."""
        super().__init__("internal")
        self.code = code
        self.reason = TABLE[code].message
        self.hint = ""
        self.blocked = code in _BLOCKED
        self.details = {name: value for name, value in details.items() if value not in (None, "")}


def refusal_of(problem: Problem, details: Mapping[str, Any]) -> RetrievalRefusal:
    """The problem as a `RetrievalRefusal`, with those of the `details` that its code has."""
    if isinstance(problem, RetrievalRefusal):
        return problem
    code = _CODES.get(problem.code, "INTERNAL")
    known = {name: details[name] for name in TABLE[code].details if name in details}
    if problem.code in _REASONED:
        known["reason"] = _reason(problem, TABLE[code].message)
    return RetrievalRefusal(code, **known)


def _reason(problem: Problem, message: str) -> str:
    """The problem's detail if its reason adds nothing to the message, else its reason."""
    redundant = (message, PROBLEMS["argument_invalid"].message)
    return problem.detail if PROBLEMS[problem.code].message in redundant else problem.reason
