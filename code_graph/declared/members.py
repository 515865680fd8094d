"""Members of types: the parts of a type, its bases with their type arguments, and lookups."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Final

from code_graph.declared.part import EvaluationPart
from code_graph.declared.tables import TypeRow
from code_graph.evaluate.dependencies import name_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.substitution import mentions_parameter, substitute, substitute_all
from code_graph.evaluate.values import (
    MOST_MEMBERS,
    Ancestor,
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    MemberValue,
    Result,
    Value,
    Values,
    merge,
    plain,
)
from code_graph.expressions import NONE, Role, ScopeKind
from code_graph.facts import INTERFACES
from code_graph.model import Strategy

_MOST_CLASSES: Final = 100
# parts of one type in as many files
_MOST_PARTS: Final = 300
_BASES: Final = (Role.BASE, Role.IMPLEMENTS)
FUNCTIONS: Final = frozenset(
    {"method", "function", "prototype", "constructor", "operator", "destructor"}
)


class DeclaredClasses(EvaluationPart):
    """Looks members up in types and their bases."""

    # parts of a type

    def canonical(self, value: ClassValue) -> ClassValue:
        """The first part of a type, which stands for the whole type."""
        whole = self._rules.whole_of(value.path, value.scope)
        if whole is not None:
            return ClassValue(*whole, value.arguments)
        for path, scope in self.parts(value.path, value.scope)[:1]:
            return ClassValue(path, scope, value.arguments)
        return value

    def parts(self, path: str, scope: int) -> Sequence[tuple[str, int]]:
        """All parts of a type, in the order of their paths; most types have one."""
        key = ("parts", path, scope)
        own = self._rules.parts_of(path, scope)
        if own:
            return own
        return self._evaluation.engine.unit(key, lambda: self._parts(path, scope), ())

    def _parts(self, path: str, scope: int) -> tuple[tuple[str, int], ...]:
        own = ((path, scope),)
        file = self._evaluation.file(path)
        if file is None:
            return own
        declaration = file.code.scopes[scope].declaration
        if declaration == NONE:
            return own
        self._evaluation.depend_on_class(file, scope)
        row = self._row(file, declaration)
        if row is None or file.declarations[declaration].scope_kind == "function":
            return own
        is_partial = "partial" in file.declarations[declaration].modifiers
        chain = file.qualified(scope)
        files = [file]
        if is_partial:
            # the type around has the same parts, so its name finds them all
            outermost = self._outermost(file, declaration)
            files = list(self._evaluation.types.declaring(file.language, outermost))
        rows: list[tuple[str, int]] = []
        for other in files:
            if is_partial:
                self._ask_name(other, scope, file, row.name)
            for each in self._evaluation.types.table(other).types.get(row.name, ()):
                inner = other.scope_of_declaration.get(each.declaration, NONE)
                if (
                    inner != NONE
                    and other.kind(inner) == file.kind(scope)
                    and (each.arity, other.qualified(inner)) == (row.arity, chain)
                ):
                    rows.append((other.path, inner))
        return tuple(sorted(rows)[:_MOST_PARTS]) or own

    def _ask_name(self, other: SourceFile, scope: int, file: SourceFile, name: str) -> None:
        around = file.qualified(file.function_around(file.parent(scope)))
        self._evaluation.engine.depend_on(other.path, name_key(other.path, around, name))

    def _row(self, file: SourceFile, declaration: int) -> TypeRow | None:
        name = file.declarations[declaration].name
        rows = self._evaluation.types.table(file).types.get(name, ())
        return next((row for row in rows if row.declaration == declaration), None)

    def _outermost(self, file: SourceFile, declaration: int) -> str:
        rows = self._evaluation.types.table(file)
        name = file.declarations[declaration].name
        for _ in range(_MOST_CLASSES):
            row = next(
                (item for item in rows.types.get(name, ()) if item.declaration == declaration), None
            )
            if row is None or row.holder < 0:
                break
            declaration = row.holder
            name = file.declarations[declaration].name
        return name

    # bases

    def ancestors(self, path: str, scope: int) -> Sequence[Ancestor]:
        """A type and its bases, classes before interfaces, each once; external ones by name."""
        key = ("ancestors", path, scope)
        order = self._evaluation.engine.unit(key, lambda: self._ancestors(path, scope), ())
        self._evaluation.engine.count(len(order))
        return order

    def _ancestors(self, path: str, scope: int) -> tuple[Ancestor, ...]:
        own = ClassValue(path, scope)
        parameters = tuple((item,) for item in self._evaluation.types.parameters_of(own))
        order = [Ancestor(path, scope, parameters)]
        seen: set[object] = {(path, scope)}
        for base in sorted(self.bases(path, scope), key=self._rank):
            for ancestor in self._line(base):
                name = identity_of(ancestor)
                if name not in seen and len(seen) < _MOST_CLASSES:
                    seen.add(name)
                    order.append(ancestor)
        return tuple(order)

    def _line(self, base: Value) -> Iterator[Ancestor]:
        """A base with its own bases, in terms of the type arguments given to it."""
        if isinstance(base, External):
            yield Ancestor("", NONE, base.arguments, base.name)
        if not isinstance(base, ClassValue):
            return
        given = self.given(base)
        for item in self.ancestors(base.path, base.scope) or [Ancestor(base.path, base.scope)]:
            value: Value = ClassValue(item.path, item.scope, item.arguments)
            if item.external:
                value = External(item.external, item.arguments)
            for row in substitute(value, given):
                if isinstance(row, ClassValue):
                    yield Ancestor(row.path, row.scope, row.arguments)
                elif isinstance(row, External):
                    yield Ancestor("", NONE, row.arguments, row.name)

    def given(self, value: ClassValue | Instance) -> dict[str, Values]:
        """Bindings of a class's type parameters in one of its uses."""
        names = self._evaluation.types.parameters_of(ClassValue(value.path, value.scope))
        rows = zip(names, value.arguments, strict=False)
        return {item.name: values for item, values in rows if values}

    def given_at(self, receiver: Value | None, path: str, scope: int) -> dict[str, Values]:
        """Bindings of a base's type parameters, as seen by an object of a derived class."""
        if not isinstance(receiver, Instance | ClassValue):
            return {}
        inner = self.given(receiver)
        if (receiver.path, receiver.scope) == (path, scope):
            return inner
        for item in self.ancestors(receiver.path, receiver.scope):
            if (item.path, item.scope) == (path, scope):
                names = self._evaluation.types.parameters_of(ClassValue(path, scope))
                return {
                    name.name: substitute_all(values, inner)
                    for name, values in zip(names, item.arguments, strict=False)
                    if values
                }
        return {}

    def bases(self, path: str, scope: int) -> Result:
        """The direct bases of a type, from each of its declarations."""
        found: Result = {}
        for part, inner in self.parts(path, scope):
            file = self._evaluation.file(part)
            if file is None:
                continue
            declaration = file.code.scopes[inner].declaration
            self._evaluation.depend_on_class(file, inner)
            for clause in file.clauses.get(declaration, ()):
                if clause.role in _BASES and clause.value != NONE:
                    merge(found, self._evaluation.types.of(file, clause.value))
        return {
            value: how
            for value, how in found.items()
            if not (isinstance(value, ClassValue) and (value.path, value.scope) == (path, scope))
        }

    def _rank(self, value: Value) -> int:
        """Order of lookup: mixins before the base class, interfaces last."""
        if isinstance(value, ClassValue) and self._is_mixin(value.path, value.scope):
            return 0
        return 1 + self._is_interface(value)

    def _is_mixin(self, path: str, scope: int) -> bool:
        mixins = self._rules.mixins
        return bool(mixins) and bool(path) and self.kind_of(path, scope) in mixins

    def _is_interface(self, value: Value) -> bool:
        if isinstance(value, ClassValue):
            return self.kind_of(value.path, value.scope) in INTERFACES
        return isinstance(value, External) and self._rules.is_interface(value.name)

    def kind_of(self, path: str, scope: int) -> str:
        """The kind of a declared type."""
        file = self._evaluation.file(path)
        if file is None or file.code.scopes[scope].declaration == NONE:
            return ""
        return file.declarations[file.code.scopes[scope].declaration].kind

    # members

    def parts_with(self, path: str, scope: int, name: str) -> Sequence[tuple[str, int]]:
        """The parts of a type that may declare a name; constructors for an empty one."""
        del name
        return self.parts(path, scope)

    def own_members(self, path: str, scope: int, name: str) -> list[tuple[str, int]]:
        """The declarations of a name in a type itself, in all of its parts."""
        found = self._written_members(path, scope, name)
        return found or self._evaluation.rules_at(path).members_elsewhere(path, scope, name)

    def _written_members(self, path: str, scope: int, name: str) -> list[tuple[str, int]]:
        """The declarations of a name in the parts of a type."""
        found: list[tuple[str, int]] = []
        for part, inner in self.parts_with(path, scope, name):
            file = self._evaluation.file(part)
            if file is not None:
                self._evaluation.engine.depend_on(part, name_key(part, file.qualified(inner), name))
                declaration = file.code.scopes[inner].declaration
                if declaration != NONE:
                    rows = self._evaluation.types.table(file).members.get((declaration, name), ())
                    kinds = file.declarations
                    found += [(part, n) for n in rows if kinds[n].kind != "constructor"]
                else:  # a type without a name
                    bound = file.bindings.get((inner, name), ())
                    found += [(part, row.declaration) for row in bound if row.declaration != NONE]
        return found

    def members(self, receiver: Instance | ClassValue, name: str, skip: int = 0) -> Result:
        """The members of a name: of the type, then of its bases."""
        key = ("members", receiver, name, skip)
        return self._evaluation.engine.unit(key, lambda: self._members(receiver, name, skip))

    def _members(self, receiver: Instance | ClassValue, name: str, skip: int) -> Result:
        found: Result = {}
        external = ""
        own = skip > 0
        hides = self._rules.hides_private
        for number, item in enumerate(self.ancestors(receiver.path, receiver.scope)):
            own = own and (number < skip or self._is_mixin(item.path, item.scope))
            if own:
                continue
            if item.external:
                external = external or item.external
                continue
            has_variable = bool(found) and any(not self.is_function(value) for value in found)
            if has_variable and not self._rules.separates_methods:
                break
            for path, declaration in self.own_members(item.path, item.scope, name):
                member = MemberValue(path, declaration, receiver)
                is_hidden = hides and number > skip and self._is_private(path, declaration)
                is_hidden = is_hidden or (has_variable and not self.is_function(member))
                if len(found) < MOST_MEMBERS and not is_hidden:
                    found[member] = Strategy.SCOPE
        return found or self._rules.inherited(receiver, name, external)

    def _is_private(self, path: str, declaration: int) -> bool:
        file = self._evaluation.file(path)
        return file is not None and file.declarations[declaration].access == "private"

    def is_function(self, value: Value) -> bool:
        """True if a value is a declared function or method."""
        if not isinstance(value, MemberValue):
            return False
        file = self._evaluation.file(value.path)
        return file is not None and file.declarations[value.declaration].kind in FUNCTIONS

    def constructors(self, value: ClassValue) -> Result:
        """The declared or inherited constructors of a class."""
        return self.own_constructors(value)

    def own_constructors(self, value: ClassValue) -> Result:
        """The constructors that a class declares."""
        found: Result = {}
        receiver = Instance(value.path, value.scope, value.arguments)
        for path, scope in self.parts_with(value.path, value.scope, ""):
            file = self._evaluation.file(path)
            if file is None:
                continue
            declaration = file.code.scopes[scope].declaration
            if declaration == NONE:
                continue
            name = file.declarations[declaration].name
            self._evaluation.engine.depend_on(path, name_key(path, file.qualified(scope), name))
            for number in self._evaluation.types.table(file).of_kind.get(
                (declaration, "constructor"), ()
            ):
                inner = file.scope_of_declaration.get(number)
                if inner is not None and "static" not in file.declarations[number].modifiers:
                    made = FunctionValue(path, inner, receiver)
                    merge(found, {made: Strategy.DECLARED}, Strategy.SCOPE, MOST_MEMBERS)
        return found

    def at_receiver(
        self, receiver: Value | None, file: SourceFile, declaration: int, found: Result
    ) -> Result:
        """Types of a member, by the type arguments that an object gives to the member's class."""
        if not any(map(mentions_parameter, found)):
            return found
        owner = self.owner_of(file, declaration)
        if owner is None:
            return found
        given = self.given_at(receiver, owner.path, owner.scope)
        return self._evaluation.substituted(found, given)

    def external_bases(self, value: Instance | ClassValue) -> set[str]:
        """The last names of the bases that a type has outside of the tree."""
        order = self.ancestors(value.path, value.scope)
        return {item.external.rpartition(".")[2] for item in order if item.external}

    def owner_of(self, file: SourceFile, declaration: int) -> ClassValue | None:
        """The type that a member is declared in."""
        holder = file.declarations[declaration].parent
        scope = file.scope_of_declaration.get(holder, NONE) if holder >= 0 else NONE
        if scope == NONE or file.kind(scope) != ScopeKind.CLASS:
            return self._rules.owner_elsewhere(file, declaration)
        return self.canonical(ClassValue(file.path, scope))

    def is_subclass(self, value: Instance | ClassValue, other: Instance | ClassValue) -> bool:
        """True if the class of an object is the class of another, or derives from it."""
        return any(
            (item.path, item.scope) == (other.path, other.scope)
            for item in self.ancestors(value.path, value.scope)
        )

    def value_of(self, member: MemberValue) -> Result:
        """The values that reading a member gives: a function, an object of its type, a class."""
        key = ("member value", member)
        return self._evaluation.engine.unit(key, lambda: self._value_of(member))

    def _value_of(self, member: MemberValue) -> Result:
        file = self._evaluation.file(member.path)
        if file is None:
            return {}
        item = file.declarations[member.declaration]
        scope = file.scope_of_declaration.get(member.declaration, NONE)
        if scope != NONE and file.kind(scope) == ScopeKind.CLASS and item.kind != "enumerator":
            return self._evaluation.types.value_of(file, member.declaration)
        if (
            item.kind in {"type", "typedef"}
            and scope != NONE
            and file.kind(scope) == ScopeKind.BLOCK
        ):
            aliased = self._rules.alias_target(file, member.declaration)
            return aliased or self._evaluation.types.value_of(file, member.declaration)
        if item.kind in FUNCTIONS and scope == NONE:
            return {}  # its text could not be read
        if item.kind in FUNCTIONS or (item.kind == "delegate" and scope != NONE):
            return {FunctionValue(file.path, scope, member.receiver): Strategy.SCOPE}
        return self._variable(file, member)

    def _variable(self, file: SourceFile, member: MemberValue) -> Result:
        declaration = member.declaration
        self.depend_on_declaration(file, declaration)
        if file.declarations[declaration].kind == "enumerator":
            owner = self.owner_of(file, declaration)
            if owner is not None:
                return {Instance(owner.path, owner.scope): Strategy.DECLARED}
        number = self._evaluation.types.table(file).clause(declaration, Role.TYPE)
        if number != NONE:
            found = self._evaluation.types.instances(file, number)
            return self.at_receiver(member.receiver, file, declaration, found)
        found = {}
        for binding in file.code.bindings:
            if binding.declaration == declaration and binding.value != NONE:
                merge(found, self._evaluation.evaluate(file, binding.value))
        if not found:
            for type_, how in self._rules.written_type(file, declaration).items():
                if isinstance(type_, External):
                    found[ExternalInstance(type_.name)] = how
        return found

    def depend_on_declaration(self, file: SourceFile, declaration: int) -> None:
        """Record a dependency on a declaration."""
        holder = file.declarations[declaration].parent
        scope = file.scope_of_declaration.get(holder, 0) if holder >= 0 else 0
        name = file.declarations[declaration].name
        self._evaluation.engine.depend_on(
            file.path, name_key(file.path, file.qualified(scope), name)
        )

    def signature(self, value: FunctionValue) -> tuple[Values, ...] | None:
        """The types of a function's parameters, for its receiver."""
        if self._evaluation.file(value.path) is None:
            return None
        return tuple(
            plain(self._evaluation.calls.parameter_type(value, row))
            for row in self._evaluation.parameters_of(value)
        )


def identity_of(ancestor: Ancestor) -> Hashable:
    """The key of a base in a lookup order: an external one has its arguments, too."""
    return ancestor if ancestor.external else (ancestor.path, ancestor.scope)
