"""The parts of the evaluation that differ in Kotlin: names, overloads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from code_graph.declared.conversions import DERIVED, NO
from code_graph.declared.names import DeclaredNames
from code_graph.declared.overloads import OverloadArgument, Overloads
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import External, Instance, MemberValue, Result, Value
from code_graph.expressions import NONE
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.kotlin.rules.language import KotlinRules


class KotlinNames(DeclaredNames):
    """Names and members, with extensions."""

    _rules: KotlinRules

    def look_up(self, file: SourceFile, number: int) -> Result:
        """A name; in a function literal it may be a member of an unknown receiver."""
        found = super().look_up(file, number)
        name = file.expressions[number].name
        if all(isinstance(value, External) for value in found):
            return self._rules.on_any(self._rules.innermost(file, number), name) or found
        if not any(isinstance(value, MemberValue | Instance) for value in found):
            return found
        if self._rules.is_in_unknown_literal(file, file.code.scope_of[number]):
            return {value: max(how, Strategy.GENERIC) for value, how in found.items()}
        return found

    def member(self, file: SourceFile, number: int) -> Result:
        """A member, an extension, or a function that any object has."""
        found = super().member(file, number)
        item = file.expressions[number]
        if item.of == NONE or any(not isinstance(value, External) for value in found):
            return found
        receivers = self._evaluation.evaluate(file, item.of)
        extended = self._rules.extending(file, receivers, item.name)
        return extended or found or self._rules.on_any(receivers, item.name)


class KotlinOverloads(Overloads):
    """Overloads, by function literals too."""

    def _fit_function(self, argument: OverloadArgument, declared: Value) -> int:
        """A function literal; one with an implicit `it` may have no parameter as well."""
        fits = super()._fit_function(argument, declared)
        rows = argument.parameters
        if fits != NO or len(rows) > 1:
            return fits
        typed = self._evaluation.calls.function_type(declared)
        is_implicit = not rows or not rows[0].line
        return DERIVED if typed is not None and is_implicit and len(typed[0]) <= 1 else fits
