"""Maps problems to the seven error codes of the codeagent toolset."""

from __future__ import annotations

from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem

NOT_FOUND: Final = "not_found"
INVALID: Final = "invalid_parameter"
ESCAPE: Final = "path_escape"
BINARY: Final = "binary_file"
TOO_LARGE: Final = "too_large"
UNAVAILABLE: Final = "engine_unavailable"
INDEX: Final = "index_error"


class ClientError(NamedTuple):
    """An error as clients get it."""

    code: str
    message: str


class _Entry(NamedTuple):
    """A code, a hint, and a message that replaces the problem's own one."""

    code: str
    hint: str
    message: str = ""


_LOOK: Final = "list_directory shows what there is."
_UNTIL_THEN: Final = "list_directory and read_file work meanwhile."
_BUILT_HERE: Final = "The index is built from the files here; ask the user to look at the log."
_BLOCKED: Final = "This is intended: do without the file, or ask the user."
# every code of the server's table; denied files are reported as absent, whether they exist or not
TABLE: Final[dict[str, _Entry]] = {
    "path_invalid": _Entry(INVALID, "Use a path relative to the repository root, as src/main.py."),
    "path_outside": _Entry(ESCAPE, "Use a path relative to the repository root, as src/main.py."),
    "path_denied": _Entry(NOT_FOUND, _BLOCKED),
    "path_data": _Entry(NOT_FOUND, _BLOCKED),
    "path_hard_link": _Entry(ESCAPE, "Ask the user to copy the file."),
    "file_too_large": _Entry(TOO_LARGE, "Ask the user to raise --max-file-bytes."),
    "file_changing": _Entry(UNAVAILABLE, "Read it when nothing writes it any more."),
    "not_found": _Entry(
        NOT_FOUND,
        f"Paths are exact, letter case included: {_LOOK}",
        "there is no such file or folder",
    ),
    "not_a_file": _Entry(INVALID, f"Folders, pipes and devices are not opened: {_LOOK}"),
    "not_a_folder": _Entry(INVALID, "read_file reads files; links to folders are not followed."),
    "unreadable": _Entry(NOT_FOUND, "Ask the user to check its permissions."),
    "binary_file": _Entry(BINARY, "Only text is shown."),
    "document_unread": _Entry(BINARY, "Ask the user to install what reads it."),
    "too_many": _Entry(TOO_LARGE, "Split it into several calls."),
    "argument_invalid": _Entry(INVALID, "Correct it and call again."),
    "root_missing": _Entry(
        UNAVAILABLE,
        "Call again when it is back, or ask the user to restart the server with its new path.",
    ),
    "reopened": _Entry(
        UNAVAILABLE, "Call again: the next answer is from the folder that is there now."
    ),
    "index_busy": _Entry(UNAVAILABLE, f"Asking the same at once is of no use: {_UNTIL_THEN}"),
    "index_behind": _Entry(UNAVAILABLE, _UNTIL_THEN),
    "index_missing": _Entry(UNAVAILABLE, _UNTIL_THEN),
    "structure_missing": _Entry(UNAVAILABLE, "Ask the user to install the package."),
    "graph_missing": _Entry(UNAVAILABLE, _UNTIL_THEN),
    "graph_damaged": _Entry(UNAVAILABLE, _UNTIL_THEN),
    "symbol_missing": _Entry(NOT_FOUND, "search_symbols and lookup_symbol find ids."),
    "file_not_linked": _Entry(
        NOT_FOUND, "It is not in a language whose symbols are linked, or was just added."
    ),
    "index_unavailable": _Entry(INDEX, "Ask the user to look at the server's log."),
    "data_link": _Entry(UNAVAILABLE, "Ask the user to remove the link."),
    "data_of_other_root": _Entry(
        UNAVAILABLE, "Ask the user to start the server with another --data-dir."
    ),
    "data_shared": _Entry(UNAVAILABLE, "Ask the user to stop one of the other servers."),
    "model_unusable": _Entry(
        UNAVAILABLE,
        "Ask the user to correct --embedding-model or --function-encoder, or to start with"
        " --no-embeddings.",
    ),
    "vectors_off": _Entry(
        UNAVAILABLE,
        "Ask the user to start without --no-embeddings; search_symbols finds symbols by name.",
    ),
    "workers_end": _Entry(INDEX, "The system may be short of memory."),
    "store_unavailable": _Entry(INDEX, _BUILT_HERE),
    "publication_missing": _Entry(INDEX, _BUILT_HERE),
    "publication_invalid": _Entry(INDEX, _BUILT_HERE),
    "publication_untrusted": _Entry(INDEX, _BUILT_HERE),
    "publication_differs": _Entry(INDEX, _BUILT_HERE),
    "engine_unusable": _Entry(INDEX, "Ask the user to index without --engine."),
    "no_history": _Entry(UNAVAILABLE, "Only a checkout of git has a history."),
    "history_unindexed": _Entry(UNAVAILABLE, _UNTIL_THEN),
    "patch_conflict": _Entry(UNAVAILABLE, "Give a patch of the files as they are now."),
    "history_unread": _Entry(UNAVAILABLE, "The files themselves are searched as ever."),
    "cancelled": _Entry(UNAVAILABLE, "Call again if the answer is still needed."),
    "internal": _Entry(UNAVAILABLE, "This is a bug in the server; its log names the place."),
}
# why the walk leaves out a file that could be opened
_WALK_FAULTS: Final[dict[str, ClientError]] = {
    "ignored": ClientError(INVALID, "it is ignored by .gitignore, and such files are not indexed"),
    "excluded": ClientError(INVALID, "it is tool output, third-party or excluded by the user"),
    "link": ClientError(INVALID, "it is a link: give the path of the file itself"),
    "mount": ClientError(INVALID, "it is on another file system, and such files are not indexed"),
    "depth": ClientError(INVALID, "its folder is too deep to be indexed"),
}
NO_TIME: Final = ClientError(INDEX, "there was no time to index it in this call: pass fewer paths")
NOT_INDEXED: Final = ClientError(INDEX, "it changes while it is read, or indexing it fails")


def fault_of(problem: Problem) -> ClientError:
    """The error for a problem."""
    entry = TABLE[problem.code]
    blocked = "blocked: " if problem.blocked else ""
    return ClientError(entry.code, f"{blocked}{entry.message or problem.reason}. {entry.hint}")


def fault_of_reason(reason: str) -> ClientError:
    """The error for a file that the walk leaves out."""
    return _WALK_FAULTS.get(reason, ClientError(INDEX, f"it can't be indexed: {reason}"))
