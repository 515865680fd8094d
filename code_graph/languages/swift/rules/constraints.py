"""Members of Swift that a place can mean: static or not, of extensions whose conditions hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from code_graph.declared.conversions import NO
from code_graph.declared.evaluation import DeclaredEvaluation
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
    Values,
    plain,
)
from code_graph.expressions import NONE, Clause, Op, Role
from code_graph.languages.swift.rules.labels import labels_of

EQUAL: Final = " =="
_SELF: Final = "Self"
STATIC: Final = frozenset({"static", "class"})
_OF_TYPE: Final = frozenset({"enumerator", "type"})
# what types conform to without saying so
_IMPLIED: Final = frozenset(
    """
    AnyObject Any Copyable Encodable Decodable Equatable Hashable Sendable Sequence Collection
    NSObject Error Comparable
    """.split()  # noqa: SIM905
)
# what the values of an enum's cases are
_RAW: Final = frozenset("String Int UInt8 UInt Int32 UInt32 Character Double".split())  # noqa: SIM905


class Constraints:
    """Conditions of extensions, and which members are the type's own."""

    def __init__(self, evaluation: DeclaredEvaluation) -> None:
        self._evaluation = evaluation

    def fitting_use(self, file: SourceFile, number: int, found: Result) -> Result:
        """The members of a type where that stands, and else those of its objects.

        Of extensions, those whose conditions hold for the type arguments that are known.
        """
        kept = {v: how for v, how in found.items() if self._may_be_meant(file, number, v)}
        if len(kept) > 1:
            kept = self._of_use(file, number, kept)
        if len(kept) > 1:
            kept = self._witnesses(kept)
        return kept or found

    def _of_use(self, file: SourceFile, number: int, found: Result) -> Result:
        """The functions for a call and the properties for other uses, if a name means both."""
        is_called = number in self._evaluation.types.table(file).called
        is_function = self._evaluation.classes.is_function
        kept = {v: how for v, how in found.items() if is_function(v) == is_called}
        return kept or found

    def _witnesses(self, found: Result) -> Result:
        """Requirements where a protocol's objects are meant, and else what implements them.

        Of properties, that of the extension with the most conditions.
        """
        rows = [value for value in found if isinstance(value, MemberValue)]
        marks = {value: self._mark(value) for value in rows}
        asked = {mark[1:] for mark in marks.values() if mark[0]}
        given = {mark[1:] for mark in marks.values() if not mark[0]}
        both = asked & given
        left = {
            value: how
            for value, how in found.items()
            if value not in marks
            or marks[value][1:] not in both
            or marks[value][0] == self._is_of_protocol(value)
        }
        properties = [v for v in left if not self._evaluation.classes.is_function(v)]
        if len(properties) == len(left) > 1:
            counts = {v: self.strictness(v) for v in left}
            best = max(counts.values())
            left = {v: how for v, how in left.items() if counts[v] == best}
        return left

    def _mark(self, value: MemberValue) -> tuple[bool, str, tuple[str, ...]]:
        """True for what a protocol asks for; with its name and labels."""
        file = self._evaluation.file(value.path)
        if file is None:
            return False, "", ()
        item = file.declarations[value.declaration]
        holder = item.parent
        is_asked = holder >= 0 and file.declarations[holder].kind == "protocol"
        return is_asked, item.name, labels_of(file, value.declaration)

    def _is_of_protocol(self, value: Value) -> bool:
        receiver = value.receiver if isinstance(value, MemberValue) else None
        if not isinstance(receiver, Instance | ClassValue):
            return False
        return self._evaluation.classes.kind_of(receiver.path, receiver.scope) == "protocol"

    def strictness(self, value: Value) -> int:
        """The number of conditions of a member."""
        if not isinstance(value, MemberValue | FunctionValue):
            return 0
        file = self._evaluation.file(value.path)
        if file is None:
            return 0
        number = (
            value.declaration
            if isinstance(value, MemberValue)
            else file.code.scopes[value.scope].declaration
        )
        holder = file.declarations[number].parent if number >= 0 else NONE
        is_block = holder >= 0 and file.declarations[holder].kind == "extension"
        return len(list(self._conditions(file, holder))) if is_block else 0

    def _may_be_meant(self, file: SourceFile, number: int, value: Value) -> bool:
        other = self._evaluation.file(value.path) if isinstance(value, MemberValue) else None
        if other is None or not isinstance(value, MemberValue):
            return True
        self._evaluation.classes.depend_on_declaration(other, value.declaration)
        item = other.declarations[value.declaration]
        wants_static = self._wants_static(file, number, value)
        is_static = not STATIC.isdisjoint(item.modifiers) or item.kind in _OF_TYPE
        if wants_static is not None and wants_static != is_static:
            return False
        return self.holds(other, value.declaration, value.receiver)

    def _wants_static(self, file: SourceFile, number: int, value: MemberValue) -> bool | None:
        """True where the members of a type are meant, false for those of objects, None for both."""
        if file.expressions[number].op == Op.MEMBER:
            if number in file.cached("patterns", _patterns):
                return True
            return None if value.receiver is None else isinstance(value.receiver, ClassValue)
        scope = file.code.scope_of[number]
        around = file.class_around(scope)
        if around == NONE or not isinstance(value.receiver, Instance):
            return None
        own = self._evaluation.classes.canonical(ClassValue(file.path, around))
        declaration = file.owner(scope)
        if own[:2] != value.receiver[:2] or declaration < 0:
            return None
        while file.declarations[declaration].scope_kind == "function":
            declaration = file.declarations[declaration].parent
        item = file.declarations[declaration]
        return not STATIC.isdisjoint(item.modifiers) if item.kind == "method" else None

    # conditions

    def holds(self, file: SourceFile, declaration: int, receiver: Value | None) -> bool:
        """False if the extension that a member is in is not one of its receiver's type."""
        parent = file.declarations[declaration].parent
        if parent < 0 or not isinstance(receiver, Instance | ClassValue):
            return True
        if file.declarations[parent].kind != "extension":
            return True
        rows = list(self._conditions(file, parent))
        owner = self._evaluation.classes.owner_of(file, declaration) if rows else None
        if owner is None:
            return True
        given = self._evaluation.classes.given_at(receiver, owner.path, owner.scope)
        by_name = {name.rpartition("\0")[2]: values for name, values in given.items()}
        by_name[_SELF] = (Instance(receiver.path, receiver.scope, receiver.arguments),)
        return all(self._holds(file, clause, by_name) for clause in rows)

    def _conditions(self, file: SourceFile, declaration: int) -> Iterator[Clause]:
        """The conditions of an extension, those of equal types by their names with a mark."""
        rows = [
            clause
            for clause in file.clauses.get(declaration, ())
            if clause.role == Role.TYPE_PARAMETER
        ]
        names = {clause.name for clause in rows}
        for clause in rows:
            if f"{clause.name}{EQUAL}" not in names:
                yield clause

    def _holds(self, file: SourceFile, clause: Clause, given: dict[str, Values]) -> bool:
        values = given.get(clause.name.removesuffix(EQUAL), ())
        wanted = self._evaluation.types.instances(file, clause.value) if values else {}
        if not values or not wanted:
            return True
        is_equal = clause.name.endswith(EQUAL)
        if not is_equal and any(map(self._lacks, values, wanted)):
            return False
        return any(
            self.is_same(one, other)
            if is_equal
            else self._evaluation.calls.overloads.conversions.fits(one, other) != NO
            for one in values
            for other in wanted
        )

    def _lacks(self, value: Value, wanted: Value) -> bool:
        """True for a type of the tree that does not say it conforms to a library's protocol."""
        if not isinstance(value, Instance) or not isinstance(wanted, ExternalInstance):
            return False
        if wanted.name in _IMPLIED or self._evaluation.rules.is_unknown(wanted.name):
            return False
        names = self._evaluation.classes.external_bases(value)
        if wanted.name == "RawRepresentable":
            return names.isdisjoint({"RawRepresentable", "OptionSet", *_RAW})
        return wanted.name not in names

    def is_same(self, one: Value, other: Value) -> bool:
        """True if two types may be one."""
        if isinstance(other, TypeParameter):
            return True
        if isinstance(one, Instance) and isinstance(other, Instance):
            return (
                one[:2] == other[:2]
                and self._evaluation.calls.overloads.conversions.fits_arguments(one, other) != NO
            )
        if isinstance(one, ExternalInstance) and isinstance(other, ExternalInstance):
            return one.name == other.name or self._evaluation.rules.is_unknown(one.name)
        return isinstance(one, ExternalInstance) and self._evaluation.rules.is_unknown(one.name)

    def own_arguments(self, file: SourceFile, scope: int, owner: ClassValue) -> tuple[Values, ...]:
        """The type arguments of the type around: what an extension says they are, if it does."""
        declaration = file.code.scopes[scope].declaration
        equal = {
            clause.name: plain(self._evaluation.types.instances(file, clause.value))
            for clause in (self._conditions(file, declaration) if declaration != NONE else ())
            if clause.name.endswith(EQUAL)
        }
        return tuple(
            equal.get(item.name.rpartition("\0")[2] + EQUAL) or (item,)
            for item in self._evaluation.types.parameters_of(owner)
        )


def _patterns(file: SourceFile) -> frozenset[int]:
    """The cases in patterns, as far as these take what they carry apart."""
    return frozenset(item.of for item in file.expressions if item.op == Op.PART)
