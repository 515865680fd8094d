"""Every way a request can fail: code, message, hint, and whether it counts as blocked.

Messages are made here and nowhere else, so none of them can carry what a file holds, where a link
leads, or whether something exists outside the repository.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Entry(NamedTuple):
    """One line of the table."""

    message: str
    hint: str
    blocked: bool = False


TABLE: Final[dict[str, Entry]] = {
    "path_invalid": Entry(
        "this is not a path inside the repository",
        "Use a path relative to the repository root with forward slashes, e.g. src/main.py.",
    ),
    "path_outside": Entry(
        "the path leads outside the repository",
        "Only files inside the repository are served: use a path relative to its root, no '..'.",
        blocked=True,
    ),
    "path_denied": Entry(
        "files of this kind may hold secrets and are never shown",
        "Look at a template (.env.example) or at the code that reads the file, or ask the user.",
        blocked=True,
    ),
    "path_data": Entry(
        "this is the server's own data",
        "Use repo.status to learn about the index.",
        blocked=True,
    ),
    "path_hard_link": Entry(
        "the file has more than one name, and the other may lie outside the repository",
        "Ask the user to copy the file, or to start the server with --allow-hardlinks.",
        blocked=True,
    ),
    "file_too_large": Entry(
        "the file is larger than max_file_bytes",
        "Find the part you need with repo.search, or ask the user to raise --max-file-bytes.",
        blocked=True,
    ),
    "file_changing": Entry(
        "the file changes while it is read",
        "Call again when whatever writes it has come to rest.",
    ),
    "not_found": Entry(
        "there is no such file",
        "Paths are exact, letter case included. Find the file with repo.search.",
    ),
    "not_a_file": Entry(
        "this is not a regular file",
        "Give the path of a file; folders, pipes and devices are not opened.",
    ),
    "not_a_folder": Entry(
        "this is not a folder",
        "Give the path of a folder; links to folders are not followed.",
    ),
    "unreadable": Entry(
        "the system does not let the server read this",
        "Check the permissions of the file and of its folders.",
    ),
    "binary_file": Entry(
        "the file is binary, not text",
        "Only text files are shown.",
    ),
    "too_many": Entry(
        "these are too many at once",
        "Make several calls of it.",
    ),
    "argument_invalid": Entry(
        "an argument is not valid",
        "Correct it and call again.",
    ),
    "index_busy": Entry(
        "another process is writing the index",
        "Call again in a few seconds.",
    ),
    "index_missing": Entry(
        "the repository is being indexed for the first time",
        "Call again in a moment, or use repo.search, which reads the files themselves until then.",
    ),
    "index_unavailable": Entry(
        "the index can't be read or written",
        "Check that the data folder is writable and has free space; see the server's log.",
    ),
    "data_link": Entry(
        "the data folder, or its folder 'index', is a link",
        "Remove the link, or start the server with a --data-dir of its own.",
    ),
    "workers_end": Entry(
        "the processes that read files for the index end before their work is done",
        "The system may be short of memory: free some, or start with --workers 1.",
    ),
    "cancelled": Entry("the call was cancelled", "Call again if the answer is still wanted."),
    "internal": Entry(
        "the server failed to answer",
        "This is a defect of the server. Its log names the place.",
    ),
}


class Problem(Exception):  # noqa: N818 it is also how a refusal is answered, which is no error of ours
    """A request that can't be answered, or must not be; the answer is made from it."""

    def __init__(self, code: str, detail: str = "") -> None:
        """Take message and hint from the table; `detail` must be safe to show."""
        entry = TABLE[code]
        self.code = code
        self.detail = detail
        self.reason = f"{entry.message}: {detail}" if detail else entry.message
        self.hint = entry.hint
        self.blocked = entry.blocked
        super().__init__(self.reason)
