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
    "asking": "about_declaration ask_histories first_commit last_change",
    "commit_index": "CommitIndex",
    "declared_changes": "DeclaredChange FileVersions compare_declarations",
    "file_history": "related_files",
    "model": "Check RelatedFile",
    "repository_history": "RepositoryHistory",
    "revision_diff": "DiffSides RevisionDiff declared_entry",
    "root_question": "CommitPlace HistoryAnswer HistoryQuestion",
    "service": "HISTORY_DAMAGED PATIENT Histories OpenHistory RootHistory",
    "working_tree": "Checkout working_changes",
}
__getattr__ = import_on_first_use(__name__, _LATE)
