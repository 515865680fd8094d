"""Type parameters and traits of Rust: the blocks of a type, their bounds, and traits in scope."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from code_graph.declared.extended import blocks_of
from code_graph.declared.tables import IMPLEMENTED
from code_graph.evaluate.dependencies import language_key, name_key, names_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    ExternalInstance,
    Instance,
    MemberValue,
    ModuleValue,
    Result,
    Value,
    Values,
    merge,
)
from code_graph.expressions import NONE, Binding, BindingKind, Op, Role, ScopeKind
from code_graph.languages.rust.rules import library as known
from code_graph.languages.rust.rules.containers import RustContainers
from code_graph.model import Strategy

_MOST_TRAITS: Final = 60
_BLOCK: Final = "impl"
_OF_TRAIT: Final = 2


class RustGenerics(RustContainers):
    """Rules of type parameters, and of the traits whose methods a place sees."""

    # type parameters of blocks

    def own_arguments(self, file: SourceFile, scope: int, owner: ClassValue) -> tuple[Values, ...]:
        """The type arguments of the type around a place: those that its block writes."""
        declaration = file.code.scopes[scope].declaration
        if declaration != NONE and file.declarations[declaration].kind == _BLOCK:
            number = self._evaluation.types.table(file).clause(declaration, Role.RECEIVER)
            for value in self._evaluation.types.of(file, number):
                if isinstance(value, ClassValue) and value[:2] == owner[:2] and value.arguments:
                    return value.arguments
        return super().own_arguments(file, scope, owner)

    def bounds_elsewhere(
        self, file: SourceFile, scope: int, name: str
    ) -> Sequence[tuple[SourceFile, int]]:
        """The bounds that blocks of a type, and methods in these, say of a type parameter."""
        if scope == NONE or file.kind(scope) != ScopeKind.CLASS:
            return ()
        declaration = file.code.scopes[scope].declaration
        if file.declarations[declaration].kind == _BLOCK:
            return [(file, bound) for bound in self._of_methods(file, declaration, name)]
        names = self._evaluation.types.table(file).type_parameter_names(declaration)
        at = names.index(name) if name in names else len(names)
        found: list[tuple[SourceFile, int]] = []
        for path, inner in self.parts_of(file.path, scope)[1:]:
            other = self._evaluation.file(path)
            if other is None:
                continue
            block = other.code.scopes[inner].declaration
            self._evaluation.calls.depend_on_head(other, inner)
            own = self._evaluation.types.receiver_of(other, block)[1][at : at + 1]
            for each in own:
                rows = self._evaluation.types.table(other).bounds(block).get(each, ())
                found += [(other, bound) for bound in rows]
                found += [(other, bound) for bound in self._of_methods(other, block, each)]
        return found

    def _of_methods(self, file: SourceFile, block: int, name: str) -> Sequence[int]:
        """The bounds that the methods of a block say of a parameter of the block."""
        scope = file.scope_of_declaration.get(block, NONE)
        name_of_all = name_key(file.path, file.qualified(scope), "") if scope != NONE else 0
        self._evaluation.engine.depend_on(file.path, name_of_all)
        for number in file.cached("methods of blocks", _methods).get(block, ()):
            self._evaluation.classes.depend_on_declaration(file, number)
        return file.cached("bounds of methods", _bounds_of_methods).get((block, name), ())

    # members

    def members_meant(
        self, file: SourceFile, number: int, value: Instance | ClassValue, found: Result
    ) -> Result:
        """The methods if an object's member is called, else fields; a type's before its traits'."""
        implemented = self._of_implementation(file, number, value, found)
        if implemented:
            return implemented
        is_function = self._evaluation.classes.is_function
        if isinstance(value, Instance):
            is_called = number in self._evaluation.types.table(file).called
            kept = {v: how for v, how in found.items() if is_function(v) == is_called}
            found = kept or (found if is_called else {})
        if len(found) > 1:
            ranks = {v: self._rank(v) for v in found}
            least = min(ranks.values())
            return {v: how for v, how in found.items() if ranks[v] == least}
        return found

    def _of_implementation(
        self, file: SourceFile, number: int, value: Instance | ClassValue, found: Result
    ) -> Result:
        """The method of `<A as T>::f` that A has for T, where A is a declared type."""
        outer = file.expressions[number].of
        of = file.expressions[outer] if outer != NONE else None
        if of is None or of.op != Op.CAST or not isinstance(value, Instance):
            return {}
        name = file.expressions[number].name
        made: Result = {}
        for owner in self._evaluation.evaluate(file, of.of):
            members = (
                self._evaluation.classes.members(owner, name)
                if isinstance(owner, ClassValue)
                else {}
            )
            rows = [v for v in members if isinstance(v, MemberValue) and self._implements(v, value)]
            made.update(dict.fromkeys(rows, min(found.values())))
        return made

    def _implements(self, member: MemberValue, trait: Instance) -> bool:
        """True if a member is in a block that implements a trait."""
        file = self._evaluation.file(member.path)
        holder = NONE if file is None else file.declarations[member.declaration].parent
        if file is None or holder < 0 or file.declarations[holder].kind != _BLOCK:
            return False
        number = self._evaluation.types.table(file).clause(holder, Role.IMPLEMENTS)
        values = self._evaluation.types.of(file, number) if number != NONE else {}
        return any(isinstance(v, ClassValue) and v[:2] == trait[:2] for v in values)

    def _rank(self, value: Value) -> int:
        """The order of lookup: the members of a type, those of its traits, what traits provide."""
        file = self._evaluation.file(value.path) if isinstance(value, MemberValue) else None
        if file is None or not isinstance(value, MemberValue):
            return _OF_TRAIT + 1
        holder = file.declarations[value.declaration].parent
        kind = file.declarations[holder].kind if holder >= 0 else ""
        if kind == "trait":
            return _OF_TRAIT
        is_own = kind != _BLOCK or not file.declarations[holder].bases
        return 0 if is_own else 1

    # traits in scope

    def extension(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """The method of a trait in scope that is implemented for more than declared types."""
        if isinstance(value, ModuleValue | MemberValue):
            return {}
        if isinstance(value, Instance) and self._is_of_library(value, name):
            return {}
        if isinstance(value, ExternalInstance) and known.has_method(value.name, name):
            return {}
        imported = file.cached("bindings of traits", _trait_bindings)
        scopes = file.around(file.code.scope_of[number])
        scope = next(
            inner for inner in scopes if inner in imported or file.kind(inner) == ScopeKind.MODULE
        )
        key = ("trait method", file.path, scope, name)
        return self._evaluation.engine.unit(key, lambda: self._of_traits(file, scope, name))

    def may_mean_more(self, file: SourceFile, number: int) -> bool:
        """True for a method of a trait in scope whose object's type is not known."""
        item = file.expressions[number] if number != NONE else None
        if item is None or item.op != Op.MEMBER or item.of == NONE:
            return False
        values = self._evaluation.evaluate(file, item.of)
        return bool(values) and all(
            isinstance(value, ExternalInstance) and not value.name for value in values
        )

    def _of_traits(self, file: SourceFile, scope: int, name: str) -> Result:
        found: Result = {}
        for inner in file.around(scope):
            for trait in self.traits(file, inner):
                rows = self._evaluation.classes.own_members(trait.path, trait.scope, name)
                if rows and self._is_general(trait):
                    for path, declaration in rows:
                        found[MemberValue(path, declaration)] = Strategy.GENERIC
            if file.kind(inner) == ScopeKind.MODULE:
                break
        return found

    def traits(self, file: SourceFile, scope: int) -> list[ClassValue]:
        """The traits that a scope declares or imports."""
        key = ("traits", file.path, scope)
        found = self._evaluation.engine.unit(key, lambda: self._traits(file, scope))
        return [value for value in found if isinstance(value, ClassValue)]

    def _traits(self, file: SourceFile, scope: int) -> Result:
        found: Result = {}
        self._evaluation.engine.depend_on(file.path, names_key(file.path))
        for binding in file.cached("bindings of traits", _trait_bindings).get(scope, ()):
            self._evaluation.types.depend_on(file, scope, binding.name)
            if binding.kind != BindingKind.IMPORTED:
                inner = file.scope_of_declaration.get(binding.declaration, NONE)
                merge(found, {ClassValue(file.path, inner): Strategy.SCOPE}, most=_MOST_TRAITS)
                continue
            for value in self._evaluation.imported(file, binding.value):
                merge(found, self._imported_traits(value), most=_MOST_TRAITS)
        return found

    def _imported_traits(self, value: Value) -> Result:
        if isinstance(value, ClassValue):
            is_trait = self._evaluation.classes.kind_of(value.path, value.scope) == "trait"
            return {value: Strategy.IMPORT} if is_trait else {}
        place = self.place_of_module(value) if isinstance(value, ModuleValue) else None
        # `use module::*`; a module that is imported itself brings no traits
        return dict.fromkeys(self.traits(*place), Strategy.IMPORT) if place is not None else {}

    def place_of_module(self, value: ModuleValue) -> tuple[SourceFile, int] | None:
        """The file and the scope of a module."""
        raise NotImplementedError

    def _is_general(self, trait: ClassValue) -> bool:
        """True if the file of a trait implements it for a type parameter or an external type."""
        file = self._evaluation.file(trait.path)
        if file is None:
            return False
        name = file.declarations[file.code.scopes[trait.scope].declaration].name
        key = language_key(file.language, f"{name}{IMPLEMENTED}")
        self._evaluation.engine.depend_on("", key)
        return name in file.cached("general traits", _general_traits)


def _trait_bindings(file: SourceFile) -> dict[int, list[Binding]]:
    """The imports and declared traits of each scope."""
    found: dict[int, list[Binding]] = defaultdict(list)
    for item in file.code.bindings:
        is_trait = item.declaration != NONE and file.declarations[item.declaration].kind == "trait"
        if item.kind == BindingKind.IMPORTED or is_trait:
            found[item.scope].append(item)
    return found


def _general_traits(file: SourceFile) -> frozenset[str]:
    """The names of the traits that blocks implement for what the file does not declare as types."""
    own = {item.name for item in file.declarations if item.kind in {"struct", "enum", "union"}}
    found: set[str] = set()
    for name, rows in blocks_of(file).items():
        for scope, _ in rows if name not in own else ():
            declaration = file.code.scopes[scope].declaration
            for clause in file.clauses.get(declaration, ()):
                if clause.role == Role.IMPLEMENTS and clause.value != NONE:
                    found.add(_last_name(file, clause.value))
    return frozenset(found)


def _last_name(file: SourceFile, number: int) -> str:
    item = file.expressions[number]
    while item.op == Op.APPLY and item.of != NONE:
        item = file.expressions[item.of]
    return item.name


def _methods(file: SourceFile) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for number, item in enumerate(file.declarations):
        if item.kind == "method":
            found[item.parent].append(number)
    return found


def _bounds_of_methods(file: SourceFile) -> dict[tuple[int, str], list[int]]:
    found: dict[tuple[int, str], list[int]] = defaultdict(list)
    for clause in _method_clauses(file):
        found[file.declarations[clause[0]].parent, clause[1]].append(clause[2])
    return found


def _method_clauses(file: SourceFile) -> Iterator[tuple[int, str, int]]:
    for clause in file.code.clauses:
        if clause.role == Role.TYPE_PARAMETER and NONE not in {clause.value, clause.declaration}:
            parent = file.declarations[clause.declaration].parent
            if parent >= 0 and file.declarations[parent].kind == _BLOCK:
                yield clause.declaration, clause.name, clause.value
