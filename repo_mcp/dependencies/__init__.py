"""The source of what a repository depends on, as it is installed on this machine: read-only.

Off until the user asks for it. Packages are found by a project's environment and lock files, each
is indexed when it is first asked, and its index belongs to its content: all projects with the same
package share it. The door of the room.
"""

from __future__ import annotations

from repo_mcp.dependencies.catalog import Packages, find_packages
from repo_mcp.dependencies.dependencies import Dependencies
from repo_mcp.dependencies.package import InstalledPackage
from repo_mcp.dependencies.scope import place_in_packages

__all__ = [
    "Dependencies",
    "InstalledPackage",
    "Packages",
    "find_packages",
    "place_in_packages",
]
