"""A reader of git repositories, from the files of `.git` alone.

`GitHistory` is a checkout: its HEAD, the commits before it, its worktrees. `GitObjects` has any
object by its hash, `GitTree` the files of one commit, `recent_files` those that changed last;
`RevisionDoor` lets a sandbox read a commit in the place of a folder.
`Revisions` finds commits by names, and `CommitWalk` goes back from them. `changed_files` and
`with_renames` tell what a commit has changed, `diff_lines` which lines, `Blame` where lines come
from: all as git does. The room starts no program, writes nothing, and follows no `.git` into a
repository that does not name the checkout in turn.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final

from index_format.late_import import import_on_first_use

if TYPE_CHECKING:  # most commands ask for no commit
    from repo_mcp.git.blame import Blame, BlamedLines, LastChange, Origin
    from repo_mcp.git.changes import FileChange, Version, changed_files, find_version, with_renames
    from repo_mcp.git.commits import (
        Commit,
        CommitWalk,
        Person,
        commit_or_none,
        merge_base,
        parse_commit,
        read_commit,
        read_links,
    )
    from repo_mcp.git.door import RevisionDoor
    from repo_mcp.git.gaps import (
        CROWDED,
        MANY_FILES,
        MANY_LINES,
        ObjectGap,
        Skipped,
        UnreadObjectError,
        gaps_text,
        shown_path,
    )
    from repo_mcp.git.history import GitHistory
    from repo_mcp.git.likeness import LineSpans, is_binary
    from repo_mcp.git.line_diff import Hunk, diff_lines
    from repo_mcp.git.objects import GitObject, GitObjects
    from repo_mcp.git.packs import DAMAGE
    from repo_mcp.git.revisions import RevisionError, Revisions
    from repo_mcp.git.sparse import SparseCheckout, SparseFiles
    from repo_mcp.git.staging import StagedFile, Staging, mark_of_staging, read_staging
    from repo_mcp.git.tree import GitTree, recent_files

# bytes of git's settings that are looked at
_MOST_SETTINGS: Final = 1 << 20
_LATE: Final = {
    "blame": "Blame BlamedLines LastChange Origin",
    "changes": "FileChange Version changed_files find_version with_renames",
    "commits": (
        "Commit CommitWalk Person commit_or_none merge_base parse_commit read_commit read_links"
    ),
    "door": "RevisionDoor",
    "gaps": (
        "CROWDED MANY_FILES MANY_LINES ObjectGap Skipped UnreadObjectError gaps_text shown_path"
    ),
    "history": "GitHistory",
    "likeness": "LineSpans is_binary",
    "line_diff": "Hunk diff_lines",
    "objects": "GitObject GitObjects",
    "packs": "DAMAGE",
    "revisions": "RevisionError Revisions",
    "sparse": "SparseFiles SparseCheckout",
    "staging": "StagedFile Staging mark_of_staging read_staging",
    "tree": "GitTree recent_files",
}
__getattr__ = import_on_first_use(__name__, _LATE)


def has_worktrees(folder: str) -> bool:
    """True for a folder that is one of several worktrees of git, as far as its names tell."""
    mark = os.path.join(folder, ".git")
    if os.path.isfile(mark):  # a submodule, too: it is alone, and lends its files in vain
        return True
    try:
        return bool(os.listdir(os.path.join(mark, "worktrees")))
    except OSError:
        return False


def may_be_sparse(folder: str) -> bool:
    """True for a checkout that may leave out files, as far as its settings tell."""
    mark = os.path.join(folder, ".git")
    if not os.path.isdir(mark):  # that of another worktree tells where its settings are
        return os.path.isfile(mark)
    settings = (os.path.join(mark, name) for name in ("config", "config.worktree"))
    return any(b"sparsecheckout" in _small_file(path).lower() for path in settings)


def _small_file(path: str) -> bytes:
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):  # a pipe would be waited for
            return b""
        with open(path, "rb") as file:
            return file.read(_MOST_SETTINGS)
    except OSError:
        return b""
