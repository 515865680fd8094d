"""Members of Swift that replace others: overrides, and what implements a protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.declared.definitions import DeclaredDefinitions
from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    Ancestor,
    ClassValue,
    FunctionValue,
    Values,
)
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.swift.rules.language import SwiftRules

_INIT: Final = "init"


class SwiftDefinitions(DeclaredDefinitions):
    """Overrides, and implementations of requirements."""

    _rules: SwiftRules

    def _in_bases(self, file: SourceFile, number: int, owner: ClassValue) -> list[Definition]:
        """The members that a member replaces: of bases, or what its own protocol asks for."""
        found = [*self._asked_for(file, number, owner)]
        return found + super()._in_bases(file, number, owner)

    def _asked_for(self, file: SourceFile, number: int, owner: ClassValue) -> Iterator[Definition]:
        """The requirements that an extension of a protocol implements."""
        item = file.declarations[number]
        is_protocol = self._evaluation.classes.kind_of(owner.path, owner.scope) == "protocol"
        if not is_protocol or file.declarations[item.parent].kind != "extension":
            return
        for path, declaration in self._named(Ancestor(owner.path, owner.scope), item.name):
            other = self._evaluation.file(path)
            if other is not None and self._rules.may_replace(file, number, other, declaration):
                yield Definition(path, declaration, Strategy.RECEIVER)

    def _bases(self, owner: ClassValue) -> Sequence[Ancestor]:
        """The bases without the protocols that a base class has implemented."""
        ancestors = super()._bases(owner)
        done: set[tuple[str, int]] = set()
        for item in ancestors:
            if item.external or self._evaluation.classes.kind_of(item.path, item.scope) != "class":
                continue
            for one in self._evaluation.classes.ancestors(item.path, item.scope)[1:]:
                if self._evaluation.classes.kind_of(one.path, one.scope) == "protocol":
                    done.add((one.path, one.scope))
        return [item for item in ancestors if (item.path, item.scope) not in done]

    def _alike(self, one: Values, other: Values) -> bool:
        stands_for = self._rules.stands_for
        return super()._alike(one, other) or any(stands_for(b, a) for a in one for b in other)

    def _named(self, ancestor: Ancestor, name: str) -> list[tuple[str, int]]:
        """The members of a base by their name; initialisers have none."""
        found = super()._named(ancestor, name)
        made = ClassValue(ancestor.path, ancestor.scope)
        is_made = name == _INIT and not found
        for value in self._evaluation.classes.own_constructors(made) if is_made else ():
            file = self._evaluation.file(value.path) if isinstance(value, FunctionValue) else None
            if file is not None and isinstance(value, FunctionValue):
                found.append((value.path, file.code.scopes[value.scope].declaration))
        return found
