"""Constants of .NET projects, by which `#if` leaves code out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from code_graph.conditions.build import BuildTarget, TreeFiles
from code_graph.conditions.constants import Constants
from code_graph.projects.tree import ancestors, below, parent

_CONSTANTS: Final = re.compile(r"<DefineConstants[^>]*>([^<]*)</DefineConstants>")
_FRAMEWORK: Final = re.compile(r"<TargetFramework>\s*net(\d+)\.(\d+)[^<]*</TargetFramework>")
# the first version that was no .NET Framework or Core
_FIRST: Final = 5


def define_target(target: BuildTarget, path: str, files: TreeFiles) -> Constants:
    """The constants of the project of a file, and the flags of a target."""
    return Constants(target.flags | {*_of_projects(path, files)})


def _of_projects(path: str, files: TreeFiles) -> Iterator[str]:
    """The constants of the .NET project around a file."""
    for folder in ancestors(parent(path)):
        projects = [name for name in files.names(folder) if name.endswith(".csproj")]
        for name in projects:
            text = files.text(below(folder, name)) or ""
            for written in _CONSTANTS.findall(text):
                yield from (part for part in re.split(r"[;,\s]+", written) if part.isidentifier())
            for major, minor in _FRAMEWORK.findall(text):
                yield f"NET{major}_{minor}"
                yield "NET"
                yield from (f"NET{older}_0_OR_GREATER" for older in range(_FIRST, int(major) + 1))
        if projects:
            return
