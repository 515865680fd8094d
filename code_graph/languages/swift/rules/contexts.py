"""Contexts of Swift: `.name`, arguments of cases and of initialisers that nobody wrote, results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    Instance,
    MemberValue,
    Result,
    TupleValue,
    TypeParameter,
    Value,
    Values,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import NONE, Argument, Expression, Op, Role
from code_graph.languages.swift.rules.outside import SwiftOutside
from code_graph.model import Strategy

_RESULTS: Final = frozenset({"success", "failure"})
# methods of the library's collections that are given an element
_TAKES_ELEMENT: Final = frozenset(
    "append insert contains firstIndex lastIndex remove removeFirst prepend update fill".split()  # noqa: SIM905
)


class SwiftContexts(SwiftOutside):
    """Types that are expected where an expression stands."""

    def implied(self, file: SourceFile, number: int) -> Result:
        """`.name`: a member of the type that is expected where it stands."""
        name = file.expressions[number].name
        chains = file.cached("chains", _chains)
        expected = self._evaluation.types.table(file).expected
        whole = number
        while whole not in expected and whole in chains:
            whole = chains[whole]
        found: Result = {}
        for value in self._evaluation.calls.expected_types(file, whole):
            bounds = (
                self._evaluation.types.bound_of(value) if isinstance(value, TypeParameter) else ()
            )
            for one in (value, *bounds):
                merge(found, self.member_of_type(one, name), Strategy.GENERIC)
        found = {v: how for v, how in found.items() if not isinstance(v, External)}
        return self.fitting_use(file, number, found) if len(found) > 1 else found

    def taken(
        self,
        value: External | MemberValue | ClassValue,
        file: SourceFile,
        number: int,
        position: int,
    ) -> Result:
        """The types of an argument: of what a case carries, an element, or as the others are."""
        items = file.expressions[number].items
        if isinstance(value, ClassValue):
            made = self._evaluation.calls.constructors(file, number, value)
            return {} if made else self._stored_in(value, items, position)
        if isinstance(value, MemberValue):
            return self._carried_at(value, items, position)
        if value.arguments and value.name.rpartition(".")[2] in _TAKES_ELEMENT:
            return with_strategy(value.arguments[-1], Strategy.GENERIC)
        found: Result = {}
        for at, item in enumerate(items):
            if at != position and not item.name and not self.is_contextual(file, item.value):
                merge(found, self._evaluation.evaluate(file, item.value), Strategy.GENERIC)
        return {
            v: how
            for v, how in found.items()
            if isinstance(v, Instance) or (isinstance(v, ExternalInstance) and v.arguments)
        }

    def _stored_in(self, value: ClassValue, items: Sequence[Argument], position: int) -> Result:
        """The type of the property that an initialiser sets which nobody wrote.

        A closure behind a call has no label: it is for the last property that is left.
        """
        file = self._evaluation.file(value.path)
        if file is None or position >= len(items):
            return {}
        holder = file.code.scopes[value.scope].declaration
        self._evaluation.calls.depend_on_head(file, value.scope)
        rows = [
            number
            for number, item in enumerate(file.declarations)
            if item.parent == holder and item.kind == "property"
        ]
        label = items[position].name
        named = [number for number in rows if file.declarations[number].name == label]
        left = [] if label else rows[-1:]
        found: Result = {}
        for number in named or left:
            receiver = Instance(value.path, value.scope, value.arguments)
            member = MemberValue(value.path, number, receiver)
            merge(found, self._evaluation.classes.value_of(member))
        return found

    def made_arguments(self, file: SourceFile, number: int, value: ClassValue) -> dict[str, Values]:
        """The type arguments of an object by the values of its properties."""
        given: dict[str, Values] = {}
        items = file.expressions[number].items
        for position, item in enumerate(items):
            values = plain(self._evaluation.evaluate(file, item.value))
            for declared in self._stored_in(value, items, position):
                self._evaluation.calls.inference.unify(declared, values, given)
        return given

    def _carried_at(self, value: MemberValue, items: Sequence[Argument], position: int) -> Result:
        """The type of what a case carries, by its label."""
        file = self._evaluation.file(value.path)
        if file is None or not self._is_case(value):
            return {}
        self._evaluation.classes.depend_on_declaration(file, value.declaration)
        clause = self._evaluation.types.table(file).clause(value.declaration, Role.TYPE)
        parts = file.expressions[clause].items if clause != NONE else ()
        label = items[position].name if position < len(items) else ""
        named = [part for part in parts if label and part.name == label]
        at = position if position < len(parts) else len(parts) - 1
        row = named[0] if named else (parts[at] if parts else None)
        return self._evaluation.types.instances(file, row.value) if row is not None else {}

    def is_contextual(self, file: SourceFile, number: int) -> bool:
        """True for `.name`, what is called on it, and lists with such a value."""
        return number in file.cached("contextual", _contextual)

    def member_of_type(self, value: Value, name: str) -> Result:
        """The members that the type of an object itself has."""
        if isinstance(value, Instance):
            of = ClassValue(value.path, value.scope, value.arguments)
            return self.constructed_by(of, name) or self._evaluation.classes.members(of, name)
        if isinstance(value, ExternalInstance):
            return {
                one._replace(receiver=ClassValue(one.receiver.path, one.receiver.scope)): how
                for one, how in self.extended_member(value.name, name).items()
                if isinstance(one, MemberValue) and isinstance(one.receiver, Instance)
            }
        return {}

    def _is_case(self, value: Value) -> bool:
        file = self._evaluation.file(value.path) if isinstance(value, MemberValue) else None
        if file is None or not isinstance(value, MemberValue):
            return False
        return file.declarations[value.declaration].kind in {"enumerator", "macro"}

    def carried(self, file: SourceFile, item: Expression) -> Result:
        """A part of what a case carries, as it is declared."""
        of = file.expressions[item.of] if item.of != NONE else None
        if of is None or of.op != Op.MEMBER or not item.name.isdigit():
            return {}
        found: Result = {}
        for value in self._evaluation.evaluate(file, of.of) if of.of != NONE else ():
            if isinstance(value, ExternalInstance) and value.name == "Result":
                at = ("success", "failure").index(of.name) if of.name in _RESULTS else -1
                values = value.arguments[at] if 0 <= at < len(value.arguments) else ()
                merge(found, with_strategy(values, Strategy.GENERIC))
        for value in self._evaluation.names.resolve(file, item.of) if not found else ():
            other = self._evaluation.file(value.path) if isinstance(value, MemberValue) else None
            if other is None or not isinstance(value, MemberValue) or not self._is_case(value):
                continue
            self._evaluation.classes.depend_on_declaration(other, value.declaration)
            clause = self._evaluation.types.table(other).clause(value.declaration, Role.TYPE)
            for one in self._evaluation.types.instances(other, clause) if clause != NONE else ():
                if isinstance(one, TupleValue) and int(item.name) < len(one.parts):
                    merge(found, with_strategy(one.parts[int(item.name)], Strategy.DECLARED))
        return found


def _contextual(file: SourceFile) -> frozenset[int]:
    """The expressions that begin with `.name`, and those with one of them."""
    found: set[int] = set()
    for number, item in enumerate(file.expressions):
        is_first = item.op == Op.MEMBER and item.of == NONE
        is_behind = item.op in {Op.CALL, Op.MEMBER} and item.of in found
        is_list = item.op in {Op.LIST, Op.EITHER}
        if is_first or is_behind or (is_list and any(part.value in found for part in item.items)):
            found.add(number)
    return frozenset(found)


def _chains(file: SourceFile) -> dict[int, int]:
    """The calls and members of each name or member."""
    return {
        item.of: number
        for number, item in enumerate(file.expressions)
        if item.op in {Op.CALL, Op.MEMBER} and item.of != NONE
    }
