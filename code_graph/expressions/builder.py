"""Builds symbolic code while a syntax tree is walked, for every language.

A walker enters and leaves scopes; each expression belongs to the scope that is open when it is
added.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from code_graph.expressions.model import (
    NONE,
    Argument,
    Binding,
    BindingKind,
    Clause,
    Code,
    Export,
    Expression,
    MemberStore,
    Op,
    Result,
    Role,
    Scope,
    ScopeKind,
)

_new: Final = tuple.__new__
# scopes that hold no names
_FLOW = frozenset({ScopeKind.BRANCH, ScopeKind.LOOP})


class CodeBuilder:
    """Collects the symbolic code of one file."""

    def __init__(self) -> None:
        self._scopes = [Scope(ScopeKind.MODULE, NONE)]
        self._expressions: list[Expression] = []
        self._scope_of: list[int] = []
        self._bindings: list[Binding] = []
        self._stores: list[MemberStore] = []
        self._results: list[Result] = []
        self._clauses: list[Clause] = []
        self._exports: list[Export] = []
        # bindings of names that are declared in a scope around, which `finish` finds
        self._assigned: list[int] = []
        # names that are looked up from another scope around, as `::f`
        self._elsewhere: list[tuple[int, int]] = []
        # the last scope in which a name was bound
        self._bound_in = 0
        self.scope = 0

    @contextmanager
    def inside(self, kind: ScopeKind, declaration: int = NONE) -> Iterator[int]:
        """Open a scope in the current one; gives its number."""
        outer = self.enter(kind, declaration)
        try:
            yield self.scope
        finally:
            self.scope = outer

    def enter(self, kind: ScopeKind, declaration: int = NONE) -> int:
        """Open a scope in the current one; gives the current one, to be set as `scope` again."""
        outer, self.scope = self.scope, len(self._scopes)
        self._scopes.append(_new(Scope, (kind, outer, declaration)))
        return outer

    def leave(self, outer: int) -> None:
        """Leave a branch, loop or block; if it binds nothing, it joins its outer scope."""
        scope, self.scope = self.scope, outer
        if scope != len(self._scopes) - 1 or scope == outer or self._bound_in >= scope:
            return
        self._scopes.pop()
        at = len(self._scope_of)
        while at and self._scope_of[at - 1] == scope:
            at -= 1
            self._scope_of[at] = outer
        at = len(self._results)
        while at and self._results[at - 1].scope == scope:
            at -= 1
            self._results[at] = self._results[at]._replace(scope=outer)

    def binding_scope(self, *kinds: ScopeKind) -> int:
        """The innermost scope of one of these kinds; by default, the innermost that holds names."""
        number = self.scope
        while number:
            kind = self._scopes[number].kind
            if kind in kinds or (not kinds and kind not in _FLOW):
                break
            number = self._scopes[number].parent
        return number

    def is_inside(self, scope: int) -> bool:
        """True if the current scope is this one or in it."""
        number = self.scope
        while number > scope:
            number = self._scopes[number].parent
        return number == scope

    def function_around(self, scope: int) -> int:
        """The scope of the function that encloses a function's scope; itself if there is none."""
        number = self._scopes[scope].parent
        while number > 0 and self._scopes[number].kind != ScopeKind.FUNCTION:
            number = self._scopes[number].parent
        return number if number > 0 else scope

    def add(
        self,
        op: Op,
        of: int = NONE,
        name: str = "",
        items: Sequence[Argument] = (),
        line: int = 0,
        column: int = 0,
    ) -> int:
        """Add an expression in the current scope; returns its number."""
        # half the time of Expression(...), and expressions are the most frequent facts
        rows = self._expressions
        rows.append(_new(Expression, (op, of, name, tuple(items), line, column)))
        self._scope_of.append(self.scope)
        return len(rows) - 1

    def expression(self, number: int) -> Expression:
        """The expression with this number."""
        return self._expressions[number]

    @property
    def size(self) -> int:
        """The number of expressions."""
        return len(self._expressions)

    def bind(
        self,
        name: str,
        kind: BindingKind = BindingKind.ASSIGNED,
        value: int = NONE,
        *,
        annotation: int = NONE,
        line: int = 0,
        column: int = 0,
        declaration: int = NONE,
        scope: int | None = None,
    ) -> None:
        """Bind a name, by default in the innermost scope that holds names."""
        place = self.binding_scope() if scope is None else scope
        region = self.scope
        self._bound_in = max(self._bound_in, region)
        at = len(self._expressions)
        row = place, region, name, kind, at, value, annotation, line, column, declaration
        self._bindings.append(_new(Binding, row))

    def assign(
        self,
        name: str,
        value: int = NONE,
        kind: BindingKind = BindingKind.ASSIGNED,
        *,
        line: int = 0,
        column: int = 0,
        declaration: int = NONE,
    ) -> None:
        """Bind a name of the innermost scope around that declares it, else of the module.

        The scope is found at the end, since a name may be declared after its use. That of a path as
        `a.b` is the scope of its first name.
        """
        self._assigned.append(len(self._bindings))
        self.bind(
            name,
            kind,
            value,
            line=line,
            column=column,
            declaration=declaration,
            scope=self.scope,
        )

    def store(
        self, target: int, value: int, annotation: int = NONE, declaration: int = NONE
    ) -> None:
        """Store a value in a member or an element."""
        self._stores.append(MemberStore(target, value, annotation, declaration))

    def result(self, kind: int, value: int) -> None:
        """Add a result of the function around the current scope."""
        self._results.append(Result(self.scope, kind, value))

    def clause(self, declaration: int, role: Role, value: int, name: str = "") -> None:
        """Add what the head of a declaration says; without one, a function's BODY or a name."""
        if declaration != NONE or role in {Role.BODY, Role.NAMED}:
            self._clauses.append(Clause(declaration, role, value, name))

    def export(self, name: str, local: str = "", module: str = "", value: int = NONE) -> None:
        """Add an exported name."""
        self._exports.append(Export(name, local, module, value))

    def finish(self) -> Code:
        """The code so far."""
        self._place_assigned()
        for number, scope in self._elsewhere:
            self._scope_of[number] = scope
        return Code(
            tuple(self._scopes),
            tuple(self._expressions),
            tuple(self._scope_of),
            tuple(self._bindings),
            tuple(self._stores),
            tuple(self._results),
            tuple(self._clauses),
            tuple(self._exports),
        )

    def look_up_from(self, number: int, scope: int) -> None:
        """Have a name looked up from a scope around; scopes may still be left until `finish`."""
        self._elsewhere.append((number, scope))

    def _place_assigned(self) -> None:
        """Move assigned names to the scopes that declare them."""
        assigned = set(self._assigned)
        declared = {
            (item.scope, item.name)
            for number, item in enumerate(self._bindings)
            if number not in assigned
        }
        for number in self._assigned:
            binding = self._bindings[number]
            first = binding.name.partition(".")[0]
            place = self._declaring(binding.scope, first, declared)
            self._bindings[number] = binding._replace(scope=place)
        self._assigned.clear()

    def _declaring(self, number: int, name: str, declared: set[tuple[int, str]]) -> int:
        """The innermost scope from this one on that declares a name, else the module."""
        while number:
            scope = self._scopes[number]
            # the names of a class are its members
            if scope.kind != ScopeKind.CLASS and (number, name) in declared:
                break
            number = scope.parent
        return number
