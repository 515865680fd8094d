"""The declarations that a place of Java refers to: of several methods, those that are meant."""

from __future__ import annotations

from code_graph.declared.definitions import DeclaredDefinitions
from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import Op
from code_graph.languages.java.rules.overloads import JavaOverloads


class JavaDefinitions(DeclaredDefinitions):
    """Chooses among the methods of a reference such as `A::f`."""

    def of(self, file: SourceFile, number: int) -> list[Definition]:
        """The definitions that a NAME or MEMBER expression refers to."""
        found = super().of(file, number)
        if len(found) <= 1 or file.expressions[number].op != Op.MEMBER:
            return found
        overloads = self._evaluation.calls.overloads
        if number in self._evaluation.types.table(file).called:
            return found
        functions = self._evaluation.evaluate(file, number)
        if not isinstance(overloads, JavaOverloads):
            return found
        chosen = {
            item[:2]: item
            for value, how in overloads.referred(file, number, functions).items()
            for item in self.of_value(value, how)
        }
        return [chosen[item[:2]] for item in found if item[:2] in chosen] or found
