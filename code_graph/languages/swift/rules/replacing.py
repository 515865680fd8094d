"""Members of Swift that replace others: overrides, and what implements a protocol."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from code_graph.declared.definitions import bare
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    Ancestor,
    ClassValue,
    FunctionValue,
    Instance,
    TypeParameter,
    Value,
)
from code_graph.facts import Declaration
from code_graph.languages.swift.rules.constraints import STATIC
from code_graph.languages.swift.rules.labels import labels_of, says_async
from code_graph.languages.swift.rules.making import SwiftMaking

_INIT: Final = "init"
_THROWS: Final = re.compile(r"\)\s*(?:async\s+)?throws\b")


class SwiftReplacing(SwiftMaking):
    """Overrides, and implementations of requirements."""

    def replaces(self, item: Declaration) -> bool:
        """A method of a class replaces one of its base only if it says so."""
        return "override" in item.modifiers

    def asked_for(
        self, file: SourceFile, number: int, owner: ClassValue
    ) -> Sequence[tuple[str, int]]:
        """The requirements that an extension of a protocol implements."""
        if self._evaluation.classes.kind_of(owner.path, owner.scope) != "protocol":
            return []
        item = file.declarations[number]
        if file.declarations[item.parent].kind != "extension":
            return []
        of = Ancestor(owner.path, owner.scope)
        rows = self._evaluation.classes.own_members(owner.path, owner.scope, item.name)
        found = []
        for path, declaration in rows or self.others_replaced(of, item.name):
            other = self._evaluation.file(path)
            if other is not None and self.may_replace(file, number, other, declaration):
                found.append((path, declaration))
        return found

    def ancestors_replaced(
        self, owner: ClassValue, ancestors: Sequence[Ancestor]
    ) -> Sequence[Ancestor]:
        """The bases without the protocols that a base class has implemented."""
        done: set[tuple[str, int]] = set()
        for item in ancestors:
            if item.external or self._evaluation.classes.kind_of(item.path, item.scope) != "class":
                continue
            for one in self._evaluation.classes.ancestors(item.path, item.scope)[1:]:
                if self._evaluation.classes.kind_of(one.path, one.scope) == "protocol":
                    done.add((one.path, one.scope))
        del owner
        return [item for item in ancestors if (item.path, item.scope) not in done]

    def stands_for(self, value: Value, other: Value) -> bool:
        """True for `Self` in a protocol, which is each type that conforms to it."""
        if not isinstance(value, Instance) or not isinstance(other, Instance):
            return False
        is_protocol = self._evaluation.classes.kind_of(value.path, value.scope) == "protocol"
        return is_protocol and self._evaluation.classes.is_subclass(other, value)

    def others_replaced(self, ancestor: Ancestor, name: str) -> Sequence[tuple[str, int]]:
        """The initialisers of a base."""
        found = []
        made = ClassValue(ancestor.path, ancestor.scope)
        for value in self._evaluation.classes.own_constructors(made) if name == _INIT else ():
            file = self._evaluation.file(value.path) if isinstance(value, FunctionValue) else None
            if file is not None and isinstance(value, FunctionValue):
                found.append((value.path, file.code.scopes[value.scope].declaration))
        return found

    def may_replace(self, own: SourceFile, number: int, file: SourceFile, declaration: int) -> bool:
        """True for members of one kind and labels: of a class, or that a protocol asks for."""
        item, other = own.declarations[number], file.declarations[declaration]
        holder = file.declarations[other.parent].kind if other.parent >= 0 else ""
        if holder != "protocol" and "override" not in item.modifiers:
            return False
        if says_async(item) and not says_async(other):
            return False
        is_static = [not STATIC.isdisjoint(one.modifiers) for one in (item, other)]
        if is_static[0] != is_static[1]:
            # a case of an enum may be what is asked for
            return False
        if _THROWS.search(item.signature) and not _THROWS.search(other.signature):
            return False
        is_alike = labels_of(own, number) == labels_of(file, declaration)
        return is_alike and self._gives_the_same(own, number, file, declaration)

    def _gives_the_same(
        self, own: SourceFile, number: int, file: SourceFile, declaration: int
    ) -> bool:
        """False for results that are known to be of different types."""
        ones = self._declared_types(own, number)[0]
        others = self._declared_types(file, declaration)[0]
        if not ones or not others:
            return True
        return any(
            isinstance(one, TypeParameter)
            or isinstance(other, TypeParameter)
            or bare(one) == bare(other)
            or self.stands_for(other, one)
            or (
                isinstance(one, Instance)
                and isinstance(other, Instance)
                and self._evaluation.classes.is_subclass(one, other)
            )
            for one in ones
            for other in others
        )
