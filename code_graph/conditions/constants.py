"""Constants that hold if a build defines them, as .NET and Swift have them."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Final

from code_graph.conditions.definitions import UNDEFINED, UNKNOWN_MACRO, Macro, MacroTable
from code_graph.conditions.truth import Truth

# set by the kind of a build, which a target does not say
_OPEN: Final = frozenset({"DEBUG", "TRACE"})


class Constants(MacroTable):
    """Constants without values."""

    def __init__(self, defined: AbstractSet[str]) -> None:
        """`defined` are those that hold."""
        super().__init__()
        self._defined = defined

    def given(self, name: str) -> Macro:
        """A constant."""
        if name in self._defined:
            return Macro(Truth.TRUE, "1")
        return UNKNOWN_MACRO if name in _OPEN else UNDEFINED
