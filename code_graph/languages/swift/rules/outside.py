"""Members that types of Swift have from outside, and what iterating and indexing give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    MemberValue,
    Result,
    TypeParameter,
    Values,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import NONE, Role
from code_graph.languages.swift.rules.containers import SwiftContainers
from code_graph.model import Strategy

# methods of an optional value
_OF_OPTIONAL: Final = frozenset({"map", "flatMap"})


class SwiftOutside(SwiftContainers):
    """Members of library types and protocols, iterators, subscripts."""

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
        order = self._evaluation.classes.ancestors(value.path, value.scope)
        external = {item.external.rpartition(".")[2] for item in order if item.external}
        if "OptionSet" in external:
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
