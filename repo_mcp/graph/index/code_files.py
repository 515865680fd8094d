"""The symbolic code of files in a snapshot of its index, and which files of a text have it."""

from __future__ import annotations

from collections.abc import Mapping

from index_format import Snapshot
from repo_mcp.graph.index.listing import Choice, FileChanges, compare_files, list_files
from repo_mcp.languages.code import FileCode
from repo_mcp.languages.code.wire import DamagedCodeError, decode_code
from repo_mcp.stored import CODE, FACTS


class CodeFiles:
    """A generation of the index of code; None is one of no files."""

    def __init__(self, snapshot: Snapshot | None, choice: Choice) -> None:
        """`choice` says by its path whether a file has code."""
        self._snapshot = snapshot
        self._choice = choice

    @property
    def generation(self) -> int:
        """The number of the generation."""
        return 0 if self._snapshot is None else self._snapshot.generation

    def code(self, path: str) -> FileCode | None:
        """The code of a file; None if there is none, or none that can be read."""
        data = b"" if self._snapshot is None else self._snapshot.attachment(path, CODE)
        try:
            return decode_code(data) if data else None
        except DamagedCodeError:
            return None

    def changes(self, text: Snapshot) -> FileChanges:
        """What is to be parsed, and what to be removed, to have the code of this text."""
        parsed = {} if self._snapshot is None else list_files(self._snapshot, CODE)
        return compare_files(parsed, self.wanted(text))

    def wanted(self, text: Snapshot) -> Mapping[bytes, bytes]:
        """Fingerprints by path of the files of a text that have code."""
        return list_files(text, FACTS, self._choice)
