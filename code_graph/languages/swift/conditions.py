"""Conditions of Swift: `os(…)`, `arch(…)`, and constants that a package defines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from code_graph.conditions.build import BuildTarget, TreeFiles
from code_graph.conditions.constants import Constants
from code_graph.conditions.truth import Truth
from code_graph.projects.tree import ancestors, below, parent

_DEFINED: Final = re.compile(r"\.define\(\s*\"(\w+)\"\s*\)")
# Swift's names for Go's
_SYSTEMS: Final = {"darwin": "macos"}
_ARCHITECTURES: Final = {"amd64": "x86_64", "386": "i386"}


class PackageConstants(Constants):
    """The constants of a package for a target."""

    def __init__(self, target: BuildTarget, defined: frozenset[str]) -> None:
        """`defined` are those of the package."""
        super().__init__(defined | target.flags)
        self._target = target

    def test(self, name: str, argument: str) -> Truth | None:
        """The result of `os(…)` and `arch(…)`; other tests are not known."""
        system, architecture = self._target.system, self._target.architecture
        if name == "os":
            return Truth.of(argument.lower() == _SYSTEMS.get(system, system))
        if name == "arch":
            return Truth.of(argument == _ARCHITECTURES.get(architecture, architecture))
        return Truth.UNKNOWN


def define_target(target: BuildTarget, path: str, files: TreeFiles) -> PackageConstants:
    """The constants of the package of a file for a target."""
    return PackageConstants(target, frozenset(_of_package(path, files)))


def _of_package(path: str, files: TreeFiles) -> Iterator[str]:
    """The constants that the Swift package around a file defines."""
    for folder in ancestors(parent(path)):
        text = files.text(below(folder, "Package.swift"))
        if text is not None:
            yield from _DEFINED.findall(text)
            return
