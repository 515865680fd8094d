"""External types of Rust: pointers, options and results, containers, iterators."""

from __future__ import annotations

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

_PAIR = 2


class RustContainers(ExtendedTypes):
    """Rules of external types."""

    def external_type(self, name: str, arguments: tuple[Values, ...]) -> Values:
        """The objects of an external type, by the last part of its path."""
        return (ExternalInstance(name.rpartition(".")[2], arguments),)

    def member_of_external(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """A member of what a pointer holds, of an extended type, or of an external one."""
        if isinstance(value, ExternalInstance) and value.arguments:
            is_pointer = value.name in known.POINTERS
            is_maybe = value.name in known.MAYBE and not _is_known(name)
            if (is_pointer and name not in known.HELD) or is_maybe:
                found: Result = {}
                for inner in value.arguments[0]:
                    merge(found, self._evaluation.names.member_of(file, number, inner, name))
                if any(not isinstance(item, External) for item in found):
                    return found
        if isinstance(value, External | ExternalInstance) and not (
            isinstance(value, ExternalInstance) and known.is_inherent(value.name, name)
        ):
            extended = self.of_external(value.name, name)
            if extended:
                return dict(extended)
        return super().member_of_external(file, number, value, name)

    def call_external(self, value: External, file: SourceFile, number: int) -> Result:
        """The values that a function or method of the standard library returns."""
        owner, _, name = value.name.rpartition(".")
        item = file.expressions[number]
        found: Values = ()
        if value.name in known.MAKING:
            found = (ExternalInstance(known.MAKING[value.name], self._given(file, item)),)
        elif name in {"new", "from"} and owner.rpartition(".")[2] in known.POINTERS:
            found = (ExternalInstance(owner.rpartition(".")[2], self._given(file, item)),)
        elif name == "collect" and file.expressions[item.of].op == Op.APPLY:
            found = self._collected(file, item, value)
        elif value.arguments:
            found = self._of_container(file, item, owner, name, value.arguments)
        if found:
            return with_strategy(found, Strategy.GENERIC)
        return super().call_external(value, file, number)

    def _given(self, file: SourceFile, item: Expression) -> tuple[Values, ...]:
        return tuple(plain(self._evaluation.evaluate(file, part.value)) for part in item.items[:1])

    def _collected(self, file: SourceFile, item: Expression, value: External) -> Values:
        given = file.expressions[item.of].items
        for made in self._evaluation.types.instances(file, given[0].value) if given else ():
            if isinstance(made, ExternalInstance) and made.arguments:
                blank = all(
                    isinstance(v, ExternalInstance) and v.name == "_" for v in made.arguments[0]
                )
                return (ExternalInstance(made.name, value.arguments),) if blank else (made,)
        return (ExternalInstance("Vec", value.arguments),)

    def _of_container(  # noqa: PLR0911 one for each kind of method
        self,
        file: SourceFile,
        item: Expression,
        owner: str,
        name: str,
        arguments: tuple[Values, ...],
    ) -> Values:
        if name in known.DERIVED and not owner:
            return arguments[0]
        if name in known.MAPPED and item.items:
            results = self.result_of(file, item.items[-1].value)
            if name != "map" and results and isinstance(results[0], ExternalInstance):
                inner = results[0].arguments
                results = inner[0] if inner and results[0].name in known.MAYBE else results
            return (ExternalInstance(owner, (results, *arguments[1:])),)
        is_wrapper = owner in known.MAYBE or owner in known.POINTERS
        if name in known.HELD and is_wrapper:
            return arguments[0]
        if name in known.VALUES:
            return (ExternalInstance("Vec", arguments[-1:]),)
        if name in known.SAME:
            return (ExternalInstance(owner, arguments),)
        if name in known.ELEMENT:
            return (ExternalInstance("Option", arguments[-1:]),)
        if name in {"enumerate", "zip"}:
            element = self.element(ExternalInstance(owner, arguments))
            pair = TupleValue(
                (element, self._elements_given(file, item))
                if name == "zip"
                else ((ExternalInstance("usize"),), element)
            )
            return (ExternalInstance("Vec", ((pair,),)),)
        return ()

    def _elements_given(self, file: SourceFile, item: Expression) -> Values:
        """The elements of the container that a call is given."""
        found: Result = {}
        for part in item.items[:1]:
            for value, how in self._evaluation.evaluate(file, part.value).items():
                merge(found, dict.fromkeys(self.element(value), how))
        return plain(found)

    def indexed(self, value: Instance) -> Result:
        """The element that the `index` of a type returns."""
        return self.method_results(value, "index")

    def callback_parameters(
        self, value: External, file: SourceFile, number: int, position: int
    ) -> tuple[Values, ...]:
        """The arguments that a method of a container, option or result passes to its callback."""
        del file, number, position
        owner, _, name = value.name.rpartition(".")
        arguments = value.arguments
        if not arguments or name in known.NO_ARGUMENT:
            return ()
        if owner == "Result" and name in known.OF_ERROR:
            return arguments[1:2]
        if name == "fold":
            return (), arguments[-1]
        inner = (
            arguments[0]
            if owner in known.MAYBE
            else self.element(ExternalInstance(owner, arguments))
        )
        return inner, inner

    def element(self, value: Value) -> Values:
        """The element of a container in a loop; pairs of a map."""
        if not isinstance(value, ExternalInstance) or not value.arguments:
            return ()
        if "Map" in value.name and len(value.arguments) == _PAIR:
            return (TupleValue(value.arguments),)
        return value.arguments[0] if value.name in known.MAYBE else value.arguments[-1]

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


def _is_known(name: str) -> bool:
    return (
        name in known.HELD
        or name in known.SAME
        or name in known.MAPPED
        or name in known.OF_ERROR
        or name.startswith(("is_", "unwrap", "map", "and", "or", "ok", "iter"))
        or name in {"take", "replace", "zip", "xor", "transpose", "flatten", "expect_err"}
    )
