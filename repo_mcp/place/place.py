"""The place of a question: roots, a revision, builds, packages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from index_format.tuples import NamedTuple
from repo_mcp.model import AnswerWarning


class Place(NamedTuple):
    """Roots of a workspace, a revision, builds, and installed packages.

    Without names of roots all are meant; without a revision, the files as they are; without builds
    those whose configurations lie in the roots.
    """

    roots: tuple[str, ...] = ()
    revision: str = ""
    packages: tuple[str, ...] = ()
    builds: tuple[str, ...] = ()

    @property
    def mounts(self) -> tuple[str, ...]:
        """Names of roots and packages, which paths of answers begin with."""
        return (*self.roots, *self.packages)


class PlacedQuestion(NamedTuple):
    """A place, the arguments of a call without its names, and warnings about unknown ones."""

    place: Place
    arguments: Mapping[str, Any]
    warnings: tuple[AnswerWarning, ...] = ()
