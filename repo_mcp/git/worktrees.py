"""A cheap look whether a checkout has other worktrees, which loads no history."""

from __future__ import annotations

import os


def has_worktrees(folder: str) -> bool:
    """True for a folder that is one of several worktrees of git, as far as its names tell."""
    mark = os.path.join(folder, ".git")
    if os.path.isfile(mark):  # a submodule, too: it is alone, and lends its files in vain
        return True
    try:
        return bool(os.listdir(os.path.join(mark, "worktrees")))
    except OSError:
        return False
