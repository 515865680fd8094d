"""The files of a tree that builds read, through the sandbox; each is read once for an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from code_graph.conditions.branches import Directive, conditions_of
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.text.files import decode

# headers that are read for one answer, and directives that are kept for the next one
_MOST_HEADERS: Final = 3_000
_C: Final = "code_graph.conditions.directives:read_directives"


class SandboxFiles:
    """The files of one answer."""

    def __init__(self, sandbox: Sandbox) -> None:
        """Nothing is read yet."""
        self._sandbox = sandbox
        self._texts: dict[str, str | None] = {}
        self._directives: dict[str, Sequence[Directive] | None] = {}

    def text(self, path: str) -> str | None:
        """The text of a file; None if it can't be read."""
        if path not in self._texts:
            try:
                text = decode(self._sandbox.read(path).data)
            except Problem:
                text = None
            self._texts[path] = None if text is None else text.content
        return self._texts[path]

    def names(self, folder: str) -> Sequence[str]:
        """The names in a folder; none of one that can't be listed."""
        try:
            return [entry.name for entry in self._sandbox.list_names(folder).entries]
        except Problem:
            return ()

    def directives(self, path: str) -> Sequence[Directive] | None:
        """The directives of a file of C; None if it is not there, or too many were read."""
        if path not in self._directives:
            if len(self._directives) >= _MOST_HEADERS:
                return None
            text = self.text(path)
            self._directives[path] = None if text is None else conditions_of(text, path, _C)
        return self._directives[path]
