"""The codeagent toolset's codes for whatever goes wrong; its document allows seven."""

from __future__ import annotations

from typing import Final, NamedTuple

from repo_mcp.errors import Problem

NOT_FOUND: Final = "not_found"
INVALID: Final = "invalid_parameter"
ESCAPE: Final = "path_escape"
BINARY: Final = "binary_file"
TOO_LARGE: Final = "too_large"
UNAVAILABLE: Final = "engine_unavailable"
INDEX: Final = "index_error"


class Fault(NamedTuple):
    """What clients are told."""

    code: str
    message: str


class _Entry(NamedTuple):
    """A code of the document, what to do, and what to say where the server's words don't fit."""

    code: str
    hint: str
    said: str = ""


_LOOK: Final = "list_directory shows what there is."
_AGAIN: Final = "Call again in a moment."
_BLOCKED: Final = "This is on purpose: do without it, or ask the user."
# every code of the server's table: denied files count as absent, whether or not they are there
TABLE: Final[dict[str, _Entry]] = {
    "path_invalid": _Entry(INVALID, "Use a path relative to the repository root, as src/main.py."),
    "path_outside": _Entry(ESCAPE, "Use a path relative to the repository root, as src/main.py."),
    "path_denied": _Entry(NOT_FOUND, _BLOCKED),
    "path_data": _Entry(NOT_FOUND, _BLOCKED),
    "path_hard_link": _Entry(ESCAPE, "Ask the user to copy the file."),
    "file_too_large": _Entry(TOO_LARGE, "Ask the user to raise --max-file-bytes."),
    "file_changing": _Entry(UNAVAILABLE, _AGAIN),
    "not_found": _Entry(
        NOT_FOUND,
        f"Paths are exact, letter case included: {_LOOK}",
        "there is no such file or folder",
    ),
    "not_a_file": _Entry(INVALID, f"Folders, pipes and devices are not opened: {_LOOK}"),
    "not_a_folder": _Entry(INVALID, "read_file reads files; links to folders are not followed."),
    "unreadable": _Entry(NOT_FOUND, "Ask the user to check its permissions."),
    "binary_file": _Entry(BINARY, "Only text is shown."),
    "too_many": _Entry(TOO_LARGE, "Make several calls of it."),
    "argument_invalid": _Entry(INVALID, "Correct it and call again."),
    "index_busy": _Entry(UNAVAILABLE, _AGAIN),
    "index_missing": _Entry(UNAVAILABLE, _AGAIN),
    "index_unavailable": _Entry(INDEX, "Ask the user to look at the server's log."),
    "data_link": _Entry(UNAVAILABLE, "Ask the user to remove the link."),
    "workers_end": _Entry(INDEX, "The system may be short of memory."),
    "cancelled": _Entry(UNAVAILABLE, "Call again if the answer is still wanted."),
    "internal": _Entry(UNAVAILABLE, "This is a defect of the server; its log names the place."),
}
# why a walk over the files leaves one out, where that is no problem of opening it
_LEFT_OUT: Final[dict[str, Fault]] = {
    "ignored": Fault(INVALID, "it is named by .gitignore, and such files are not indexed"),
    "extension": Fault(INVALID, "files of this kind are not indexed"),
    "excluded": Fault(INVALID, "it belongs to a tool, to others, or to what the user left out"),
    "link": Fault(INVALID, "it is a link: give the path of the file itself"),
    "mount": Fault(INVALID, "it lies on another device, and such files are not indexed"),
    "depth": Fault(INVALID, "it lies too deep to be indexed"),
}
NO_TIME: Final = Fault(INDEX, "there was no time to index it: call again")
NOT_INDEXED: Final = Fault(INDEX, "it changes while it is read, or no reader gets to its end")


def fault_of(problem: Problem) -> Fault:
    """A problem as this toolset words it."""
    entry = TABLE[problem.code]
    blocked = "blocked: " if problem.blocked else ""
    return Fault(entry.code, f"{blocked}{entry.said or problem.reason}. {entry.hint}")


def fault_of_reason(reason: str) -> Fault:
    """Why a walk over the files does not come to one."""
    return _LEFT_OUT.get(reason, Fault(INDEX, f"it can't be indexed: {reason}"))
