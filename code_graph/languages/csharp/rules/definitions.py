"""Members of C# that override others: equal signatures, type parameters by position."""

from __future__ import annotations

from typing import Final

from code_graph.declared.declared_names import last_of
from code_graph.declared.definitions import DeclaredDefinitions
from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.substitution import substitute_all
from code_graph.evaluate.values import (
    Ancestor,
    ClassValue,
    ExternalInstance,
    FunctionValue,
    Instance,
    MemberValue,
    RecordValue,
    TupleValue,
    TypeParameter,
    Value,
    Values,
    plain,
)
from code_graph.expressions import NONE, Op, Role
from code_graph.languages.csharp.rules.written import passed_by_reference
from code_graph.model import FILE

_VALUES: Final = frozenset({"property", "field", "event"})
_OF_TYPES: Final = frozenset({"enumerator", "constant", "class", "struct", "interface", "enum"})
_TOPS: Final = frozenset({"object", "dynamic"})
# stands for the number of type parameters of a method, in its signature
_PARAMETERS: Final = "type parameters"


class CSharpDefinitions(DeclaredDefinitions):
    """Follows names to declarations; compares signatures exactly."""

    def of(self, file: SourceFile, number: int) -> list[Definition]:
        """The definitions of a name; a type where a member of its name has it, in `Color.Red`."""
        found = super().of(file, number)
        item = file.expressions[number]
        if item.op != Op.NAME or len(found) != 1:
            return found
        member = file.cached("members of names", _members_of_names).get(number)
        if member is None or not self._is_named_as_its_type(found[0], item.name):
            return found
        scope = file.code.scope_of[number]
        types = self._evaluation.types.named(file, scope, item.name, 0)
        for value, strategy in types.items():
            if isinstance(value, ClassValue) and self._is_static(value, member):
                return list(self.of_value(value, strategy))
        return found

    def _is_named_as_its_type(self, found: Definition, name: str) -> bool:
        file = self._evaluation.file(found.path)
        if file is None or found.declaration == FILE:
            return False
        if file.declarations[found.declaration].kind not in _VALUES:
            return False
        number = self._evaluation.types.table(file).clause(found.declaration, Role.TYPE)
        return number != NONE and last_of(file, number) == name

    def _is_static(self, value: ClassValue, name: str) -> bool:
        """True if a type has a static member of a name."""
        for member in self._evaluation.classes.members(value, name):
            if isinstance(member, MemberValue):
                other = self._evaluation.file(member.path)
                item = None if other is None else other.declarations[member.declaration]
                return item is not None and ("static" in item.modifiers or item.kind in _OF_TYPES)
        return False

    def _signature(
        self, file: SourceFile, declaration: int, receiver: Instance | None
    ) -> tuple[Values, ...]:
        found = super()._signature(file, declaration, receiver)
        if file.declarations[declaration].kind == "indexer":
            found = self._of_indexer(file, declaration, receiver)
        if file.scope_of_declaration.get(declaration, NONE) == NONE:
            return found
        names = self._evaluation.types.table(file).type_parameter_names(declaration)
        found = tuple(self._by_position(file, declaration, values) for values in found)
        by_reference = passed_by_reference(file, declaration)
        scope = file.scope_of_declaration[declaration]
        rows = file.parameters.get(scope, ()) if by_reference else ()
        modes = [at for at, row in enumerate(rows) if row.name in by_reference]
        count: Values = (TypeParameter(f"{_PARAMETERS} {len(names)} {modes}", ()),)
        return (*found, count)

    def _of_indexer(
        self, file: SourceFile, declaration: int, receiver: Instance | None
    ) -> tuple[Values, ...]:
        """The types of an indexer's parameters, which its accessors share."""
        scopes = file.code.scopes
        scope = file.scope_of_declaration.get(declaration, NONE)
        while scope != NONE and scopes[scopes[scope].parent].declaration == declaration:
            scope = scopes[scope].parent
        value = FunctionValue(file.path, scope, receiver)
        return self._evaluation.classes.signature(value) or () if scope != NONE else ()

    def _same(
        self, file: SourceFile, number: int, owner: ClassValue, ancestor: Ancestor
    ) -> list[Definition]:
        """The overridden members of a base; of an interface with an equal result."""
        name = file.declarations[number].name
        kind = self._evaluation.classes.kind_of
        is_interface = kind(ancestor.path, ancestor.scope) == "interface"
        if is_interface and (
            kind(owner.path, owner.scope) == "interface"  # it hides those of its bases
            or file.declarations[number].access != "public"
        ):
            return []
        if not self._may_replace(file, number, ancestor, name):
            return []
        found = super()._same(file, number, owner, ancestor)
        if not found or not is_interface:
            return found
        if not self._may_implement(file, number, owner, ancestor, name):
            return []
        receiver = Instance(owner.path, owner.scope)
        mine = self._result(file, number, None)
        kept = []
        for one in found:
            other = self._evaluation.file(one.path)
            theirs = None if other is None else self._result(other, one.declaration, receiver)
            if mine == theirs or (mine and theirs and self._alike(mine, theirs)):
                kept.append(one)
        return kept

    def _may_implement(
        self, file: SourceFile, number: int, owner: ClassValue, ancestor: Ancestor, name: str
    ) -> bool:
        """True if no other member is the interface's, neither of the class nor of its base."""
        classes = self._evaluation.classes
        other = self._evaluation.file(ancestor.path)
        if other is None:
            return False
        is_override = "override" in file.declarations[number].modifiers
        if not is_override and not self._is_listed(owner, ancestor):
            return False
        interface = other.declarations[other.code.scopes[ancestor.scope].declaration].name
        return not classes.own_members(owner.path, owner.scope, f"{interface}.{name}")

    def _is_listed(self, owner: ClassValue, ancestor: Ancestor) -> bool:
        """False if a class has an interface from its base class alone."""
        classes = self._evaluation.classes
        bases = [one for one in classes.bases(*owner[:2]) if isinstance(one, ClassValue)]
        return any(one[:2] == ancestor[:2] for one in bases) or not any(
            item[:2] == ancestor[:2]
            for one in bases
            if classes.kind_of(*one[:2]) != "interface"
            for item in classes.ancestors(*one[:2])
        )

    def _may_replace(self, file: SourceFile, number: int, ancestor: Ancestor, name: str) -> bool:
        """True if a base has a member of a name with as many parameters."""
        count = file.declarations[number].parameter_count
        for path, declaration in self._evaluation.classes.own_members(
            ancestor.path, ancestor.scope, name
        ):
            other = self._evaluation.file(path)
            if other is not None and other.declarations[declaration].parameter_count == count:
                return True
        return False

    def _result(self, file: SourceFile, number: int, receiver: Instance | None) -> Values | None:
        """The type of a property, or of the result of a function; None for nothing."""
        table = self._evaluation.types.table(file)
        clause = table.clause(number, Role.RESULT, Role.TYPE)
        if clause == NONE:
            return None
        found = self._evaluation.types.instances(file, clause)
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
        return substitute_all(values, given)

    def _agree(self, one: tuple[Values, ...], other: tuple[Values, ...]) -> bool:
        """True if two lists of parameters are of one signature; unknown ones are of none."""
        return len(one) == len(other) and all(map(self._alike, one, other))

    def _alike(self, one: Values, other: Values) -> bool:
        return any(_equal(a, b) for a in one for b in other)


def _members_of_names(file: SourceFile) -> dict[int, str]:
    """The members that are asked of names, by the names' numbers."""
    return {
        item.of: item.name
        for item in file.expressions
        if item.op == Op.MEMBER and item.of != NONE and file.expressions[item.of].op == Op.NAME
    }


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
