"""The sandbox: the only code that turns a string into a path and opens it."""

from repo_mcp.safety.sandbox.door import Content, Folder, FolderEntry, StatKey
from repo_mcp.safety.sandbox.fence import Sandbox

__all__ = ["Content", "Folder", "FolderEntry", "Sandbox", "StatKey"]
