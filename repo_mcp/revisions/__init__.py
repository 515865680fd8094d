"""Other revisions of a repository as if they were checked out: searched, read, and linked.

A revision is served by an index of its own. It begins as the index of the checkout, whose segments
are on the disk once; then files that differ are indexed from the objects of `.git`. No file of the
checkout is read for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index_format.late_import import import_on_first_use

if TYPE_CHECKING:  # few look into the past
    from repo_mcp.revisions.calls import RevisionCalls
    from repo_mcp.revisions.opening import OpenRevisions, open_revisions
    from repo_mcp.revisions.view import RevisionWorkspace

_LATE: Final = {
    "calls": "RevisionCalls",
    "opening": "OpenRevisions open_revisions",
    "view": "RevisionWorkspace",
}
__getattr__ = import_on_first_use(__name__, _LATE)
