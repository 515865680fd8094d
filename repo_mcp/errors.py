"""Errors that a request can fail with: code, message, hint, whether it is blocked; and names meant.

All messages are in one table, so none can reveal a file's content, a link's target, or whether
something exists outside the repository.
"""

from __future__ import annotations

from collections.abc import Iterable

from index_format.annotations import Final
from index_format.tuples import NamedTuple


class ErrorEntry(NamedTuple):
    """One row of the table."""

    message: str
    hint: str
    blocked: bool = False


TABLE: Final[dict[str, ErrorEntry]] = {
    "path_invalid": ErrorEntry(
        "this is not a path inside the repository",
        "Use a path relative to the repository root with forward slashes, e.g. src/main.py.",
    ),
    "path_outside": ErrorEntry(
        "the path leads outside the repository",
        "Only files inside the repository are served: use a path relative to its root, no '..'.",
        blocked=True,
    ),
    "path_denied": ErrorEntry(
        "files of this kind may hold secrets and are never shown",
        "Look at a template (.env.example) or at the code that reads the file, or ask the user.",
        blocked=True,
    ),
    "path_data": ErrorEntry(
        "this is the server's own data",
        "Use repo.status to learn about the index.",
        blocked=True,
    ),
    "path_hard_link": ErrorEntry(
        "the file has more than one name, and the other may lie outside the repository",
        "Ask the user to copy the file, or to start the server with --allow-hardlinks.",
        blocked=True,
    ),
    "file_too_large": ErrorEntry(
        "the file is larger than max_file_bytes",
        "Find the part you need with repo.search, or ask the user to raise --max-file-bytes.",
        blocked=True,
    ),
    "file_changing": ErrorEntry(
        "the file changes while it is read",
        "Call again when the file is no longer being written.",
    ),
    "not_found": ErrorEntry(
        "there is no such file",
        "Paths are exact, letter case included. Find the file with repo.search.",
    ),
    "no_history": ErrorEntry(
        "this is no checkout of git, or nothing is committed yet",
        "Ask for the history of a root that has a .git of its own.",
    ),
    "history_unindexed": ErrorEntry(
        "no commit is indexed yet",
        "Commits are being indexed; lines of a file, and a commit by its hash, are told at once.",
    ),
    "patch_conflict": ErrorEntry(
        "the patch does not go with the files, neither forwards nor backwards",
        "Give a patch of the files as they are now, or name revisions instead (rev, since).",
    ),
    "history_unread": ErrorEntry(
        "the history of this repository can't be read",
        "The files themselves are searched as ever; git itself may tell more (git fsck).",
    ),
    "not_a_file": ErrorEntry(
        "this is not a regular file",
        "Give the path of a file; folders, pipes and devices are not opened.",
    ),
    "not_a_folder": ErrorEntry(
        "this is not a folder",
        "Give the path of a folder; links to folders are not followed.",
    ),
    "unreadable": ErrorEntry(
        "the system does not let the server read this",
        "Check the permissions of the file and of its folders.",
    ),
    "document_unread": ErrorEntry(
        "the text of this document can't be read",
        "Ask the user to install what reads it, or for the document in another format.",
    ),
    "binary_file": ErrorEntry(
        "the file is binary, not text",
        "Only text files are shown.",
    ),
    "too_many": ErrorEntry(
        "too many items in one call",
        "Split them over several calls.",
    ),
    "argument_invalid": ErrorEntry(
        "an argument is not valid",
        "Correct it and call again.",
    ),
    "root_missing": ErrorEntry(
        "the repository's folder is missing or can't be read",
        "Call again when the folder is back at its path; if it has moved for good, ask the user to"
        " restart the server with the new path.",
    ),
    "reopened": ErrorEntry(
        "the repository's folder was replaced, or its settings changed, during the call",
        "Call again: the next answer is from the folder that is there now.",
    ),
    "index_busy": ErrorEntry(
        "another process is writing the index",
        "It publishes what it indexes as it goes: asking the same at once is of no use.",
    ),
    "index_behind": ErrorEntry(
        "some files are not indexed yet",
        "Call again when they are: repo.status shows the progress.",
    ),
    "index_missing": ErrorEntry(
        "the repository is being indexed for the first time",
        "Until then repo.search reads the files themselves.",
    ),
    "graph_missing": ErrorEntry(
        "the symbols of the repository are being linked for the first time",
        "Until then the other tools show files and declarations.",
    ),
    "graph_damaged": ErrorEntry(
        "the symbol graph on the disk was damaged, and is being linked again",
        "Until then the other tools show files and declarations.",
    ),
    "symbol_missing": ErrorEntry(
        "there is no symbol of this name or id",
        "Use a name, a dotted name, path:line or folder:name; a symbol that was renamed or moved"
        " to another file has a new id.",
    ),
    "file_not_linked": ErrorEntry(
        "the file has no symbols in the graph",
        "It is not in a language whose symbols are linked, or was just added and is linked soon.",
    ),
    "index_unavailable": ErrorEntry(
        "the index can't be read or written",
        "Check that the data folder is writable and has free space; see the server's log.",
    ),
    "data_link": ErrorEntry(
        "the data folder, or the folder of an index in it, is a link",
        "Remove the link, or start the server with a --data-dir of its own.",
    ),
    "data_of_other_root": ErrorEntry(
        "the data folder has the index of another repository",
        "Choose another folder with --data-dir; or remove this one, and all that is kept in it, to"
        " have the index of this repository made there.",
    ),
    "data_shared": ErrorEntry(
        "four other processes use this data folder, each with other settings",
        "Stop one of them, or start the server with a --data-dir of its own.",
    ),
    "model_unusable": ErrorEntry(
        "the embedding model can't be used",
        "Ask the user to correct --embedding-model or --function-encoder, or to start with"
        " --no-embeddings.",
    ),
    "vectors_off": ErrorEntry(
        "embeddings are turned off, and with them what finds similar symbols",
        "Ask the user to start without --no-embeddings; search_symbols finds symbols by name.",
    ),
    "structure_missing": ErrorEntry(
        "structural search needs the package ast-grep-py, which is not installed here",
        "Ask the user to install it beside repo-mcp, where there is a build of it for the platform;"
        " mode regex finds text.",
    ),
    "workers_end": ErrorEntry(
        "the worker processes end before their work is done",
        "The system may be short of memory: free some, or start with --workers 1.",
    ),
    "store_unavailable": ErrorEntry(
        "the object store does not answer as it should",
        "Check its address, the credentials in the environment and the network. Without it the"
        " index is built here.",
    ),
    "publication_missing": ErrorEntry(
        "nothing that fits is published there",
        "Publish with repo-mcp publish, or name another label.",
    ),
    "publication_invalid": ErrorEntry(
        "what is published there is damaged or was altered",
        "Nothing of it is used. Publish again from a checkout that is trusted.",
    ),
    "publication_untrusted": ErrorEntry(
        "what is published there is not signed by a key of index.trust, or was replayed",
        "Nothing of it is used. Publish with --sign-key, or name the public key of who publishes.",
    ),
    "publication_differs": ErrorEntry(
        "what is published there was made with other settings or another version",
        "Use the version and settings that it was published with, or build the index here.",
    ),
    "engine_unusable": ErrorEntry(
        "the engine can't do the work",
        "Check its address, that its workers run, and that they have this version of repo-mcp with"
        " the same packages; or build the index without --engine.",
    ),
    "cancelled": ErrorEntry("the call was cancelled", "Call again if the answer is still needed."),
    "internal": ErrorEntry(
        "the server failed to answer",
        "This is a defect of the server; see its log.",
    ),
}


class Problem(Exception):  # noqa: N818 it also stands for refusals, which are no errors
    """A request that can't or must not be answered; carries what the answer says."""

    def __init__(self, code: str, detail: str = "") -> None:
        """Take message and hint from the table; `detail` must be safe to show."""
        entry = TABLE[code]
        self.code = code
        self.detail = detail
        self.reason = f"{entry.message}: {detail}" if detail else entry.message
        self.hint = entry.hint
        self.blocked = entry.blocked
        super().__init__(self.reason)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled by its fields: `args`, by which exceptions are made anew, is not what made it."""
        return _bare_problem, (type(self), *self.args), self.__dict__


def _bare_problem(kind: type[Problem], *args: object) -> Problem:
    """A problem whose fields are still to be set."""
    return kind.__new__(kind, *args)


def near_names(name: str, known: Iterable[str], most: int = 1) -> list[str]:
    """The known names most like a misspelt one, the nearest first."""
    from difflib import get_close_matches  # noqa: PLC0415 only for an error

    return get_close_matches(name, [*known], most)


def nearest_name(name: str, known: Iterable[str]) -> str:
    """The known name most like a misspelt one; empty if none is like it."""
    return next(iter(near_names(name, known)), "")
