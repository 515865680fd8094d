"""Types with a primary constructor: parameters in their heads."""

from __future__ import annotations

from collections.abc import Iterator

from code_graph.declared.calls import DeclaredCalls
from code_graph.declared.members import DeclaredClasses
from code_graph.declared.packages import PackageRules
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    FunctionValue,
    Instance,
    MemberValue,
    Result,
    Value,
    merge,
)
from code_graph.expressions import NONE, Role, ScopeKind
from code_graph.model import Strategy


class PrimaryClasses(DeclaredClasses):
    """Types, with their primary constructors: the BLOCK around their CLASS."""

    def constructors(self, value: ClassValue) -> Result:
        """The secondary constructors, and the primary one: the head of the class."""
        found = super().constructors(value)
        file = self._evaluation.file(value.path)
        head = NONE if file is None else file.parent(value.scope)
        if file is not None and head != NONE and file.parameters.get(head):
            receiver = Instance(value.path, value.scope, value.arguments)
            found[FunctionValue(value.path, head, receiver)] = Strategy.DECLARED
        return found


class PrimaryRules(PackageRules):
    """Rules of languages whose types are taken apart in the order of their primary constructors."""

    def deconstructed(self, value: Instance, position: int) -> Result:
        """A property of a data class or case class, in the order of its constructor."""
        file = self._evaluation.file(value.path)
        head = NONE if file is None else file.parent(value.scope)
        rows = file.parameters.get(head, []) if file is not None and head != NONE else []
        if position >= len(rows):
            return {}
        found: Result = {}
        for member in self._evaluation.classes.members(value, rows[position].name):
            if isinstance(member, MemberValue):
                merge(found, self._evaluation.classes.value_of(member), Strategy.GENERIC)
        return found

    def read(self, file: SourceFile, number: int, found: Result) -> Result:
        """The values of a name: a function that its name alone calls gives its result."""
        if number in self._evaluation.types.table(file).called:
            return found
        result: Result = {}
        for value, how in found.items():
            is_called = isinstance(value, FunctionValue) and self._is_read(value)
            if isinstance(value, FunctionValue) and is_called:
                merge(result, self._evaluation.calls.result(value, file), how)
            else:
                merge(result, {value: how})
        return result

    def _is_read(self, value: FunctionValue) -> bool:
        file = self._evaluation.file(value.path)
        if file is None:
            return False
        declaration = file.code.scopes[value.scope].declaration
        return declaration != NONE and self.is_called_by_name(file, declaration)


class PrimaryCalls(DeclaredCalls):
    """Calls, of functions without a declared result too."""

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
        """A new object, with type arguments inferred from its primary constructor."""
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
