"""Several roots served as one repository, in which each is a folder with its name.

Texts stay in the indexes of the roots, and files behind their sandboxes: an answer is made from one
snapshot of all of them. The door of the room.
"""

from __future__ import annotations

from repo_mcp.workspace.indexes import WorkspaceIndexes
from repo_mcp.workspace.keeper import OpenedRoots, WorkspaceKeeper
from repo_mcp.workspace.view import (
    Workspace,
    WorkspaceView,
    common_settings,
    mount_sandboxes,
)

__all__ = [
    "OpenedRoots",
    "Workspace",
    "WorkspaceIndexes",
    "WorkspaceKeeper",
    "WorkspaceView",
    "common_settings",
    "mount_sandboxes",
]
