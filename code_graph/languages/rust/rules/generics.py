"""Type parameters and traits of Rust: the blocks of a type, their bounds, and traits in scope."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from code_graph.declared.extended import blocks_of
from code_graph.declared.tables import IMPLEMENTED
from code_graph.evaluate.dependencies import language_key, names_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    Instance,
    MemberValue,
    ModuleValue,
    Result,
    Value,
    Values,
    merge,
)
from code_graph.expressions import NONE, Binding, BindingKind, Op, Role
from code_graph.languages.rust.rules.containers import RustContainers
from code_graph.model import Strategy

_MOST_TRAITS: Final = 60
BLOCK: Final = "impl"
_OF_TRAIT: Final = 2


class RustGenerics(RustContainers):
    """Rules of type parameters, and of the traits whose methods a place sees."""

    # type parameters of blocks

    def own_arguments(self, file: SourceFile, scope: int, owner: ClassValue) -> tuple[Values, ...]:
        """The type arguments of the type around a place: those that its block writes."""
        declaration = file.code.scopes[scope].declaration
        if declaration != NONE and file.declarations[declaration].kind == BLOCK:
            number = self._evaluation.types.table(file).clause(declaration, Role.RECEIVER)
            for value in self._evaluation.types.of(file, number):
                if isinstance(value, ClassValue) and value[:2] == owner[:2] and value.arguments:
                    return value.arguments
        return super().own_arguments(file, scope, owner)

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
        if file is None or holder < 0 or file.declarations[holder].kind != BLOCK:
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
        is_own = kind != BLOCK or not file.declarations[holder].bases
        return 0 if is_own else 1

    # traits in scope

    def traits(self, file: SourceFile, scope: int) -> list[ClassValue]:
        """The traits that a scope declares or imports."""
        key = ("traits", file.path, scope)
        found = self._evaluation.engine.unit(key, lambda: self._traits(file, scope))
        return [value for value in found if isinstance(value, ClassValue)]

    def _traits(self, file: SourceFile, scope: int) -> Result:
        found: Result = {}
        self._evaluation.engine.depend_on(file.path, names_key(file.path))
        for binding in file.cached("bindings of traits", trait_bindings).get(scope, ()):
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

    def is_general(self, trait: ClassValue) -> bool:
        """True if the file of a trait implements it for a type parameter or an external type."""
        file = self._evaluation.file(trait.path)
        if file is None:
            return False
        name = file.declarations[file.code.scopes[trait.scope].declaration].name
        key = language_key(file.language, f"{name}{IMPLEMENTED}")
        self._evaluation.engine.depend_on("", key)
        return name in file.cached("general traits", _general_traits)


def trait_bindings(file: SourceFile) -> dict[int, list[Binding]]:
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
