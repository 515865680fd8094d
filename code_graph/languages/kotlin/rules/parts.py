"""The parts of the evaluation that differ in Kotlin: names, constructors, overloads, results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from code_graph.declared.calls import DeclaredCalls
from code_graph.declared.members import DeclaredClasses
from code_graph.declared.names import DeclaredNames
from code_graph.declared.overloads import DERIVED, NO, Overloads
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    FunctionValue,
    Instance,
    MemberValue,
    Result,
    Value,
)
from code_graph.expressions import NONE, Role, ScopeKind
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation
    from code_graph.languages.kotlin.rules.language import KotlinRules


class KotlinNames(DeclaredNames):
    """Names and members, with extensions."""

    def __init__(self, evaluation: DeclaredEvaluation, rules: KotlinRules) -> None:
        super().__init__(evaluation)
        self._rules = rules

    def look_up(self, file: SourceFile, number: int) -> Result:
        """A name; in a function literal it may be one of an unknown receiver."""
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


class KotlinClasses(DeclaredClasses):
    """Types, with their primary constructors."""

    def constructors(self, value: ClassValue) -> Result:
        """The secondary constructors, and the primary one: the head of the class."""
        found = super().constructors(value)
        file = self._evaluation.file(value.path)
        head = NONE if file is None else file.parent(value.scope)
        if file is not None and head != NONE and file.parameters.get(head):
            receiver = Instance(value.path, value.scope, value.arguments)
            found[FunctionValue(value.path, head, receiver)] = Strategy.DECLARED
        return found


class KotlinOverloads(Overloads):
    """Overloads, of constructors and by function literals too."""

    def _owner(self, value: FunctionValue) -> object:
        file = self._evaluation.file(value.path)
        if file is not None and file.kind(value.scope) == ScopeKind.BLOCK:
            scope = file.scope_of_declaration.get(file.code.scopes[value.scope].declaration, NONE)
            return self._evaluation.classes.canonical(ClassValue(value.path, scope))
        return super()._owner(value)

    def _fit_function(self, file: SourceFile, scope: int, declared: Value) -> int:
        """A function literal; one with an implicit `it` may have no parameter as well."""
        fits = super()._fit_function(file, scope, declared)
        rows = file.parameters.get(scope, ())
        if fits != NO or len(rows) > 1:
            return fits
        typed = self._evaluation.calls.function_type(declared)
        is_implicit = not rows or not rows[0].line
        return DERIVED if typed is not None and is_implicit and len(typed[0]) <= 1 else fits


class KotlinCalls(DeclaredCalls):
    """Calls, of functions without a declared result too."""

    def __init__(self, evaluation: DeclaredEvaluation) -> None:
        super().__init__(evaluation)
        self.overloads = KotlinOverloads(evaluation)

    def constructors(self, file: SourceFile, number: int, value: ClassValue) -> Result:
        """The secondary constructor that a call means; the class itself stands for the primary."""
        found = super().constructors(file, number, value)
        return {made: how for made, how in found.items() if not self._is_primary(made)}

    def _is_primary(self, value: Value) -> bool:
        if not isinstance(value, FunctionValue):
            return False
        file = self._evaluation.file(value.path)
        return file is not None and file.kind(value.scope) == ScopeKind.BLOCK

    def _primary(self, file: SourceFile, number: int, value: ClassValue) -> list[FunctionValue]:
        found = super().constructors(file, number, value)
        return [one for one in found if isinstance(one, FunctionValue) and self._is_primary(one)]

    def _functions_called(self, file: SourceFile, call: int) -> Iterator[FunctionValue]:
        yield from super()._functions_called(file, call)
        for value in self.callees(file, call):
            if isinstance(value, ClassValue):
                yield from self._primary(file, call, value)

    def _object(self, file: SourceFile, number: int, value: ClassValue) -> Result:
        """A new object, with type arguments by those of its primary constructor."""
        names = self._evaluation.types.parameters_of(value)
        if names and not any(value.arguments):
            for made in self._primary(file, number, value):
                given = self.inference.unified(file, made, file.expressions[number].items)
                arguments = tuple(given.get(item.name, ()) for item in names)
                value = ClassValue(value.path, value.scope, arguments)
        return super()._object(file, number, value)

    def _result(self, value: FunctionValue) -> Result:
        found = super()._result(value)
        file = self._evaluation.file(value.path)
        if found or file is None or file.kind(value.scope) != ScopeKind.FUNCTION:
            return found
        declaration = file.code.scopes[value.scope].declaration
        if self._evaluation.types.table(file).clause(declaration, Role.RESULT) != NONE:
            return found
        return self._inferred(file, value)
