"""Members of C# that replace others: those of the same signature, type parameters by position."""

from __future__ import annotations

from typing import Final

from code_graph.declared.definitions import DeclaredDefinitions
from code_graph.declared.substitution import substitute
from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    Ancestor,
    ClassValue,
    ExternalInstance,
    Instance,
    RecordValue,
    TupleValue,
    TypeParameter,
    Value,
    Values,
    plain,
)
from code_graph.expressions import NONE, Role

_TOPS: Final = frozenset({"object", "dynamic"})
# stands for the number of type parameters of a method, in its signature
_PARAMETERS: Final = "type parameters"


class CSharpDefinitions(DeclaredDefinitions):
    """Follows names to declarations; compares signatures exactly."""

    def _signature(
        self, file: SourceFile, declaration: int, receiver: Instance | None
    ) -> tuple[Values, ...]:
        found = super()._signature(file, declaration, receiver)
        if file.scope_of_declaration.get(declaration, NONE) == NONE:
            return found
        names = self._evaluation.types.table(file).type_parameter_names(declaration)
        found = tuple(self._by_position(file, declaration, values) for values in found)
        count: Values = (TypeParameter(f"{_PARAMETERS} {len(names)}", ()),)
        return (*found, count)

    def _same(
        self, file: SourceFile, number: int, owner: ClassValue, ancestor: Ancestor, name: str
    ) -> list[Definition]:
        """The members of a base that one replaces: of an interface those with an equal result."""
        found = super()._same(file, number, owner, ancestor, name)
        kind = self._evaluation.classes.kind_of
        if not found or kind(ancestor.path, ancestor.scope) != "interface":
            return found
        if kind(owner.path, owner.scope) == "interface":
            return []  # it hides them
        receiver = Instance(owner.path, owner.scope)
        mine = self._result(file, number, None)
        kept = []
        for one in found:
            other = self._evaluation.file(one.path)
            theirs = () if other is None else self._result(other, one.declaration, receiver)
            if not mine or not theirs or self._alike(mine, theirs):
                kept.append(one)
        return kept

    def _result(self, file: SourceFile, number: int, receiver: Instance | None) -> Values:
        """The type of a property, or of what a function gives."""
        table = self._evaluation.types.table(file)
        clause = table.clause(number, Role.RESULT, Role.TYPE)
        found = self._evaluation.types.instances(file, clause) if clause != NONE else {}
        owner = self._evaluation.classes.owner_of(file, number)
        if receiver is not None and owner is not None:
            given = self._evaluation.classes.given_at(receiver, owner.path, owner.scope)
            found = self._evaluation.substituted(found, given)
        return self._by_position(file, number, plain(found))

    def _by_position(self, file: SourceFile, number: int, values: Values) -> Values:
        """Types with the type parameters of a method by their positions."""
        names = self._evaluation.types.table(file).type_parameter_names(number)
        given: dict[str, Values] = {
            f"{file.path}\0{number}\0{name}": (TypeParameter(f"\0{at}", ()),)
            for at, name in enumerate(names)
        }
        if not given:
            return values
        return tuple(item for value in values for item in substitute(value, given))

    def _alike(self, one: Values, other: Values) -> bool:
        return any(_equal(a, b) for a in one for b in other)


def _equal(one: Value, other: Value) -> bool:
    """True if two types may be one, as far as both are known."""
    if isinstance(one, ExternalInstance) and isinstance(other, ExternalInstance):
        names = {one.name.rpartition(".")[2], other.name.rpartition(".")[2]}
        return (len(names) == 1 or names <= _TOPS) and _each(one.arguments, other.arguments)
    if isinstance(one, Instance) and isinstance(other, Instance):
        return one[:2] == other[:2] and _each(one.arguments, other.arguments)
    if isinstance(one, TupleValue) and isinstance(other, TupleValue):
        return _each(one.parts, other.parts)
    if isinstance(one, RecordValue) or isinstance(other, RecordValue):
        return False  # a tuple with names stands beside the one without
    return one == other


def _each(one: tuple[Values, ...], other: tuple[Values, ...]) -> bool:
    return len(one) == len(other) and all(
        not a or not b or any(_equal(x, y) for x in a for y in b)
        for a, b in zip(one, other, strict=True)
    )
