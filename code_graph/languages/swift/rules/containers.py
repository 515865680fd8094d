"""External types of Swift and their extensions; what declared types have from outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

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

_ELEMENT: Final = frozenset(
    """
    first last popLast popFirst removeFirst removeLast randomElement max min remove next
    wrappedValue wrapped
    """.split()  # noqa: SIM905
)
_SAME: Final = frozenset(
    """
    filter sorted reversed prefix suffix dropFirst dropLast shuffled lazy compactMapValues
    union intersection subtracting merging
    """.split()  # noqa: SIM905
)
# functions of the library that give what they are given, and types that hold its elements
_SAME_AS_ARGUMENT: Final = frozenset({"XCTUnwrap", "require", "type", "max", "min"})
_LISTS: Final = frozenset({"Array", "Set", "ArraySlice", "ContiguousArray"})
_MAPPED: Final = frozenset({"map", "compactMap", "flatMap"})
_WRAPPERS: Final = frozenset({"Optional", "Published", "Binding", "State", "Weak"})
# methods of an optional value
_OF_OPTIONAL: Final = frozenset({"map", "flatMap"})
_PAIR: Final = 2


class SwiftContainers(ExtendedTypes):
    """Rules of external types, of iterators and subscripts."""

    def external_type(self, name: str, arguments: tuple[Values, ...]) -> Values:
        """The objects of an external type; an optional is what it holds."""
        short = name.rpartition(".")[2]
        if short in _WRAPPERS and arguments:
            return arguments[0]
        if short in {"Array", "ArraySlice", "ContiguousArray"} and arguments:
            return (ExternalInstance(ARRAY, arguments),)
        return (ExternalInstance(short, arguments),)

    def member_of_external(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """A member of an extended type, an element, or something external."""
        if isinstance(value, External | ExternalInstance):
            extended = self.extended_member(value.name, name)
            if extended:
                return {_of(one, value.arguments): how for one, how in extended.items()}
        if isinstance(value, ExternalInstance) and value.arguments:
            is_called = number in self._evaluation.types.table(file).called
            if name in _ELEMENT and not is_called:
                return with_strategy(value.arguments[-1], Strategy.GENERIC)
            if name in {"values", "keys"} and len(value.arguments) == _PAIR:
                inner = value.arguments[name == "values"]
                return {ExternalInstance(ARRAY, (inner,)): Strategy.GENERIC}
            if name == "lazy":
                return {value: Strategy.GENERIC}
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
        """The values that a method of a sequence returns."""
        name = value.name.rpartition(".")[2]
        found = self._of_function(value, file, number) or self._of_elements(value, file, number)
        if found:
            return found
        if name[:1].isupper():  # by convention, types begin with a capital
            return with_strategy(self._evaluation.types.objects(value), Strategy.DECLARED)
        return super().call_external(value, file, number)

    def _of_function(self, value: External, file: SourceFile, number: int) -> Result:
        """The values of a function of the library by its arguments."""
        items = file.expressions[number].items
        if value.name == "zip" and len(items) == _PAIR:
            rows = [plain(self._elements(file, item.value)) for item in items]
            return {ExternalInstance(ARRAY, ((TupleValue(tuple(rows)),),)): Strategy.GENERIC}
        if value.name in _SAME_AS_ARGUMENT and items:
            return dict(self._evaluation.evaluate(file, items[0].value))
        if value.name in _LISTS and len(items) == 1 and not items[0].name:
            inner = plain(self._elements(file, items[0].value))
            name = value.name if value.name == "Set" else ARRAY
            return {ExternalInstance(name, (inner,)): Strategy.GENERIC}
        return {}

    def _of_elements(self, value: External, file: SourceFile, number: int) -> Result:
        """The values of a method of a collection by what that holds."""
        name = value.name.rpartition(".")[2]
        items = file.expressions[number].items
        found: Result = {}
        if not value.arguments:
            return found
        if name in _MAPPED and items:
            found = self._mapped(value, self.result_of(file, items[-1].value))
        elif name == "enumerated":
            pair = TupleValue(((ExternalInstance("Int"),), value.arguments[-1]))
            found = {ExternalInstance(ARRAY, ((pair,),)): Strategy.GENERIC}
        elif value.name == "Result.get":
            found = with_strategy(value.arguments[0], Strategy.GENERIC)
        elif name in _SAME:
            owner = value.name.rpartition(".")[0]
            found = {ExternalInstance(owner, value.arguments): Strategy.GENERIC}
        elif name in _ELEMENT:
            found = with_strategy(value.arguments[-1], Strategy.GENERIC)
        return found

    def _mapped(self, value: External, results: Values) -> Result:
        """A list of the results of a closure; of an optional value, the one there is."""
        name = value.name.rpartition(".")[2]
        if value.name.startswith("Optional."):
            return with_strategy(results, Strategy.GENERIC)
        if name == "flatMap" and results and isinstance(results[0], ExternalInstance):
            results = results[0].arguments[-1] if results[0].arguments else results
        return {ExternalInstance(ARRAY, (results,)): Strategy.GENERIC}

    def callback_parameters(
        self, value: External, file: SourceFile, number: int, position: int
    ) -> tuple[Values, ...]:
        """The arguments that a method of a sequence passes to its callback."""
        name = value.name.rpartition(".")[2]
        arguments = value.arguments or self._elements_around(file, number)
        items = file.expressions[number].items
        if value.name == "Dictionary" and position and items[0].name == "grouping":
            return (plain(self._elements(file, items[0].value)),)
        if not arguments:
            return ()
        inner = arguments[-1]
        if value.name.startswith("Dictionary.") and len(arguments) == _PAIR:
            inner = (TupleValue(arguments),) if name != "mapValues" else arguments[-1]
        if name == "reduce":
            return (), inner
        closure = file.expressions[file.expressions[number].items[position].value]
        rows = file.parameters.get(closure.of, ()) if closure.op == Op.FUNCTION else ()
        parts = inner[0].parts if inner and isinstance(inner[0], TupleValue) else ()
        return parts if len(rows) == len(parts) > 1 else (inner, inner)

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

    def element(self, value: Value) -> Values:
        """The element of a sequence in a loop; pairs of a dictionary."""
        if not isinstance(value, ExternalInstance) or not value.arguments:
            return ()
        if len(value.arguments) == _PAIR:
            return (TupleValue(value.arguments),)
        return value.arguments[-1]

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


def _of(value: Value, arguments: tuple[Values, ...]) -> Value:
    """A member of an extension, for an object with these type arguments."""
    if isinstance(value, MemberValue) and isinstance(value.receiver, Instance):
        return value._replace(receiver=value.receiver._replace(arguments=arguments))
    return value
