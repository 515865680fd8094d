"""Questions about the history of a repository, answered from its index of commits and `.git`.

`Histories` are those of the roots that are served; `ask_histories` answers a `HistoryQuestion`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index_format.late_import import import_on_first_use

if TYPE_CHECKING:  # few questions are about the history
    from repo_mcp.history.asking import about_declaration, ask_histories, last_change
    from repo_mcp.history.questions import HistoryAnswer, HistoryQuestion
    from repo_mcp.history.revision_diff import DiffSides, RevisionDiff, parser_of
    from repo_mcp.history.service import Histories, OpenHistory
    from repo_mcp.history.working_tree import Checkout

__all__ = [
    "Checkout",
    "DiffSides",
    "Histories",
    "HistoryAnswer",
    "HistoryQuestion",
    "OpenHistory",
    "RevisionDiff",
    "about_declaration",
    "ask_histories",
    "last_change",
    "parser_of",
]

_LATE: Final = {
    **dict.fromkeys(("about_declaration", "ask_histories", "last_change"), "asking"),
    **dict.fromkeys(("HistoryAnswer", "HistoryQuestion"), "questions"),
    **dict.fromkeys(("DiffSides", "RevisionDiff", "parser_of"), "revision_diff"),
    "Checkout": "working_tree",
    **dict.fromkeys(("Histories", "OpenHistory"), "service"),
}
__getattr__ = import_on_first_use(__name__, _LATE)
