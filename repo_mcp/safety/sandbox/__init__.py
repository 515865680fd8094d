"""The one place where a string becomes a path and is opened."""

from repo_mcp.safety.sandbox.door import Content, Folder, FolderEntry, StatKey
from repo_mcp.safety.sandbox.fence import Sandbox

__all__ = ["Content", "Folder", "FolderEntry", "Sandbox", "StatKey"]
