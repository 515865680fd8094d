"""The one place where a string becomes a path and is opened."""

from repo_mcp.sandbox.fence import Content, Folder, Listed, Sandbox

__all__ = ["Content", "Folder", "Listed", "Sandbox"]
