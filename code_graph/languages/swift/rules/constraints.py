"""Members of Swift that a place can mean: static or not, of extensions whose conditions hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from code_graph.declared.extended import blocks_of
from code_graph.declared.members import FUNCTIONS
from code_graph.declared.overloads import CONVERTED, DERIVED, MAYBE, NO, SAME, MatchedArgument
from code_graph.declared.types import ARRAY
from code_graph.evaluate.dependencies import language_key
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
from code_graph.languages.swift.rules.containers import SwiftContainers
from code_graph.languages.swift.rules.labels import labels_of
from code_graph.languages.swift.rules.library import protocols_of

EQUAL: Final = " =="
# parts of a type that are looked through one by one, and files that are told apart
_FEW_PARTS: Final = 4
_MOST_FILES: Final = 300
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
# the protocols of types that are written as literals of another
_LITERALS: Final = {
    "String": "ExpressibleByString",
    "Int": "ExpressibleByInteger",
    "Double": "ExpressibleByFloat",
    "Bool": "ExpressibleByBoolean",
    ARRAY: "ExpressibleByArray",
    "Dictionary": "ExpressibleByDictionary",
}


class SwiftConstraints(SwiftContainers):
    """Conditions of extensions, and which members are the type's own."""

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
            counts = {v: self._strictness(v) for v in left}
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

    def _strictness(self, value: Value) -> int:
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

    def argument_rank(
        self, file: SourceFile, value: FunctionValue, matches: Sequence[MatchedArgument]
    ) -> int:
        """An order of functions whose parameters fit equally well.

        Those that are not generic come first, and those of extensions with more conditions.
        """
        del file, matches
        is_generic = bool(self._evaluation.calls.type_parameters(value))
        return 2 * self._strictness(value) - is_generic

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

    def parts_with(self, parts: Sequence[tuple[str, int]], name: str) -> Sequence[tuple[str, int]]:
        """The parts of a type in files that declare a name."""
        if len(parts) < _FEW_PARTS:
            return parts
        engine = self._evaluation.engine
        name = name or "init"
        engine.depend_on("", language_key(self.language, name))
        files = engine.files.declaring(self.language, name)
        if len(files) >= _MOST_FILES:
            return parts
        known = set(files)
        return [part for part in parts if part[0] in known]

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
            self._is_same(one, other)
            if is_equal
            else self._evaluation.calls.overloads.fits(one, other) != NO
            for one in values
            for other in wanted
        )

    def _lacks(self, value: Value, wanted: Value) -> bool:
        """True for a type of the tree that does not say it conforms to a library's protocol."""
        if not isinstance(value, Instance) or not isinstance(wanted, ExternalInstance):
            return False
        if wanted.name in _IMPLIED or self.is_unknown(wanted.name):
            return False
        order = self._evaluation.classes.ancestors(value.path, value.scope)
        names = {item.external.rpartition(".")[2] for item in order if item.external}
        if wanted.name == "RawRepresentable":
            return names.isdisjoint({"RawRepresentable", "OptionSet", *_RAW})
        return wanted.name not in names

    def _is_same(self, one: Value, other: Value) -> bool:
        """True if two types may be one."""
        if isinstance(other, TypeParameter):
            return True
        if isinstance(one, Instance) and isinstance(other, Instance):
            return one[:2] == other[:2] and self.fits_arguments(one, other) != NO
        if isinstance(one, ExternalInstance) and isinstance(other, ExternalInstance):
            return one.name == other.name or self.is_unknown(one.name)
        return isinstance(one, ExternalInstance) and self.is_unknown(one.name)

    def fits_arguments(self, value: Instance, declared: Instance) -> int:
        """A score for two objects of one type: none for type arguments that are known to differ.

        What fits a type parameter of the function fits better than what would have to be the
        type parameter of a type.
        """
        least = SAME
        for ones, others in zip(value.arguments, declared.arguments, strict=False):
            if ones and others:
                least = min(least, max(self._fits_argument(a, b) for a in ones for b in others))
        return least

    def _fits_argument(self, one: Value, other: Value) -> int:
        if one == other:
            return SAME
        if isinstance(other, TypeParameter):
            return CONVERTED if self._is_of_type(other) else DERIVED
        if isinstance(one, TypeParameter):
            return MAYBE
        return SAME if self._is_same(one, other) else NO

    def _is_of_type(self, value: TypeParameter) -> bool:
        path, _, rest = value.name.partition("\0")
        file = self._evaluation.file(path)
        number = int(rest.partition("\0")[0])
        return file is not None and file.declarations[number].kind not in FUNCTIONS

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

    # conformances

    def fits_inside(self, value: ExternalInstance, declared: Instance) -> int | None:
        """A score for a value from outside with a type of the tree: what it is made to conform to.

        A literal may be one of a type that says so.
        """
        kind = self._evaluation.classes.kind_of(declared.path, declared.scope)
        if kind == "protocol":
            return DERIVED if self._conforms(value.name, declared) else NO
        ending = _LITERALS.get(value.name, "\0")
        order = self._evaluation.classes.ancestors(declared.path, declared.scope)
        if any(item.external.rpartition(".")[2].startswith(ending) for item in order):
            return CONVERTED
        return None

    def _conforms(self, name: str, declared: Instance) -> bool:
        own = "Array" if name == ARRAY else name.rpartition(".")[2]
        for short in (own, *protocols_of(own)):
            for file in self._evaluation.types.declaring(self.language, short):
                for scope, _ in blocks_of(file).get(short, ()):
                    for item in self._evaluation.classes.ancestors(file.path, scope)[1:]:
                        if (item.path, item.scope) == (declared.path, declared.scope):
                            return True
        return False


def _patterns(file: SourceFile) -> frozenset[int]:
    """The cases in patterns, as far as these take what they carry apart."""
    return frozenset(item.of for item in file.expressions if item.op == Op.PART)
