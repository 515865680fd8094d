"""External types of Swift and their extensions; what declared types have from outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from code_graph.declared.effects import LibraryRules, LibraryTable
from code_graph.declared.extended import ExtendedTypes
from code_graph.declared.types import ARRAY
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
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
from code_graph.expressions import NONE, Op, Role
from code_graph.languages.swift.rules.library import protocols_of
from code_graph.model import Strategy

# methods of an optional value
_OF_OPTIONAL: Final = frozenset({"map", "flatMap"})


class SwiftContainers(LibraryRules, ExtendedTypes):
    """Rules of external types, of iterators and subscripts."""

    library = LibraryTable.of("swift")

    def external_type(self, name: str, arguments: tuple[Values, ...]) -> Values:
        """The objects of an external type; an optional is what it holds."""
        short = name.rpartition(".")[2]
        if short in self.library.types["wrappers"] and arguments:
            return arguments[0]
        if short in self.library.types["arrays"] and arguments:
            return (ExternalInstance(ARRAY, arguments),)
        return (ExternalInstance(short, arguments),)

    def member_of_external(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """A member of an extended type, an element, or something external."""
        if isinstance(value, External | ExternalInstance):
            extended = self.extended_member(value.name, name)
            if extended:
                return {_of(one, value.arguments): how for one, how in extended.items()}
        return super().member_of_external(file, number, value, name)

    def extended_member(self, type_: str, name: str) -> Result:
        """The members that extensions give to a type of the library, or to what it conforms to."""
        own = "Array" if type_ == ARRAY else type_.rpartition(".")[2]
        for one in (own, *protocols_of(own)):
            found = self.of_external(one, name)
            if found:
                return found
        return {}

    def call_external(self, value: External, file: SourceFile, number: int) -> Result:
        """The values that a function returns, or that a type makes."""
        values = self.given_by(value, file, number)
        # by convention, types begin with a capital
        if not values and value.name.rpartition(".")[2][:1].isupper():
            return with_strategy(self._evaluation.types.objects(value), Strategy.DECLARED)
        return super().call_external(value, file, number)

    def callback_parameters(
        self, value: External, file: SourceFile, number: int, position: int
    ) -> tuple[Values, ...]:
        """The arguments that a method of a sequence passes to its callback."""
        items = file.expressions[number].items
        if value.name == "Dictionary" and position and items[0].name == "grouping":
            return (plain(self._elements(file, items[0].value)),)
        arguments = value.arguments or self._elements_around(file, number)
        given = super().callback_parameters(
            value._replace(arguments=arguments), file, number, position
        )
        if not given or given[0] != given[1]:
            return given
        closure = file.expressions[file.expressions[number].items[position].value]
        rows = file.parameters.get(closure.of, ()) if closure.op == Op.FUNCTION else ()
        inner = given[0][0] if given[0] else None
        parts = inner.parts if isinstance(inner, TupleValue) else ()
        return parts if len(rows) == len(parts) > 1 else given

    def _elements(self, file: SourceFile, number: int) -> Result:
        return self._evaluation.element(self._evaluation.evaluate(file, number))

    def _elements_around(self, file: SourceFile, number: int) -> tuple[Values, ...]:
        """The elements of a sequence whose extension a call is in."""
        scope = file.class_around(file.code.scope_of[number])
        declaration = NONE if scope == NONE else file.code.scopes[scope].declaration
        for clause in file.clauses.get(declaration, ()):
            if clause.role == Role.TYPE_PARAMETER and clause.name == "Element":
                return (plain(self._evaluation.types.instances(file, clause.value)),)
        return ()

    # declared types, as types from outside

    def _of_outside(self, receiver: Instance | ClassValue, name: str) -> Result:
        """A member of the type from outside that an extension is of."""
        file = self._evaluation.file(receiver.path)
        if file is None:
            return {}
        declaration = file.code.scopes[receiver.scope].declaration
        self._evaluation.calls.depend_on_head(file, receiver.scope)
        own = file.declarations[declaration].name.rpartition(".")[2]
        found = self.extended_member(own, name)
        if found:
            return dict(found)
        elements = receiver.arguments or (self._elements_of(file, declaration),)
        return {External(f"{own}.{name}", elements): Strategy.RECEIVER} if own else {}

    def _elements_of(self, file: SourceFile, declaration: int) -> Values:
        """The elements of a collection from outside, as its extension says or calls them."""
        for clause in file.clauses.get(declaration, ()):
            if clause.role == Role.TYPE_PARAMETER and clause.name == "Element":
                return plain(self._evaluation.types.instances(file, clause.value))
        return (TypeParameter(f"{file.path}\0{declaration}\0Element", ()),)

    def type_of_external(self, value: External, name: str) -> Result:
        """An iterator of a collection of the library, or a part of one."""
        if name in {"Iterator", "SubSequence", "Indices"}:
            return {External(name, value.arguments): Strategy.GENERIC}
        return {}

    def inherited(self, receiver: Instance | ClassValue, name: str, external: str) -> Result:
        """A member that a type has from outside; each object may be an optional one."""
        if self._evaluation.classes.kind_of(receiver.path, receiver.scope) == "extension":
            return self._of_outside(receiver, name)
        found = super().inherited(receiver, name, external)
        if found and isinstance(receiver, Instance):
            elements = plain(self._evaluation.element({receiver: Strategy.DECLARED}))
            if elements:
                return {External(f"Sequence.{name}", (elements,)): Strategy.RECEIVER}
        if not found and name in _OF_OPTIONAL and isinstance(receiver, Instance):
            return {External(f"Optional.{name}", ((receiver,),)): Strategy.FLOW}
        return found

    def joined(self, sides: Sequence[Result]) -> Result:
        """The value of an operator of which one side is a text: the other, if the tree has it."""
        for side in sides:
            found: Result = {v: how for v, how in side.items() if isinstance(v, Instance)}
            if found:
                return found
        return {}

    def indexed(self, value: Instance) -> Result:
        """The results of the subscripts of a type."""
        found: Result = {}
        for member in self._evaluation.classes.members(value, "subscript"):
            file = self._evaluation.file(member.path) if isinstance(member, MemberValue) else None
            if file is None or not isinstance(member, MemberValue):
                continue
            scope = file.scope_of_declaration.get(member.declaration, NONE)
            if scope != NONE:
                function = FunctionValue(file.path, scope, value)
                merge(found, self._evaluation.calls.result(function, file), Strategy.DECLARED)
        return found

    def iterated(self, value: Instance) -> Result:
        """The elements of a type: of its iterator, of literals of it, of a set of options."""
        of = ClassValue(value.path, value.scope, value.arguments)
        if "OptionSet" in self._evaluation.classes.external_bases(value):
            return {value: Strategy.DECLARED}
        found: Result = {}
        for name in ("Element", "ArrayLiteralElement"):
            for type_ in self._evaluation.types.nested(of, name, -1):
                merge(
                    found, with_strategy(self._evaluation.types.objects(type_), Strategy.DECLARED)
                )
        for made in self._evaluation.classes.constructors(of) if not found else ():
            file = self._evaluation.file(made.path) if isinstance(made, FunctionValue) else None
            if file is None or not isinstance(made, FunctionValue):
                continue
            head = file.declarations[file.code.scopes[made.scope].declaration]
            if "arrayLiteral" in head.parameters:
                for row in file.parameters.get(made.scope, [])[:1]:
                    declared = self._evaluation.types.instances(file, row.annotation)
                    merge(found, self._evaluation.element(declared))
        if not found:
            for iterator in self.method_results(value, "makeIterator"):
                if isinstance(iterator, Instance) and iterator != value:
                    merge(found, self.method_results(iterator, "next"))
                elif isinstance(iterator, ExternalInstance) and iterator.arguments:
                    merge(found, with_strategy(iterator.arguments[-1], Strategy.GENERIC))
        return found


def _of(value: Value, arguments: tuple[Values, ...]) -> Value:
    """A member of an extension, for an object with these type arguments."""
    if isinstance(value, MemberValue) and isinstance(value.receiver, Instance):
        return value._replace(receiver=value.receiver._replace(arguments=arguments))
    return value
