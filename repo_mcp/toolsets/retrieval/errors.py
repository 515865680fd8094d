"""Every way a call of the retrieval toolset can fail: code, message, when, and in which tools.

Messages are fixed; what differs from call to call stands in `details`. docs/errors.md is made from
this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from repo_mcp.errors import TABLE as PROBLEMS
from repo_mcp.errors import Problem

SEARCH: Final = "search"
OPEN_FILE: Final = "open_file"
GET_SNIPPET: Final = "get_snippet"
LIST_DIR: Final = "list_dir"
_ALL: Final = (SEARCH, OPEN_FILE, GET_SNIPPET, LIST_DIR)
_PATHS: Final = (OPEN_FILE, GET_SNIPPET, LIST_DIR)
_FILES: Final = (OPEN_FILE, GET_SNIPPET)
_LISTS: Final = (SEARCH, LIST_DIR)


class ErrorCase(NamedTuple):
    """One row: `details` are the names of what is told besides."""

    message: str
    when: str
    tools: tuple[str, ...]
    details: tuple[str, ...] = ()


TABLE: Final[dict[str, ErrorCase]] = {
    "REPO_INVALID": ErrorCase(
        "repo is not one of those that are served",
        "`repo` is anything but `docs` or `code`, in `search` also `both`; letter case counts",
        _ALL,
        ("argument", "allowed"),
    ),
    "QUERY_INVALID": ErrorCase(
        "query is not one that can be looked for",
        "the query is empty or blank, too long, or has a phrase over several lines",
        (SEARCH,),
        ("argument", "reason"),
    ),
    "LIMIT_INVALID": ErrorCase(
        "limit is out of range",
        "`limit` is zero, negative, or larger than an answer may be",
        _LISTS,
        ("argument", "minimum", "maximum"),
    ),
    "RANGE_INVALID": ErrorCase(
        "the lines are not a range of the file",
        "`start_line` or `end_line` is less than 1, the range ends before it begins, or it begins"
        " after the last line; an end after the last line is no error",
        (GET_SNIPPET,),
        ("repo", "path", "reason", "total_lines"),
    ),
    "CURSOR_INVALID": ErrorCase(
        "cursor is none of this question",
        "the cursor was given for other arguments, or nowhere here",
        _LISTS,
        ("argument", "reason"),
    ),
    "ARGUMENT_INVALID": ErrorCase(
        "an argument is missing, unknown or not of its type",
        "a required argument is left out, one has a name that the tool does not know, or a value"
        " can't be read as its type",
        _ALL,
        ("reason",),
    ),
    "PATH_INVALID": ErrorCase(
        "this is not a path inside the repository",
        "the path is empty (where a file is asked for), has a backslash or control character, or is"
        " too long; a glob has too many wildcards",
        _ALL,
        ("repo", "path", "reason"),
    ),
    "PATH_OUTSIDE_ROOT": ErrorCase(
        "the path leads outside the repository",
        "the path has `..`, is absolute and not below the root, or goes through a link that leaves"
        " it; whether such a file exists is not told",
        _PATHS,
        ("repo", "path", "reason"),
    ),
    "PATH_DENIED": ErrorCase(
        "files of this kind may hold secrets and are never shown",
        "the path is on the denylist (`.git/`, `.env`, keys, …), the file has a second name, or it"
        " is the server's own data; whether such a file exists is not told",
        _PATHS,
        ("repo", "path", "reason"),
    ),
    "PATH_NOT_FOUND": ErrorCase(
        "there is nothing of this name",
        "no file or folder has exactly this path",
        _PATHS,
        ("repo", "path"),
    ),
    "PATH_UNREADABLE": ErrorCase(
        "the system does not let the server read this",
        "permissions, or a failing disk",
        _PATHS,
        ("repo", "path"),
    ),
    "PATH_IGNORED": ErrorCase(
        "this folder is hidden or ignored, and not listed",
        "the folder, or one around it, begins with a dot, is named by `.gitignore`, belongs to a"
        " tool or to others (`node_modules`), or lies on another file system",
        (LIST_DIR,),
        ("repo", "path", "reason"),
    ),
    "NOT_A_FILE": ErrorCase(
        "this is not a regular file",
        "the path is that of a folder, pipe or device",
        _FILES,
        ("repo", "path"),
    ),
    "NOT_A_DIRECTORY": ErrorCase(
        "this is not a folder",
        "the path is that of a file, or of a link, which is not followed",
        (LIST_DIR,),
        ("repo", "path"),
    ),
    "FILE_BINARY": ErrorCase(
        "the file is binary, not text",
        "its content is no text in any encoding that is known; `search` skips such files",
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
        "it changed each time it was read; calling again helps once it rests",
        _FILES,
        ("repo", "path"),
    ),
    "ROOT_INVALID": ErrorCase(
        "the root of the repository can't be served",
        "since the server was started the folder went away, became something else, or lost its"
        " permissions; the same code refuses the start (see above)",
        _ALL,
        ("repo", "variable", "reason"),
    ),
    "SEARCH_TIMEOUT": ErrorCase(
        "the search did not come to its end in time",
        "the index is still being built, or nothing in the query says in which files to look; a"
        " part of the matches is never passed off as all of them",
        (SEARCH,),
        ("repo", "reason"),
    ),
    "CANCELLED": ErrorCase(
        "the call was cancelled",
        "the client said that nobody waits for the answer",
        (SEARCH,),
    ),
    "INTERNAL": ErrorCase(
        "the server failed to answer",
        "a defect of the server; its log names the place",
        _ALL,
    ),
}
# what the parts below say, as this toolset says it
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
    "argument_invalid": "ARGUMENT_INVALID",
    "cancelled": "CANCELLED",
}
# codes whose detail is told as the reason
_REASONED: Final = frozenset(
    {"path_invalid", "path_outside", "path_denied", "path_data", "path_hard_link"}
    | {"argument_invalid"}
)


# what was named then must not be named again
_BLOCKED: Final = frozenset({"PATH_DENIED", "PATH_OUTSIDE_ROOT"})


class Refusal(Problem):
    """A call that can't be answered, with this toolset's code."""

    def __init__(self, code: str, **details: object) -> None:
        """Take the message from the table; `details` must be safe to show."""
        super().__init__("internal")
        self.code = code
        self.reason = TABLE[code].message
        self.hint = ""
        self.blocked = code in _BLOCKED
        self.details = {name: value for name, value in details.items() if value not in (None, "")}


def refusal_of(problem: Problem, details: Mapping[str, Any]) -> Refusal:
    """A problem as this toolset words it; `details` say what it was about."""
    if isinstance(problem, Refusal):
        return problem
    code = _CODES.get(problem.code, "INTERNAL")
    known = {name: details[name] for name in TABLE[code].details if name in details}
    if problem.code in _REASONED:
        known["reason"] = _reason(problem, TABLE[code].message)
    return Refusal(code, **known)


def _reason(problem: Problem, message: str) -> str:
    """What the problem says beyond the message."""
    said = (message, PROBLEMS["argument_invalid"].message)
    return problem.detail if PROBLEMS[problem.code].message in said else problem.reason
