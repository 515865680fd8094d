"""The files that the last commits of a checkout have changed."""

from __future__ import annotations

from itertools import islice
from typing import Final

from repo_mcp.git.history import GitHistory
from repo_mcp.git.tree import GitTree

# ancestors of HEAD that it is compared with
_MOST_COMMITS: Final = 32


def recent_files(root: str, most: int) -> list[str]:
    """Up to `most` files of HEAD, those that changed last first; none without a history."""
    history = GitHistory(root)
    head = history.head()
    if not head:
        return []
    now = GitTree(root, head)
    found: dict[str, None] = {}
    try:
        for commit in islice(history.ancestors(), _MOST_COMMITS):
            before = now.at(commit)
            if not before.is_known:  # the end of a shallow clone
                break
            found.update(dict.fromkeys(islice(now.changed_since(before), most)))
            if len(found) >= most:
                break
    finally:
        now.close()
    return list(found)[:most]
