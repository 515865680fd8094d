"""Interface of language adapters; other packages add languages by implementing it.

An adapter is pure: equal path and text give equal results, and nothing is executed or looked up.
It never raises for any text; for text that it can't parse it returns a status other than full.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from code_graph.facts.columns import Declarations, columns_of
from index_format.records import replace

if TYPE_CHECKING:
    from code_graph.expressions.model import FileCode
    from code_graph.facts.model import Declaration, Facts


@runtime_checkable
class Adapter(Protocol):
    """Parser of one language."""

    # stored with the language's facts, e.g. "python"
    name: str
    # raise it when equal text gives other facts: files of the language are then parsed again
    version: int

    def supports_path(self, path: str) -> bool:
        """True if a file of this name is of this language."""
        ...

    def outline(self, path: str, text: str) -> Sequence[Declaration]:
        """Declarations by start line, then longer ones first, then by name.

        Empty if the text can't be parsed: no half-parsed outline is shown.
        """
        ...

    def facts(self, path: str, text: str) -> Facts:
        """All facts of the file, for the index and the graph."""
        ...

    def smart_chunks(self, path: str, text: str) -> Sequence[int]:
        """Lines at which a unit begins, ascending: where the file is best split into chunks."""
        ...

    def symbol_hints(self, prompt: str) -> Sequence[str]:
        """Names of code in a prompt, in this language's notation."""
        ...


def facts_to_store(adapter: Adapter, path: str, text: str) -> Facts:
    """The facts of a file, with declarations as columns."""
    facts = adapter.facts(path, text)
    if isinstance(facts.declarations, Declarations):
        return facts
    return replace(facts, declarations=Declarations(columns_of(facts.declarations)))


@runtime_checkable
class CodeAdapter(Adapter, Protocol):
    """Parser of a language of this package whose files the symbol graph links."""

    def code(self, path: str, text: str, facts: Facts | None = None) -> FileCode | None:
        """The symbolic code, whose numbers are those of the facts; None without any.

        Facts of this text that are known already save time.
        """
        ...
