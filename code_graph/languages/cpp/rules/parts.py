"""The parts of the evaluation that differ in C++."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from code_graph.declared.calls import DeclaredCalls
from code_graph.declared.definitions import DeclaredDefinitions, says_override
from code_graph.declared.evaluation import COMPARISONS, DeclaredEvaluation
from code_graph.declared.members import DeclaredClasses
from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    MemberValue,
    ModuleValue,
    Result,
    Value,
    merge,
)
from code_graph.expressions import NONE, Expression, Op, ScopeKind
from code_graph.languages.c.numbers import NUMBERS
from code_graph.languages.cpp.rules.containers import HOLDING
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.cpp.rules.language import CppRules

_BUILT_IN: Final = NUMBERS | {"signed", "auto"}


class CppEvaluation(DeclaredEvaluation):
    """Evaluates operators of the tree, and methods that are defined outside of their class."""

    rules: CppRules

    def _this(self, file: SourceFile, number: int, item: Expression) -> Result:
        """The object of a method, whose class may be elsewhere."""
        start = file.code.scope_of[number]
        if file.class_around(start) != NONE:
            return super()._this(file, number, item)
        for scope in file.around(start):
            declaration = file.code.scopes[scope].declaration
            if declaration != NONE and file.kind(scope) == ScopeKind.FUNCTION:
                owner = self.rules.owner_elsewhere(file, declaration)
                if owner is not None:
                    return {Instance(owner.path, owner.scope): Strategy.RECEIVER}
        return {}

    def _operator(self, file: SourceFile, number: int, item: Expression) -> Result:
        """The results of the function of an operator, where it is found by its operands."""
        found: Result = {}
        functions = {} if item.name in COMPARISONS else self.rules.operators.at(file, number)
        for function, how in functions.items():
            if isinstance(function, FunctionValue):
                merge(found, self.calls.result(function, file), how)
        return found or super()._operator(file, number, item)


class CppClasses(DeclaredClasses):
    """Members, which a type may have of a base by `using`."""

    _rules: CppRules

    def _written_members(self, path: str, scope: int, name: str) -> list[tuple[str, int]]:
        """The declarations of a name in a type, and its using-declarations."""
        found = super()._written_members(path, scope, name)
        file = self._evaluation.file(path)
        if file is not None and self._rules.namespaces.uses_members(file, scope, name):
            for item in self.ancestors(path, scope)[1:]:
                if not item.external:
                    found += self.own_members(item.path, item.scope, name)
        return found


class CppCalls(DeclaredCalls):
    """Calls of macros, and initialisers of bases and fields."""

    _rules: CppRules

    def returned(self, file: SourceFile, number: int, callees: Result) -> Result:
        """The values of a call; of a macro that gets a literal alone, the literal."""
        found = super().returned(file, number, callees)
        items = file.expressions[number].items
        if len(items) != 1 or items[0].value == NONE:
            return found
        is_literal = file.expressions[items[0].value].op == Op.LITERAL
        for value, how in callees.items() if is_literal else ():
            is_macro = isinstance(value, MemberValue) and self._rules.includes.is_macro(value)
            if is_macro and not found:
                merge(found, self._evaluation.evaluate(file, items[0].value), how)
        return found

    def _made(self, file: SourceFile, number: int) -> Result:
        """The objects that an initialiser makes: a base, or a field of its type."""
        found = super()._made(file, number)
        of = file.expressions[number].of
        if of == NONE:
            return found
        made = found if any(isinstance(v, ClassValue) for v in found) else {}
        if not made and file.expressions[of].op == Op.NAME:
            for value in self._evaluation.names.resolve(file, of):
                if isinstance(value, MemberValue):
                    merge(made, self._field(value))
        return {
            External("") if isinstance(v, External) and v.name in _BUILT_IN else v: how
            for v, how in (made or found).items()
        }

    def _field(self, value: MemberValue) -> Result:
        """The type whose constructor makes a field; nothing is called for a pointer."""
        file = self._evaluation.file(value.path)
        item = None if file is None else file.declarations[value.declaration]
        if item is None or item.kind != "field":
            return {}
        found: Result = {}
        for type_, how in self._evaluation.classes.value_of(value).items():
            if isinstance(type_, Instance):
                merge(found, {ClassValue(type_.path, type_.scope, type_.arguments): how})
            elif isinstance(type_, ExternalInstance):
                merge(found, {External(type_.name, type_.arguments): how})
        is_plain = not found or item.returns.endswith(("*", "&"))
        return {External(""): Strategy.SCOPE} if is_plain else found


class CppDefinitions(DeclaredDefinitions):
    """Definitions, with others that may run in their place."""

    _rules: CppRules

    def of_value(self, value: Value, strategy: Strategy) -> Iterator[Definition]:
        """The declaration of a value; a choice where others may run in its place."""
        for found in super().of_value(value, strategy):
            file = None if isinstance(value, ModuleValue) else self._evaluation.file(found.path)
            if file is None:
                yield found
            else:
                how = self._rules.bodies.certain(file, found.declaration, found.strategy)
                yield found._replace(strategy=how)

    def _types(self, file: SourceFile, number: int) -> Result:
        """The types that a place names; `iterator` does not name the elements of a container."""
        found = super()._types(file, number)
        if file.expressions[number].name not in HOLDING:
            return found
        return {value: how for value, how in found.items() if how != Strategy.GENERIC}

    def _in_bases(self, file: SourceFile, number: int, owner: ClassValue) -> list[Definition]:
        """The members that a virtual one replaces; another one hides them."""
        found = super()._in_bases(file, number, owner)
        return found if self._is_virtual(file, number) else []

    def _is_virtual(self, file: SourceFile, number: int) -> bool:
        """True if a member says that it overrides, or a base has a virtual one of its signature.

        A base that is not found may have one.
        """
        item = file.declarations[number]
        owner = self._evaluation.classes.owner_of(file, number)
        if owner is None or says_override(item):
            return True
        for ancestor in self._evaluation.classes.ancestors(owner.path, owner.scope)[1:]:
            if ancestor.external:
                return True
            for found in self._same(file, number, owner, ancestor):
                other = self._evaluation.file(found.path)
                row = None if other is None else other.declarations[found.declaration]
                if row is not None and ("virtual" in row.modifiers or says_override(row)):
                    return True
        return False
