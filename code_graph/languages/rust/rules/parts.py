"""The parts of the evaluation that differ in Rust: aliases, bounds of blocks, traits in scope."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from code_graph.declared.definitions import DeclaredDefinitions
from code_graph.declared.evaluation import DeclaredEvaluation
from code_graph.declared.names import DeclaredNames
from code_graph.declared.types import Types
from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.dependencies import name_key
from code_graph.evaluate.source_file import SourceFile, grouped
from code_graph.evaluate.substitution import substituted
from code_graph.evaluate.values import (
    External,
    ExternalInstance,
    Instance,
    MemberValue,
    ModuleValue,
    Result,
    Value,
    merge,
    plain,
)
from code_graph.expressions import NONE, Expression, Op, Role, ScopeKind
from code_graph.languages.rust.rules import library as known
from code_graph.languages.rust.rules.generics import BLOCK, trait_bindings
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.rust.rules.language import RustRules


class RustEvaluation(DeclaredEvaluation):
    """Evaluates expressions, of which some have members by their place alone."""

    def may_mean_more(self, file: SourceFile, number: int, *, is_outside: bool) -> bool:
        """True for a method of a trait in scope whose object's type is not known."""
        called = file.expressions[number].of
        item = file.expressions[called] if called != NONE and not is_outside else None
        if item is None or item.op != Op.MEMBER or item.of == NONE:
            return False
        values = self.evaluate(file, item.of)
        return bool(values) and all(
            isinstance(value, ExternalInstance) and not value.name for value in values
        )


class RustTypes(Types):
    """Types, with aliases that have type parameters."""

    _rules: RustRules

    def _apply(self, file: SourceFile, item: Expression) -> Result:
        """The type that an alias stands for, with arguments for the alias's own parameters."""
        given = tuple(plain(self.instances(file, part.value)) for part in item.items)
        made: Result = {}
        found = self.of(file, item.of)
        for value in self._rules.written(file, item.of, found) if item.of != NONE else ():
            other = self._evaluation.file(value.path) if isinstance(value, MemberValue) else None
            if other is None or not isinstance(value, MemberValue):
                continue
            names = self.table(other).type_parameter_names(value.declaration)
            keys = [f"{value.path}\0{value.declaration}\0{name}" for name in names]
            aliased = self.alias(other, value.declaration)
            merge(made, substituted(aliased, dict(zip(keys, given, strict=False))))
        return made or super()._apply(file, item)

    def _bounds(
        self, file: SourceFile, declaration: int, name: str
    ) -> list[tuple[SourceFile, int]]:
        """The bounds that a type, its blocks and methods in these say of a type parameter."""
        found = super()._bounds(file, declaration, name)
        scope = file.scope_of_declaration.get(declaration, NONE)
        if scope == NONE or file.kind(scope) != ScopeKind.CLASS:
            return found
        if file.declarations[declaration].kind == BLOCK:
            return found + [(file, bound) for bound in self._of_methods(file, declaration, name)]
        names = self.table(file).type_parameter_names(declaration)
        at = names.index(name) if name in names else len(names)
        for path, inner in self._rules.parts_of(file.path, scope)[1:]:
            other = self._evaluation.file(path)
            if other is None:
                continue
            block = other.code.scopes[inner].declaration
            self._evaluation.calls.depend_on_head(other, inner)
            own = self.receiver_of(other, block)[1][at : at + 1]
            for each in own:
                rows = self.table(other).bounds(block).get(each, ())
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


class RustNames(DeclaredNames):
    """Members, which objects have of traits in scope too."""

    _rules: RustRules

    def _of_values(self, file: SourceFile, number: int) -> Result:
        """The members of all values of an object; without any, those of traits in scope."""
        found = super()._of_values(file, number)
        if all(isinstance(value, External) for value in found):
            item = file.expressions[number]
            for value in self._evaluation.evaluate(file, item.of):
                merge(found, self._extension(file, number, value, item.name))
        return found

    def _extension(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """The method of a trait in scope that is implemented for more than declared types."""
        if isinstance(value, ModuleValue | MemberValue):
            return {}
        if isinstance(value, Instance) and self._rules.is_of_library(value, name):
            return {}
        if isinstance(value, ExternalInstance) and known.has_method(value.name, name):
            return {}
        imported = file.cached("bindings of traits", trait_bindings)
        scopes = file.around(file.code.scope_of[number])
        scope = next(
            inner for inner in scopes if inner in imported or file.kind(inner) == ScopeKind.MODULE
        )
        key = ("trait method", file.path, scope, name)
        return self._evaluation.engine.unit(key, lambda: self._of_traits(file, scope, name))

    def _of_traits(self, file: SourceFile, scope: int, name: str) -> Result:
        found: Result = {}
        for inner in file.around(scope):
            for trait in self._rules.traits(file, inner):
                rows = self._evaluation.classes.own_members(trait.path, trait.scope, name)
                if rows and self._rules.is_general(trait):
                    for path, declaration in rows:
                        found[MemberValue(path, declaration)] = Strategy.GENERIC
            if file.kind(inner) == ScopeKind.MODULE:
                break
        return found


class RustDefinitions(DeclaredDefinitions):
    """Definitions, and members of traits that a method of a block implements."""

    def replaced(self, file: SourceFile, number: int) -> list[Definition]:
        """The members that a member implements: none in a block without a trait."""
        is_own = self._block(file, number) != NONE and self._written_owner(file, number) == NONE
        return [] if is_own else super().replaced(file, number)

    def _written_owner(self, file: SourceFile, number: int) -> int:
        """The expression of the trait whose block a method is in."""
        holder = self._block(file, number)
        if holder == NONE:
            return super()._written_owner(file, number)
        return self._evaluation.types.table(file).clause(holder, Role.IMPLEMENTS)

    def _block(self, file: SourceFile, number: int) -> int:
        """The block that a member is in, if any."""
        holder = file.declarations[number].parent
        return holder if holder >= 0 and file.declarations[holder].kind == BLOCK else NONE


def _methods(file: SourceFile) -> dict[int, list[int]]:
    numbered = enumerate(file.declarations)
    return grouped((item.parent, number) for number, item in numbered if item.kind == "method")


def _bounds_of_methods(file: SourceFile) -> dict[tuple[int, str], list[int]]:
    return grouped(
        ((file.declarations[declaration].parent, name), value)
        for declaration, name, value in _method_clauses(file)
    )


def _method_clauses(file: SourceFile) -> Iterator[tuple[int, str, int]]:
    for clause in file.code.clauses:
        if clause.role == Role.TYPE_PARAMETER and NONE not in {clause.value, clause.declaration}:
            parent = file.declarations[clause.declaration].parent
            if parent >= 0 and file.declarations[parent].kind == BLOCK:
                yield clause.declaration, clause.name, clause.value
