"""Finds the functions of C++ that operators, loops and variables without a value call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from code_graph.declared.conversions import NO, SAME
from code_graph.declared.overloads import OverloadArgument
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    ExternalInstance,
    FunctionValue,
    Instance,
    MemberValue,
    Result,
    TypeParameter,
    Value,
    merge,
)
from code_graph.expressions import NONE, Argument, Expression, Op
from code_graph.languages.c.rules.includes import Includes
from code_graph.languages.cpp.operands import ADDRESS, MAKES
from code_graph.languages.cpp.rules.namespaces import Namespaces
from code_graph.languages.cpp.rules.pointers import Pointers, parameters_of, points, spellings
from code_graph.languages.cpp.rules.shared import VALUE, named
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation

# operators that another one stands for where a type has only that
_REWRITTEN: Final = {"!=": "==", **dict.fromkeys(("<", ">", "<=", ">="), "<=>")}
_INDEX: Final = "[]"
_CALL: Final = "()"
_ARROW: Final = "->"
_STEPS: Final = ("begin", "end")
_PAIR: Final = 2
_MOST_ARROWS: Final = 4


class Operators:
    """Functions of the tree that are called without their names."""

    operations = frozenset({Op.OPERATOR, Op.INDEX, Op.ELEMENT})

    def __init__(
        self, evaluation: DeclaredEvaluation, namespaces: Namespaces, includes: Includes
    ) -> None:
        """Nothing is looked for yet."""
        self._evaluation = evaluation
        self._namespaces = namespaces
        self._includes = includes
        self._pointers = Pointers(evaluation)

    def at(self, file: SourceFile, number: int) -> Result:
        """The functions that an expression calls by an operator."""
        key = ("by an operator", file.path, number)
        return self._evaluation.engine.unit(key, lambda: self._at(file, number))

    def _at(self, file: SourceFile, number: int) -> Result:
        item = file.expressions[number]
        if item.op == Op.OPERATOR:
            return self._made(file, number) if item.name == MAKES else self._operator(file, number)
        if item.of == NONE:
            return {}
        if item.op == Op.INDEX:
            return self._member(file, item.of, _INDEX, item.items)
        if item.op == Op.ELEMENT:
            return self._loop(file, item)
        if item.op == Op.CALL:
            found = self._member(file, item.of, _CALL, item.items)
            return found or self.at_member(file, item.of)
        return {}

    def at_member(self, file: SourceFile, number: int) -> Result:
        """The `operator->` of a type that has no member of a name itself."""
        item = file.expressions[number]
        if item.op != Op.MEMBER or item.of == NONE or not self._is_declared(_ARROW):
            return {}
        found: Result = {}
        for value, how in self._evaluation.evaluate(file, item.of).items():
            if not isinstance(value, Instance):
                continue
            merge(found, self._arrows(file, value, item.name), how)
        return found

    def _arrows(self, file: SourceFile, value: Instance, name: str, depth: int = 0) -> Result:
        """The chain of `operator->` of a type, up to a type with the member."""
        if depth > _MOST_ARROWS or self._evaluation.classes.members(value, name):
            return {}
        found = self._members(file, value, _ARROW, ())
        functions = [value for value in found if isinstance(value, FunctionValue)]
        for inner in (v for one in functions for v in self._evaluation.calls.result(one, file)):
            if isinstance(inner, Instance):
                merge(found, self._arrows(file, inner, name, depth + 1))
        return found

    def at_unknown_member(self, file: SourceFile, number: int) -> Result:
        """The `operator->` before a member that is not found."""
        return self.at_member(file, number)

    def at_class(self, file: SourceFile, scope: int) -> Result:
        """Nothing: a class calls nothing where it stands."""
        del file, scope
        return {}

    # each kind of expression

    def _made(self, file: SourceFile, number: int) -> Result:
        """The constructor without arguments, by the name of a class; an alias may be a pointer."""
        declared = file.expressions[number].items[0].value
        name = file.last_name(declared)
        found: Result = {}
        for value, how in self._evaluation.types.of(file, declared).items():
            if not isinstance(value, ClassValue):
                continue
            if self._evaluation.name_of(Instance(value.path, value.scope)) == name:
                made = self._evaluation.classes.constructors(value)
                chosen = self._evaluation.calls.overloads.choose(file, made, ())
                merge(found, _functions(chosen), how)
        return found

    def _loop(self, file: SourceFile, item: Expression) -> Result:
        found: Result = {}
        for value, how in self._objects(file, Argument(item.of)).items():
            if isinstance(value, Instance):
                for name in _STEPS:
                    members = self._evaluation.classes.members(value, name)
                    merge(found, self._chosen(file, members, ()), how)
        return found

    def _member(
        self, file: SourceFile, of: int, operator: str, items: Sequence[Argument]
    ) -> Result:
        """The members of an operator that only classes declare."""
        found: Result = {}
        if self._is_declared(operator):
            for value, how in self._objects(file, Argument(of)).items():
                if isinstance(value, Instance):
                    merge(found, self._members(file, value, operator, items), how)
        return found

    def _operator(self, file: SourceFile, number: int) -> Result:
        item = file.expressions[number]
        found = self._of_name(file, number, item.name)
        other = _REWRITTEN.get(item.name, "") if len(item.items) == _PAIR else ""
        return found or (self._of_name(file, number, other) if other else {})

    def _of_name(self, file: SourceFile, number: int, operator: str) -> Result:
        """The functions of an operator: members of its first operand, or in no class."""
        if not self._is_declared(operator):
            return {}
        items = file.expressions[number].items
        sides = [self._objects(file, part) for part in items]
        if not any(isinstance(value, Instance) for side in sides for value in side):
            return {}
        found: Result = {}
        for value, how in sides[0].items():
            if isinstance(value, Instance):
                merge(found, self._members(file, value, operator, items[1:]), how)
        outside: Result = {}
        scope = file.code.scope_of[number]
        for name in spellings(operator):
            merge(outside, self._namespaces.meaning(file, scope, name, VALUE))
            for value in (value for side in sides for value in side):
                if isinstance(value, Instance):
                    merge(outside, self._beside(file, value, name))
        own = {value: how for value, how in outside.items() if self._is_of(file, value, items)}
        free = self._chosen(file, own, items)
        return self._best(file, found, free, items) if found and free else found or free

    def _best(
        self, file: SourceFile, members: Result, free: Result, items: Sequence[Argument]
    ) -> Result:
        """The best fitting functions among members and free functions."""
        arguments = self._evaluation.calls.overloads.arguments(file, items)
        fits = {value: self._fit(value, arguments[1:]) + SAME for value in members}
        fits.update((value, self._fit(value, arguments)) for value in free)
        most = max(fits.values())
        best = {v: how for v, how in (members | free).items() if fits[v] == most}
        least = Strategy.OVERLOAD if len(best) > 1 else Strategy.SCOPE
        return {value: max(how, least) for value, how in best.items()}

    def _fit(self, value: Value, arguments: Sequence[OverloadArgument]) -> int:
        if not isinstance(value, FunctionValue):
            return NO
        calls = self._evaluation.calls
        return sum(
            calls.overloads.fit(argument, calls.parameter_type(value, row))
            for row, argument in zip(self._evaluation.parameters_of(value), arguments, strict=False)
        )

    # functions

    def _is_declared(self, operator: str) -> bool:
        """True if any file may declare an operator."""
        return any(self._includes.holding("cpp", named(n)) for n in spellings(operator))

    def _beside(self, file: SourceFile, value: Instance, name: str) -> Result:
        """The free functions in the namespace of the class of an operand, and its friends."""
        other = self._evaluation.file(value.path)
        if other is None:
            return {}
        around = self._namespaces.around(other, value.scope)
        whole = f"{around}.{name}" if around else name
        found = dict(self._namespaces.declared(file, whole))
        members = self._evaluation.classes.members(value, name)
        merge(found, {member: how for member, how in members.items() if self._is_friend(member)})
        return found

    def _is_friend(self, value: Value) -> bool:
        item = self._evaluation.declaration_of(value) if isinstance(value, MemberValue) else None
        return item is not None and "friend" in item.modifiers

    def _members(
        self, file: SourceFile, value: Instance, operator: str, items: Sequence[Argument]
    ) -> Result:
        found: Result = {}
        for name in spellings(operator):
            members = self._evaluation.classes.members(value, name)
            own = {member: how for member, how in members.items() if not self._is_friend(member)}
            merge(found, self._chosen(file, own, items))
        return found

    def _chosen(self, file: SourceFile, members: Result, items: Sequence[Argument]) -> Result:
        """The functions that take the operands, as far as types and pointers tell."""
        functions = _functions(self._evaluation.names.values(members))
        fitting = {v: how for v, how in functions.items() if self._takes(file, v, items)}
        given = [Argument(part.value) for part in items]
        return _functions(self._evaluation.calls.overloads.choose(file, fitting, given))

    def _takes(self, file: SourceFile, value: Value, items: Sequence[Argument]) -> bool:
        """False if an object stands where a parameter is a pointer, or the other way round."""
        owner = self._evaluation.file(value.path) if isinstance(value, FunctionValue) else None
        if owner is None or not isinstance(value, FunctionValue):
            return False
        for part, text in zip(items, parameters_of(owner, value.scope), strict=False):
            for given in self._evaluation.evaluate(file, part.value):
                if isinstance(given, Instance):
                    count = self._count(file, part, given)
                    if count is not None and bool(count) != points(text):
                        return False
        return True

    def _is_of(self, file: SourceFile, value: Value, items: Sequence[Argument]) -> bool:
        """True of a function with a parameter of the type of an operand, or of any type."""
        for function in self._evaluation.names.values({value: Strategy.SCOPE}):
            if not isinstance(function, FunctionValue):
                continue
            for row, part in zip(self._evaluation.parameters_of(function), items, strict=False):
                declared = self._evaluation.calls.parameter_type(function, row)
                given = self._evaluation.evaluate(file, part.value) if part.value != NONE else {}
                if any(self._is_base(one, other) for one in declared for other in given):
                    return True
        return False

    def _is_base(self, declared: Value, value: Value) -> bool:
        """True if an object is of a type or one that derives from it, or that may be any."""
        if not isinstance(value, Instance) or isinstance(declared, TypeParameter):
            return isinstance(value, Instance)
        return isinstance(declared, Instance) and self._evaluation.classes.is_subclass(
            value, declared
        )

    # operands

    def _count(self, file: SourceFile, part: Argument, value: Instance) -> int | None:
        count = self._pointers.count(file, part.value, self._evaluation.name_of(value))
        return None if count is None else count + (part.name == ADDRESS)

    def _objects(self, file: SourceFile, part: Argument) -> Result:
        """The values of an operand; pointers to the tree's types are left out."""
        if part.value == NONE:
            return {}
        found: Result = {}
        for value, how in self._evaluation.evaluate(file, part.value).items():
            if isinstance(value, Instance):
                if self._count(file, part, value) == 0:
                    found[value] = how
            elif isinstance(value, ExternalInstance):
                found[value] = how
        return found


def _functions(found: Result) -> Result:
    return {value: how for value, how in found.items() if isinstance(value, FunctionValue)}
