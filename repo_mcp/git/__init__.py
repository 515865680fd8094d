"""A reader of git repositories, from the files of `.git` alone: refs, commits, trees, blobs.

`GitHistory` is a checkout: its HEAD, the commits before it, its other worktrees. `GitTree` is the
files of one commit, `recent_files` lists those that changed last, and `GitObjects` has any object
by its hash. It starts no program, writes nothing, and follows no `.git` into a repository that does
not name the checkout in turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index_format.late_import import import_on_first_use
from repo_mcp.git.worktrees import has_worktrees

if TYPE_CHECKING:  # most commands ask for no commit
    from repo_mcp.git.history import GitHistory
    from repo_mcp.git.objects import GitObject, GitObjects
    from repo_mcp.git.packs import DAMAGE
    from repo_mcp.git.recent import recent_files
    from repo_mcp.git.tree import GitTree

__all__ = [
    "DAMAGE",
    "GitHistory",
    "GitObject",
    "GitObjects",
    "GitTree",
    "has_worktrees",
    "recent_files",
]

_LATE: Final = {
    "GitHistory": "history",
    "GitTree": "tree",
    "recent_files": "recent",
    "DAMAGE": "packs",
    **dict.fromkeys(("GitObject", "GitObjects"), "objects"),
}
__getattr__ = import_on_first_use(__name__, _LATE)
