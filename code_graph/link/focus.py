"""The part of a file that a question about some names needs: their uses and declarations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import NAMING, NONE, BindingKind, Expression, Op, ScopeKind
from code_graph.facts import last_part
from code_graph.tree import LinkFocus

CALLING: Final = frozenset({Op.CALL, Op.NEW})


class FileFocus:
    """Tells what of one file belongs to a part."""

    def __init__(self, file: SourceFile, part: LinkFocus) -> None:
        self._file = file
        self.names = part.names | _aliases(file, part.names)
        # what is called may be a text, a cast or the result of a call
        self._called = self.names | {""}
        self._whole = part.whole
        self._is_whole: dict[int, bool] = {}

    def has(self, item: Expression, scope: int) -> bool:
        """True for an expression that ends with one of the names, or is in a whole declaration."""
        if item.op in NAMING:
            is_named = item.name in self.names
        else:
            is_of_call = item.op in CALLING and item.of != NONE
            is_named = is_of_call and self._file.last_name(item.of) in self._called
        return is_named or (bool(self._whole) and self._is_inside(scope))

    def has_declaration(self, number: int) -> bool:
        """True for a declaration with one of the names, with such a member, or on such a type."""
        file, names = self._file, self.names
        if file.declarations[number].name in names:
            return True
        clauses = file.clauses.get(number, ())
        if any(row.value != NONE and file.last_name(row.value) in names for row in clauses):
            return True
        scope = file.scope_of_declaration.get(number)
        if scope is not None and file.kind(scope) != ScopeKind.CLASS:
            types = (row.annotation for row in file.parameters.get(scope, ()))
            return any(file.last_name(it) in names for kind in types for it in names_in(file, kind))
        return number in self._owners

    @cached_property
    def _owners(self) -> frozenset[int]:
        """The declarations that have a member of one of the names."""
        rows = self._file.declarations
        return frozenset(item.parent for item in rows if item.name in self.names)

    def _is_inside(self, scope: int) -> bool:
        """True for a scope in a declaration that is linked whole."""
        if scope not in self._is_whole:
            file = self._file
            number = file.owner(scope)
            inside = False
            while number >= 0 and not inside:
                declared = file.declarations[number]
                inside, number = declared.name in self._whole, declared.parent
            self._is_whole[scope] = inside
        return self._is_whole[scope]


def _aliases(file: SourceFile, names: frozenset[str]) -> frozenset[str]:
    """The aliases of some names in a file, by imports and assignments."""
    aliases: set[str] = set()
    for row in file.code.bindings:
        if row.value == NONE:
            continue
        if row.kind == BindingKind.IMPORTED:
            item = file.facts.imports[row.value]
            is_named = (item.name or last_part(item.module)) in names
        else:
            is_named = row.kind == BindingKind.ASSIGNED and file.last_name(row.value) in names
        if is_named:
            aliases.add(row.name)
    return frozenset(aliases)


def names_in(file: SourceFile, number: int) -> Iterator[int]:
    """The names and members in a type."""
    left = [number]
    while left:
        number = left.pop()
        if number == NONE:
            continue
        item = file.expressions[number]
        if item.op in NAMING:
            yield number
        elif item.op != Op.FUNCTION:
            left += [item.of, *(part.value for part in item.items)]
