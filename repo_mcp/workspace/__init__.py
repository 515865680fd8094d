"""Several roots served as one repository, in which each is a folder with its name.

Texts stay in the indexes of the roots, and files behind their sandboxes: an answer is made from one
snapshot of all of them. The door of the room.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index_format.late_import import import_on_first_use

if TYPE_CHECKING:  # few have several roots
    from repo_mcp.workspace.indexes import WorkspaceIndexes
    from repo_mcp.workspace.keeper import OpenedRoots, WorkspaceKeeper
    from repo_mcp.workspace.view import Workspace, WorkspaceView, common_settings, mount_sandboxes

_LATE: Final = {
    "indexes": "WorkspaceIndexes",
    "keeper": "OpenedRoots WorkspaceKeeper",
    "view": "Workspace WorkspaceView common_settings mount_sandboxes",
}
__getattr__ = import_on_first_use(__name__, _LATE)
