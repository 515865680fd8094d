"""The source of what a repository depends on, as it is installed on this machine: read-only.

Off until the user asks for it. Packages are found by a project's environment and lock files, each
is indexed when it is first asked, and its index belongs to its content: all projects with the same
package share it. The door of the room.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index_format.late_import import import_on_first_use

if TYPE_CHECKING:  # few look into packages
    from repo_mcp.dependencies.calls import PackageCalls
    from repo_mcp.dependencies.catalog import Packages, find_packages
    from repo_mcp.dependencies.dependencies import Dependencies
    from repo_mcp.dependencies.package import InstalledPackage
    from repo_mcp.dependencies.places import PackagePlaces
    from repo_mcp.dependencies.scope import place_in_packages

_LATE: Final = {
    "calls": "PackageCalls",
    "catalog": "Packages find_packages",
    "dependencies": "Dependencies",
    "package": "InstalledPackage",
    "places": "PackagePlaces",
    "scope": "place_in_packages",
}
__getattr__ = import_on_first_use(__name__, _LATE)
