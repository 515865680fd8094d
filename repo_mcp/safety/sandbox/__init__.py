"""The sandbox: the only code that turns a string into a path and opens it."""

from index_format.native import LineScan, NeedleLines
from repo_mcp.safety.sandbox.door import (
    Content,
    Door,
    Folder,
    FolderEntry,
    FolderId,
    RootState,
    Scanned,
    StatKey,
)
from repo_mcp.safety.sandbox.fence import Sandbox, open_root

__all__ = [
    "Content",
    "Door",
    "Folder",
    "FolderEntry",
    "FolderId",
    "LineScan",
    "NeedleLines",
    "RootState",
    "Sandbox",
    "Scanned",
    "StatKey",
    "open_root",
]
