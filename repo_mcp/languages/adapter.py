"""What a language has to offer. A package outside this one adds a language with no more than this.

An adapter is pure: equal path and text give equal answers, nothing is executed or looked up. It
never raises for any text; what it can't read it gives a status other than full.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from repo_mcp.languages.facts.model import Declaration, Facts


@runtime_checkable
class Adapter(Protocol):
    """One language, or several that are read alike."""

    # what facts of it are marked with, e.g. "python"
    name: str
    # raise it when equal text would give other facts: files of the language are then read anew
    version: int

    def supports_path(self, path: str) -> bool:
        """Whether a file of this name is of this language."""
        ...

    def outline(self, path: str, text: str) -> Sequence[Declaration]:
        """Declarations in order of start line, then of the longer one first, then of name.

        Empty where the text can't be read: nothing half understood is shown.
        """
        ...

    def facts(self, path: str, text: str) -> Facts:
        """All that is known of the file, for the index and the graph."""
        ...

    def smart_chunks(self, path: str, text: str) -> Sequence[int]:
        """Lines at which a unit begins, ascending; empty when there are none to propose."""
        ...

    def symbol_hints(self, prompt: str) -> Sequence[str]:
        """Names that a prompt means, as this language writes them."""
        ...
