"""An installed package: which files of a folder are its own, and what imports call it."""

from __future__ import annotations

import re
from typing import Final

from code_graph.projects.model import ProjectKind
from index_format.tuples import NamedTuple
from repo_mcp.indexing.build.mounts import PACKAGES

# in the place of a slash in names, as paths begin with the name as one folder
_JOINED: Final = "+"
_NUMBERS: Final = re.compile(r"\d+|[A-Za-z]+")


class InstalledPackage(NamedTuple):
    """A package of one version, as it is installed for a project.

    `folder` is an absolute path without links, or that of an archive of sources. `entries` are the
    paths in it that are the package's, all if there are none. Imports of it begin with what it
    `offers`.
    """

    ecosystem: str
    name: str
    version: str
    folder: str
    entries: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()
    # the names of packages that it needs
    requires: tuple[str, ...] = ()
    # the project names it itself
    is_direct: bool = False
    # the folder of the project that it is found for first, relative to the root
    used_in: str = ""
    # it declares names that its users see without an import
    is_ambient: bool = False

    @property
    def folder_name(self) -> str:
        """The name as it is in paths: one that people write, in one spelling."""
        if self.ecosystem == ProjectKind.PYTHON:
            return re.sub(r"[-_.]+", "-", self.name).lower()
        # a library of Java has a group before it
        return self.name.rpartition(":")[2]

    @property
    def label(self) -> str:
        """Name and version for people."""
        return f"{self.name} {self.version}".rstrip()


def mount_name(package: InstalledPackage, *, with_version: bool) -> str:
    """The folder that paths of its files begin with."""
    version = f"@{package.version}" if with_version and package.version else ""
    return PACKAGES + package.folder_name.replace("/", _JOINED) + version.replace("/", _JOINED)


def version_order(version: str) -> list[tuple[bool, int, str]]:
    """Versions by their numbers; what is no number comes before what is."""
    parts = _NUMBERS.findall(version)
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]
