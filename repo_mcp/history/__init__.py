"""Questions about the history of a repository, answered from its index of commits and `.git`.

`Histories` are those of the roots that are served; `ask_histories` answers a `HistoryQuestion`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index_format.late_import import import_on_first_use

if TYPE_CHECKING:  # few questions are about the history
    from repo_mcp.history.asking import about_declaration, ask_histories, first_commit, last_change
    from repo_mcp.history.commit_index import CommitIndex
    from repo_mcp.history.declared_changes import DeclaredChange, FileVersions, compare_declarations
    from repo_mcp.history.file_history import related_files
    from repo_mcp.history.model import Check, RelatedFile
    from repo_mcp.history.repository_history import RepositoryHistory
    from repo_mcp.history.revision_diff import (
        DiffSides,
        RevisionDiff,
        declared_entry,
    )
    from repo_mcp.history.root_question import CommitPlace, HistoryAnswer, HistoryQuestion
    from repo_mcp.history.service import (
        HISTORY_DAMAGED,
        PATIENT,
        Histories,
        OpenHistory,
        RootHistory,
    )
    from repo_mcp.history.working_tree import Checkout, working_changes

_LATE: Final = {
    **dict.fromkeys(
        ("about_declaration", "ask_histories", "first_commit", "last_change"), "asking"
    ),
    **dict.fromkeys(("DeclaredChange", "FileVersions", "compare_declarations"), "declared_changes"),
    "CommitIndex": "commit_index",
    "related_files": "file_history",
    **dict.fromkeys(("Check", "RelatedFile"), "model"),
    "RepositoryHistory": "repository_history",
    **dict.fromkeys(("CommitPlace", "HistoryAnswer", "HistoryQuestion"), "root_question"),
    **dict.fromkeys(("DiffSides", "RevisionDiff", "declared_entry"), "revision_diff"),
    **dict.fromkeys(("Checkout", "working_changes"), "working_tree"),
    **dict.fromkeys(
        ("HISTORY_DAMAGED", "PATIENT", "Histories", "OpenHistory", "RootHistory"), "service"
    ),
}
__getattr__ = import_on_first_use(__name__, _LATE)
