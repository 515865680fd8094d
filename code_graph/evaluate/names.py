"""Looks names up: through scopes, bindings that reach the place, and imports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from code_graph.evaluate.dependencies import body_key, name_key
from code_graph.evaluate.source_file import END, PARAMETERS, SourceFile, Way, holds_names
from code_graph.evaluate.values import (
    ClassValue,
    FunctionValue,
    Result,
    merge,
)
from code_graph.expressions import NONE, Binding, BindingKind, Role, ScopeKind
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.evaluate.evaluation import Evaluation

# ways in which a name gets something that has a declaration
_NAMING = frozenset({BindingKind.DECLARED, BindingKind.IMPORTED, BindingKind.ASSIGNED})
VALUED = frozenset({BindingKind.ASSIGNED, BindingKind.NARROWED})
# scopes whose names are seen from inside of them as they are at their ends
_CROSSED = frozenset({ScopeKind.FUNCTION, ScopeKind.CLASS})


class NameLookup:
    """Looks names up in the scopes of files."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation

    def look_up(self, file: SourceFile, scope: int, name: str, at: int) -> Result:
        """The meanings of a name at an expression of a scope."""
        way = self.way_at(file, scope, name, at)
        self._evaluation.engine.count(len(way.dependencies))
        self._evaluation.engine.depend_on_all(way.dependencies)
        if way.holder == NONE:
            return self._evaluation.language.undeclared(file, name)
        if way.is_crossing:
            return self._from_inside(file, way.holder, name)
        return self._reaching(file, way.holder, name, at, scope)

    def way_at(self, file: SourceFile, scope: int, name: str, at: int) -> Way:
        """The lookup path of an expression, in languages where later bindings do not count."""
        del at
        return file.ways.get((scope, name)) or self.way(file, scope, name)

    def way(self, file: SourceFile, scope: int, name: str) -> Way:
        """The scopes through which a name is looked up; the file alone determines them."""
        known = file.ways.get((scope, name))
        if known is None:
            # a branch binds nothing: names of it are looked up around it
            holder = scope
            while not holds_names(file.kind(holder)):
                holder = file.parent(holder)
            known = file.ways.get((holder, name)) or self._find_way(file, holder, name)
            file.ways[scope, name] = file.ways[holder, name] = known
        return known

    def sole_value(self, file: SourceFile, number: int) -> int:
        """The expression that a name is bound to, if it has no other binding; or NONE."""
        name = file.expressions[number].name
        holder = self.way(file, file.code.scope_of[number], name).holder
        rows = file.bindings.get((holder, name), ())
        return rows[0].value if len(rows) == 1 and rows[0].kind == BindingKind.ASSIGNED else NONE

    def _find_way(self, file: SourceFile, scope: int, name: str) -> Way:
        dependencies: list[tuple[str, int]] = []
        is_crossing = False
        for number in file.around(scope):
            kind = file.kind(number)
            if holds_names(kind) and not self._evaluation.language.skips(file, number, scope):
                dependencies.append((file.path, self._key(file, number, name)))
                if (number, name) in file.bindings:
                    is_of_class = kind == ScopeKind.CLASS and not is_crossing
                    return Way(number, is_crossing, tuple(dependencies), is_of_class)
            is_crossing = is_crossing or kind in _CROSSED
        return Way(NONE, is_crossing, tuple(dependencies))

    def _from_inside(self, file: SourceFile, scope: int, name: str) -> Result:
        """The meanings of a scope's name in the functions inside of it."""
        key = ("seen", file.path, scope, name)
        return self._evaluation.engine.unit(
            key, lambda: self._reaching(file, scope, name, END, scope)
        )

    def exported(self, file: SourceFile, name: str) -> Result:
        """The values of a module's name that other modules see."""
        self.depend_on(file, 0, name)
        if (0, name) in file.bindings:
            key = ("exported", file.path, name)
            return self._evaluation.engine.unit(key, lambda: self._reaching(file, 0, name, END, 0))
        return {}

    def in_class(self, file: SourceFile, scope: int, name: str) -> Result:
        """The bindings of a name by the body of a class."""
        if (scope, name) in file.bindings:
            return self._reaching(file, scope, name, END, scope)
        return {}

    def value_of(self, file: SourceFile, binding: Binding) -> Result:
        """The values of a binding."""
        kind = binding.kind
        if kind == BindingKind.IMPORTED:
            found: Result = {}
            merge(found, self._evaluation.language.imported(file, binding.value), Strategy.IMPORT)
            return found
        if kind in PARAMETERS:
            return self._evaluation.calls.parameter(file, binding)
        if binding.declaration != NONE and kind == BindingKind.DECLARED:
            return self.declared(file, binding.declaration)
        found = self._evaluation.evaluate(file, binding.value)
        return self._evaluation.containers.filled(file, binding, found)

    def declared(self, file: SourceFile, declaration: int) -> Result:
        """A declaration as a value."""
        scope = file.scope_of_declaration.get(declaration)
        if scope is None:
            found: Result = {}
            for clause in file.clauses.get(declaration, ()):
                if clause.role == Role.ALIAS:
                    merge(found, self._evaluation.evaluate(file, clause.value))
            return found
        if file.kind(scope) == ScopeKind.CLASS:
            return {ClassValue(file.path, scope): Strategy.SCOPE}
        return {FunctionValue(file.path, scope): Strategy.SCOPE}

    def depend_on(self, file: SourceFile, scope: int, name: str) -> None:
        """Record a dependency on a name of a scope."""
        self._evaluation.engine.depend_on(file.path, self._key(file, scope, name))

    def _key(self, file: SourceFile, scope: int, name: str) -> int:
        known = file.keys.get((scope, name))
        if known is None:
            known = file.keys[scope, name] = self._make_key(file, scope, name)
        return known

    def _make_key(self, file: SourceFile, scope: int, name: str) -> int:
        if file.kind(scope) == ScopeKind.FUNCTION:
            return body_key(file.path, file.qualified(scope))
        return name_key(file.path, file.qualified(scope), name)

    def _reaching(self, file: SourceFile, scope: int, name: str, at: int, region: int) -> Result:
        bindings = file.reaching(scope, name, at, region)
        if len(bindings) == 1 and _is_plain(bindings[0]):
            return self.bound(file, bindings[0])
        found: Result = {}
        every: list[Result] = []
        for binding in bindings if len(bindings) == 1 else settled(bindings):
            values = self.bound(file, binding)
            least = Strategy.SCOPE
            if binding.annotation != NONE and binding.kind in VALUED:
                least = Strategy.DECLARED
            if binding.kind == BindingKind.NARROWED and not file.is_inside(region, binding.region):
                least = Strategy.FLOW  # held in a branch above
            merge(found, values, least)
            if binding.kind in _NAMING and values:
                every.append(values)
        if len(every) > 1:  # alternatives: none of them is sure
            for value, how in found.items():
                if not all(value in values for values in every):
                    found[value] = max(how, Strategy.FLOW)
        return found

    def bound(self, file: SourceFile, binding: Binding) -> Result:
        """The values of a binding, which are remembered."""
        key = ("bound", file.path, binding.scope, binding.name, binding.at)
        return self._evaluation.engine.unit(key, lambda: self.value_of(file, binding))


def _is_plain(binding: Binding) -> bool:
    """True if the values of a binding are as sure as they are without it."""
    kind = binding.kind
    return kind != BindingKind.NARROWED and (kind not in VALUED or binding.annotation == NONE)


def settled(bindings: Sequence[Binding]) -> Sequence[Binding]:
    """Bindings without those that replace a class or function under a condition."""
    declared = [
        row for row in bindings if row.kind == BindingKind.DECLARED and row.region == row.scope
    ]
    if not declared or len(bindings) == 1:
        return bindings
    return [row for row in bindings if row.kind != BindingKind.ASSIGNED or row.region == row.scope]
