"""The parts of the evaluation that differ in Scala: companions, order of bases, lists, `apply`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_graph.declared.members import identity_of
from code_graph.declared.names import DeclaredNames
from code_graph.declared.primary import PrimaryCalls, PrimaryClasses
from code_graph.declared.types import Types
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    Ancestor,
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    MemberValue,
    Result,
    Value,
    Values,
    merge,
    with_strategy,
)
from code_graph.expressions import NONE, Argument, Op, ScopeKind
from code_graph.languages.scala.rules.collections import ARITHMETIC, FOLDING
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation
    from code_graph.languages.scala.rules.language import ScalaRules

_APPLY: Final = "apply"
_COPY: Final = "copy"
TYPES: Final = frozenset({"class", "trait", "enum", "type"})
_MOST_LISTS: Final = 20
_MOST_CLASSES: Final = 100


def is_object(evaluation: DeclaredEvaluation, value: Value) -> bool:
    """True for an object that is declared with its class."""
    item = evaluation.declaration_of(value) if isinstance(value, ClassValue | Instance) else None
    return item is not None and "object" in item.modifiers


def is_type_name(evaluation: DeclaredEvaluation, value: Value) -> bool:
    """True for a member that is the name of a type alone."""
    item = evaluation.declaration_of(value) if isinstance(value, MemberValue) else None
    return item is not None and item.kind in TYPES and "object" not in item.modifiers


def companion(evaluation: DeclaredEvaluation, value: Value) -> ClassValue | None:
    """The type of an object's name beside it, or the object of a type's."""
    if not isinstance(value, ClassValue | Instance):
        return None
    file = evaluation.file(value.path)
    declaration = NONE if file is None else file.code.scopes[value.scope].declaration
    if file is None or declaration == NONE:
        return None
    item = file.declarations[declaration]
    evaluation.classes.depend_on_declaration(file, declaration)
    mine = "object" in item.modifiers
    for number in evaluation.types.table(file).members.get((item.parent, item.name), ()):
        scope = file.scope_of_declaration.get(number, NONE)
        is_type = scope != NONE and file.declarations[number].kind in TYPES
        if is_type and ("object" in file.declarations[number].modifiers) != mine:
            return ClassValue(file.path, scope, () if mine else value.arguments)
    return None


class ScalaTypes(Types):
    """Types: where a class and an object have one name, the class."""

    def _of(self, file: SourceFile, number: int) -> Result:
        result: Result = {}
        for value, how in self.written(file, number).items():
            merge(result, self._aliased(value) or {value: how}, how)
        return result

    def written(self, file: SourceFile, number: int) -> Result:
        """The types that an expression names, of which some stand for others."""
        found = super()._of(file, number)
        if file.expressions[number].op not in {Op.NAME, Op.MEMBER}:
            return found
        sides = {value: is_object(self._evaluation, value) for value in found}
        is_prefix = number in file.cached("prefixes", _prefixes)
        result: Result = {}
        for value, how in found.items():
            if sides[value] != is_prefix and not (isinstance(value, External)):
                both = companion(self._evaluation, value)
                if both is None and is_prefix in sides.values():
                    continue
                merge(result, {both or value: how})
            else:
                merge(result, {value: how})
        return result

    def _aliased(self, value: Value) -> Result:
        """The type that a name for one stands for; nothing for other types."""
        if not isinstance(value, ClassValue):
            return {}
        other = self._evaluation.file(value.path)
        if other is None or other.kind(value.scope) == ScopeKind.CLASS:
            return {}
        declaration = other.code.scopes[value.scope].declaration
        self._evaluation.classes.depend_on_declaration(other, declaration)
        return self.alias(other, declaration)


class ScalaNames(DeclaredNames):
    """Names and members, with objects, and members that values get by conversions."""

    _rules: ScalaRules

    def look_up(self, file: SourceFile, number: int) -> Result:
        """A name: of a class and an object, the object."""
        found = self._rules.nearest(file, number, super().look_up(file, number))
        return self._terms(found)

    def member(self, file: SourceFile, number: int) -> Result:
        """A member, or one that a value has by a conversion."""
        found = self._terms(self._rules.nearest(file, number, super().member(file, number)))
        item = file.expressions[number]
        if item.of == NONE or any(not isinstance(value, External) for value in found):
            return found
        receivers = self._evaluation.evaluate(file, item.of)
        extended = self._rules.extending(file, receivers, item.name)
        if extended:
            return extended
        if item.name.endswith("=") and item.name[:-1] in ARITHMETIC:
            for receiver in receivers:
                for value, how in self.member_of(file, number, receiver, item.name[:-1]).items():
                    if isinstance(value, MemberValue):
                        merge(extended, {value: how})
        if item.name == _COPY and not extended:
            copied = tuple(value for value in receivers if isinstance(value, Instance))
            return {External(_COPY, (copied,)): Strategy.FLOW} if copied else found
        return extended or found

    def _terms(self, found: Result) -> Result:
        """Types as values are the objects of their names."""
        result: Result = {}
        types = {value for value in found if is_type_name(self._evaluation, value)}
        if len(types) == len(found):
            types = set()
        for value, how in found.items():
            one: Value = value
            if value in types:
                continue
            if isinstance(value, ClassValue) and not is_object(self._evaluation, value):
                one = companion(self._evaluation, value) or value
            merge(result, {one: how})
        return result

    def values(self, found: Result) -> Result:
        """The values of names; an object is one of its own class."""
        result: Result = {}
        for value, how in self._terms(super().values(found)).items():
            one: Value = value
            if isinstance(value, ClassValue) and is_object(self._evaluation, value):
                one = Instance(value.path, value.scope)
            merge(result, {one: how})
        return result


class ScalaClasses(PrimaryClasses):
    """Types, with their bases in the order in which traits are put on top of each other."""

    def _ancestors(self, path: str, scope: int) -> tuple[Ancestor, ...]:
        own = ClassValue(path, scope)
        parameters = tuple((item,) for item in self._evaluation.types.parameters_of(own))
        order: dict[object, Ancestor] = {}
        for base in self.bases(path, scope):
            line: dict[object, Ancestor] = {}
            for ancestor in self._line(base):
                name = identity_of(ancestor)
                if name != (path, scope) and name not in order:
                    line[name] = ancestor
            order = {**line, **order}
        return (Ancestor(path, scope, parameters), *list(order.values())[:_MOST_CLASSES])


class ScalaCalls(PrimaryCalls):
    """Calls with several lists of arguments, and of objects with `apply`."""

    def _lists(self, value: FunctionValue | ClassValue) -> int:
        """The number of lists of parameters of a function or primary constructor."""
        item = self._evaluation.declaration_of(value)
        if item is None:
            return 1
        depth, count = 0, 0
        for sign in item.parameters:
            count += sign == "(" and not depth
            depth += (sign in "([{") - (sign in ")]}")
        return count

    def _callees(self, file: SourceFile, number: int) -> Result:
        item = file.expressions[number]
        if item.op == Op.NEW or item.of == NONE:
            return super()._callees(file, number)
        of = file.expressions[item.of]
        if of.op in {Op.THIS, Op.SUPER}:
            return super()._callees(file, number)
        items = item.items
        functions = self._evaluation.evaluate(file, item.of)
        if of.op == Op.CALL:
            further = self._further(file, item.of)
            if further:
                chosen = self.overloads.choose(file, further, items, number)
                return chosen or further
            items = items[len(of.items) :]
        found: Result = {}
        plain_ones: Result = {}
        has_lists = any(
            isinstance(value, FunctionValue) and self._lists(value) for value in functions
        )
        for value, how in functions.items():
            if isinstance(value, FunctionValue) and not self._lists(value):
                if has_lists:
                    continue
                found[value] = how
                made = self._evaluation.calls.result(value, file)
                merge(found, self._applied(file, number, made, items), how)
            elif isinstance(value, Instance):
                merge(found, self._applied(file, number, {value: how}, items), how)
            else:
                plain_ones[value] = how
        if plain_ones:
            merge(found, self._of_functions(file, number, plain_ones, items))
        return found

    def _of_functions(
        self, file: SourceFile, number: int, functions: Result, items: tuple[Argument, ...]
    ) -> Result:
        """The functions that fit a call; the only one of a name, though it seems not to."""
        found = self.overloads.choose(file, functions, items, number)
        if any(isinstance(value, FunctionValue | ClassValue) for value in found):
            return found
        if len(functions) == 1 and not self._is_converted(file, number):
            return {v: max(how, Strategy.OVERLOAD) for v, how in functions.items()}
        return found or {v: how for v, how in functions.items() if isinstance(v, External)}

    def _is_converted(self, file: SourceFile, number: int) -> bool:
        """True if a member is one that a value of a library has by a conversion, if any."""
        of = file.expressions[file.expressions[number].of]
        if of.op != Op.MEMBER or of.of == NONE:
            return False
        receivers = self._evaluation.evaluate(file, of.of)
        is_known = any(
            isinstance(value, FunctionValue)
            for value in self._evaluation.evaluate(file, file.expressions[number].of)
        )
        return is_known and all(isinstance(value, ExternalInstance) for value in receivers)

    def _further(self, file: SourceFile, number: int) -> Result:
        """The functions of an inner call that have more lists of parameters."""
        depth, at = 0, number
        while file.expressions[at].op == Op.CALL and depth < _MOST_LISTS:
            depth, at = depth + 1, file.expressions[at].of
        return {
            value: how
            for value, how in self.callees(file, number).items()
            if (isinstance(value, FunctionValue | ClassValue) and self._lists(value) > depth)
            or (isinstance(value, External) and value.name.rpartition(".")[2] in FOLDING)
        }

    def _applied(
        self, file: SourceFile, number: int, values: Result, items: tuple[Argument, ...]
    ) -> Result:
        """The callees where a value is called: its `apply`, or the class of its name."""
        found: Result = {}
        for value, how in values.items():
            if isinstance(value, ExternalInstance):
                found[value] = how
            if not isinstance(value, Instance):
                continue
            members = self._evaluation.names.values(
                {
                    v: h
                    for v, h in self._evaluation.classes.members(value, _APPLY).items()
                    if isinstance(v, MemberValue)
                }
            )
            chosen = self.overloads.choose(file, members, items, number) if members else {}
            made = companion(self._evaluation, value) if self._is_object(value) else None
            if not chosen and made is not None:
                chosen = {made: how}
            merge(found, chosen or (members if len(members) == 1 else {}), how)
        return found

    def _is_object(self, value: Instance) -> bool:
        return is_object(self._evaluation, value)

    def returned(self, file: SourceFile, number: int, callees: Result) -> Result:
        """The values of a call: where a function's result is called, those that this gives."""
        first = file.expressions[file.expressions[number].of] if callees else None
        is_direct = first is not None and first.op != Op.CALL
        rest = {
            value: how
            for value, how in callees.items()
            if not (isinstance(value, FunctionValue) and not self._lists(value))
        }
        found = super().returned(file, number, rest if rest and is_direct else callees)
        for value in callees:
            if isinstance(value, ExternalInstance) and value.arguments:
                element: Values = tuple(self._evaluation.rules.item(value))
                merge(found, with_strategy(element, Strategy.GENERIC))
        return found


def _prefixes(file: SourceFile) -> frozenset[int]:
    """The expressions before the dots of others."""
    return frozenset(item.of for item in file.expressions if item.op == Op.MEMBER)
