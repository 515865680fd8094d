"""Reviews of a change: what differs, what may break by it, which tests tell, what is missing.

A `ChangeReviewer` finds the files before and after, and what that means for the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index_format.late_import import import_on_first_use

if TYPE_CHECKING:  # few questions are about a change
    from repo_mcp.changes.answer import ListPlace, changes_page, changes_result
    from repo_mcp.changes.graphs import LinkedTrees
    from repo_mcp.changes.model import (
        BREAKS,
        MAY_BREAK,
        MEANS_OTHER,
        BreakingPlace,
        ChosenTest,
        MissingCompanion,
        UnusedDeclaration,
    )
    from repo_mcp.changes.review import ChangeReview, ChangeReviewer, ReviewServices
    from repo_mcp.changes.sides import ChangeQuestion, ChangeSet, ComparedFile

_LATE: Final = {
    "answer": "ListPlace changes_page changes_result",
    "graphs": "LinkedTrees",
    "model": (
        "BREAKS MAY_BREAK MEANS_OTHER BreakingPlace ChosenTest MissingCompanion UnusedDeclaration"
    ),
    "review": "ChangeReview ChangeReviewer ReviewServices",
    "sides": "ChangeQuestion ChangeSet ComparedFile",
}
__getattr__ = import_on_first_use(__name__, _LATE)
