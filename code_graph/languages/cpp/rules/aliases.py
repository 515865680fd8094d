"""Finds the aliases that names of C++ are, which types are found through."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import ClassValue, MemberValue, Result
from code_graph.expressions import NONE, Op, ScopeKind
from code_graph.languages.cpp.rules.namespaces import Namespaces
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation

ALIASES: Final = frozenset({"type", "typedef"})

Owner = Callable[[SourceFile, int], ClassValue | None]


class Aliases:
    """Aliases in blocks, classes and namespaces."""

    def __init__(
        self, evaluation: DeclaredEvaluation, namespaces: Namespaces, owner: Owner
    ) -> None:
        """`owner` finds the class of a method that is defined outside of it."""
        self._evaluation = evaluation
        self._namespaces = namespaces
        self._owner = owner

    def of(self, file: SourceFile, number: int) -> Result:
        """The alias that a NAME or MEMBER is; nothing for other types."""
        item = file.expressions[number]
        scope = file.code.scope_of[number]
        if item.op == Op.NAME:
            return self._named(file, scope, item.name)
        if item.of == NONE:
            return {}
        found: Result = {}
        for value in self._evaluation.types.of(file, item.of):
            if isinstance(value, ClassValue):
                found = found or self._in_class(value, item.name)
        whole = "" if found else self._evaluation.types.dotted(file, item)
        return self._only(self._namespaces.qualified_types(file, scope, whole)) if whole else found

    def _named(self, file: SourceFile, scope: int, name: str) -> Result:
        for number in file.around(scope):
            if file.kind(number) == ScopeKind.MODULE:
                found = self._only(self._namespaces.types(file, scope, name))
                return found or self._only(self._namespaces.near_types(file, name))
            rows = file.bindings.get((number, name), ())
            found = self._only(
                {
                    MemberValue(file.path, row.declaration): Strategy.SCOPE
                    for row in rows
                    if row.declaration != NONE
                }
            )
            owner = self._class_of(file, number)
            found = found or ({} if owner is None else self._in_class(owner, name))
            if rows or found:
                return found
        return {}

    def _class_of(self, file: SourceFile, scope: int) -> ClassValue | None:
        """The class that a scope is, or that its method belongs to."""
        declaration = file.code.scopes[scope].declaration
        if declaration == NONE:
            return None
        if file.kind(scope) == ScopeKind.CLASS:
            return ClassValue(file.path, scope)
        return self._owner(file, declaration) if file.kind(scope) == ScopeKind.FUNCTION else None

    def _in_class(self, owner: ClassValue, name: str) -> Result:
        for item in self._evaluation.classes.ancestors(owner.path, owner.scope):
            if not item.external:
                rows = self._evaluation.classes.own_members(item.path, item.scope, name)
                if rows:
                    return self._only({MemberValue(*row): Strategy.SCOPE for row in rows})
        return {}

    def _only(self, found: Result) -> Result:
        """The declarations that are aliases."""
        return {value: how for value, how in found.items() if self._is_alias(value)}

    def _is_alias(self, value: object) -> bool:
        if not isinstance(value, MemberValue):
            return False
        file = self._evaluation.file(value.path)
        return file is not None and file.declarations[value.declaration].kind in ALIASES
