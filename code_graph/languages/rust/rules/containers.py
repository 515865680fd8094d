"""External types of Rust: pointers, options and results, containers, iterators."""

from __future__ import annotations

from typing import ClassVar

from code_graph.declared.effects import LibraryRules
from code_graph.declared.extended import ExtendedTypes
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    Instance,
    MemberValue,
    Result,
    TupleValue,
    Value,
    Values,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import NONE, Expression, Op, Role
from code_graph.languages.rust.rules import library as known
from code_graph.model import Strategy


class RustContainers(LibraryRules, ExtendedTypes):
    """Rules of external types."""

    library = known.LIBRARY
    has_properties: ClassVar[bool] = False

    def external_type(self, name: str, arguments: tuple[Values, ...]) -> Values:
        """The objects of an external type, by the last part of its path."""
        return (ExternalInstance(name.rpartition(".")[2], arguments),)

    def member_of_external(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """A member of what a pointer holds, of an extended type, or of an external one."""
        held = self.held_member(file, number, value, name)
        if held:
            return held
        if isinstance(value, External | ExternalInstance) and not (
            isinstance(value, ExternalInstance) and known.is_inherent(value.name, name)
        ):
            extended = self.of_external(value.name, name)
            if extended:
                return dict(extended)
        return super().member_of_external(file, number, value, name)

    def holds_member(self, value: ExternalInstance, name: str) -> bool:
        """True for what an optional value does not have itself: it is what `?` takes out."""
        if value.name in known.MAYBE:
            return not known.is_inherent(value.name, name)
        return super().holds_member(value, name)

    def given_by(
        self, value: External, file: SourceFile | None = None, number: int = NONE
    ) -> Values | None:
        """The values that a function gives; `collect` gives a container of the written type."""
        item = None if file is None else file.expressions[number]
        if file is None or item is None or not value.name.endswith(".collect"):
            return super().given_by(value, file, number)
        if file.expressions[item.of].op != Op.APPLY:
            return super().given_by(value, file, number)
        return self._collected(file, item, value)

    def _collected(self, file: SourceFile, item: Expression, value: External) -> Values:
        given = file.expressions[item.of].items
        for made in self._evaluation.types.instances(file, given[0].value) if given else ():
            if isinstance(made, ExternalInstance) and made.arguments:
                blank = all(
                    isinstance(v, ExternalInstance) and v.name == "_" for v in made.arguments[0]
                )
                return (ExternalInstance(made.name, value.arguments),) if blank else (made,)
        return (ExternalInstance("Vec", value.arguments),)

    def indexed(self, value: Instance) -> Result:
        """The element that the `index` of a type returns."""
        return self.method_results(value, "index")

    def part(self, value: Value, position: int) -> Values:
        """A part of a tuple, also of one in an option or result, as of `(a, b) = f()?`."""
        if isinstance(value, ExternalInstance) and value.name in known.MAYBE and value.arguments:
            tuples = [item for item in value.arguments[0] if isinstance(item, TupleValue)]
            parts = [values for one in tuples for values in one.parts[position : position + 1]]
            return tuple(item for values in parts for item in values)
        return super().part(value, position)

    def iterated(self, value: Instance) -> Result:
        """The element that the `next` of a type returns."""
        found: Result = {}
        for made in self.method_results(value, "next"):
            merge(found, with_strategy(self.element(made), Strategy.GENERIC))
        return found

    def pointed(self, value: Instance) -> Result:
        """The target of a type that implements `Deref`."""
        found = self.method_results(value, "deref")
        return {item: how for item, how in found.items() if item != value}

    def deconstructed(self, value: Instance, position: int) -> Result:
        """A field without a name, by its position."""
        file = self._evaluation.file(value.path)
        declaration = NONE if file is None else file.code.scopes[value.scope].declaration
        if file is None or declaration == NONE:
            return {}
        self._evaluation.classes.depend_on_declaration(file, declaration)
        clause = self._evaluation.types.table(file).clause(declaration, Role.TYPE)
        found: Result = {}
        for item in self._evaluation.types.instances(file, clause) if clause != NONE else ():
            if isinstance(item, TupleValue) and position < len(item.parts):
                merge(found, with_strategy(item.parts[position], Strategy.DECLARED))
        return self._evaluation.substituted(found, self._evaluation.classes.given(value))

    def narrowed(self, file: SourceFile, item: Expression) -> Result:
        """A value as the variant of a pattern: what the variant holds."""
        number = item.items[0].value if item.items else NONE
        if number == NONE:
            return {}
        pattern = file.expressions[number]
        if pattern.op == Op.NAME and pattern.name in {"Some", "Ok", "Err"}:
            return self._held(file, item.of, is_error=pattern.name == "Err")
        for value in self._evaluation.names.resolve(file, number) if pattern.op != Op.APPLY else ():
            if isinstance(value, MemberValue):
                other = self._evaluation.file(value.path)
                if other is not None and other.declarations[value.declaration].kind == "enumerator":
                    self._evaluation.classes.depend_on_declaration(other, value.declaration)
                    clause = self._evaluation.types.table(other).clause(
                        value.declaration, Role.TYPE
                    )
                    if clause != NONE:
                        return self._evaluation.types.instances(other, clause)
        return {}

    def _held(self, file: SourceFile, number: int, *, is_error: bool) -> Result:
        parts: Result = {}
        for value in self._evaluation.evaluate(file, number):
            if isinstance(value, ExternalInstance) and value.name in known.MAYBE:
                at = 1 if is_error else 0
                inner = value.arguments[at] if at < len(value.arguments) else ()
                merge(parts, dict.fromkeys(inner, Strategy.GENERIC))
            elif not is_error:
                merge(parts, {value: Strategy.GENERIC})
        return {TupleValue((plain(parts),)): Strategy.GENERIC} if parts else {}

    def is_of_library(self, value: Instance, name: str) -> bool:
        """True in a block of an external type for a method that the type itself has."""
        item = self._evaluation.declaration_of(value)
        return item is not None and item.kind == "impl" and known.is_inherent(item.name, name)

    def constructed_by(self, value: Value, name: str) -> Result:
        """A method that a type has by derivation, as far as it declares none of its name."""
        if isinstance(value, Instance) and self.is_of_library(value, name):
            return {External(name): Strategy.DECLARED}
        if name not in known.DERIVED or not isinstance(value, Instance | ClassValue):
            return {}
        if any(isinstance(v, MemberValue) for v in self._evaluation.classes.members(value, name)):
            return {}
        made = Instance(value.path, value.scope, value.arguments)
        return {External(name, ((made,),)): Strategy.GENERIC}
