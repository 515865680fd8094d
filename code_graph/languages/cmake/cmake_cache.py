"""The build that `CMakeCache.txt` describes: the conditions of CMake's own files."""

from __future__ import annotations

import re
from typing import Final

from code_graph.conditions.build import TreeFiles
from code_graph.conditions.definitions import UNKNOWN_MACRO, Macro, MacroTable
from code_graph.conditions.truth import Truth
from code_graph.projects.tree import parent

CACHE: Final = "CMakeCache.txt"
_ENTRY: Final = re.compile(r"^([\w.+-]+):(\w+)=(.*)$", re.MULTILINE)
_FALSE: Final = re.compile(r"0|OFF|NO|FALSE|N|IGNORE|NOTFOUND|.*-NOTFOUND|", re.IGNORECASE)
_CMAKE: Final = "cmake"


class CMakeCache:
    """A build by the entries of its cache."""

    def __init__(self, path: str, text: str, root: str, mount: str) -> None:  # noqa: ARG002 as other builds
        """Read the entries."""
        self.name = parent(path) or CACHE
        self._entries = {name: value for name, _, value in _ENTRY.findall(text)}

    def definitions(self, path: str, language: str, files: TreeFiles) -> MacroTable | None:  # noqa: ARG002 as other builds
        """The entries, for files of CMake."""
        return CacheEntries(self._entries) if language == _CMAKE else None

    def leaves_out(self, path: str, files: TreeFiles) -> bool:  # noqa: ARG002 as above
        """No file as a whole."""
        return False


class CacheEntries(MacroTable):
    """The entries of a cache as conditions see them."""

    def __init__(self, entries: dict[str, str]) -> None:
        """`entries` have their values as text."""
        super().__init__()
        self._entries = entries

    def given(self, name: str) -> Macro:
        """An entry; a variable that is none may be set by any file."""
        value = self._entries.get(name)
        if value is None:
            return UNKNOWN_MACRO
        return Macro(Truth.TRUE, "0" if _FALSE.fullmatch(value) else "1")
