"""Errors of the SwiftIndex toolset: messages are those of its specification, word for word."""

from __future__ import annotations

from typing import Final

from repo_mcp.errors import Problem

NO_INDEX: Final = "no_index"
MISSING: Final = "argument_missing"
NO_FOLDER: Final = "no_folder"
EMPTY_QUERY: Final = "query_empty"
TABLE: Final = {
    NO_INDEX: "No index found for path: {}. Run 'index_codebase' tool first.",
    MISSING: "Missing required argument: {}",
    NO_FOLDER: "Path does not exist or is not a directory: {}",
    EMPTY_QUERY: "Query cannot be empty",
}
_LONGEST: Final = 200


class SwiftIndexRefusal(Problem):
    """A call that can't be answered, with a message of the specification."""

    def __init__(self, code: str, about: str = "") -> None:
        """`about` is what the client passed; it is shown without control characters, cut."""
        super().__init__("internal")
        shown = "".join(char if char.isprintable() else "?" for char in about[:_LONGEST])
        self.code = code
        self.reason = TABLE[code].format(shown)
        self.hint = ""


def message_of(problem: Problem) -> str:
    """The message for a client."""
    return f"{problem.reason}. {problem.hint}" if problem.hint else problem.reason
