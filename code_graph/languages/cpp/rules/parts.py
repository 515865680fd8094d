"""The parts of the evaluation that differ in C++."""

from __future__ import annotations

from typing import TYPE_CHECKING

from code_graph.declared.overloads import Overloads
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import Result

if TYPE_CHECKING:
    from code_graph.languages.cpp.rules.language import CppRules


class CppOverloads(Overloads):
    """Overloads, of bodies under conditions too."""

    _rules: CppRules

    def preferred(self, file: SourceFile, call: int, found: Result) -> Result:
        """The functions that a call means of those that fit it equally well."""
        return self._rules.bodies.preferred(file, call, found)
