"""Names and declarations of Java: the meant ones of several methods."""

from __future__ import annotations

from code_graph.declared.definitions import DeclaredDefinitions
from code_graph.declared.names import DeclaredNames
from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import MemberValue, Result, Value
from code_graph.expressions import Op
from code_graph.languages.java.rules.overloads import JavaOverloads


class JavaNames(DeclaredNames):
    """Names; a call may read a variable."""

    def _of_use(self, found: Result, *, is_method: bool) -> Result:
        """The methods or variables that are meant; a call without a method reads a component."""
        kept = super()._of_use(found, is_method=is_method)
        if kept or not is_method:
            return kept
        return {v: how for v, how in found.items() if self._is_component(v)}

    def _is_component(self, value: Value) -> bool:
        """True for a component of a record."""
        file = self._evaluation.file(value.path) if isinstance(value, MemberValue) else None
        if file is None or not isinstance(value, MemberValue):
            return False
        item = file.declarations[value.declaration]
        is_own = item.kind == "field" and "static" not in item.modifiers
        return is_own and item.parent >= 0 and file.declarations[item.parent].kind == "record"


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
