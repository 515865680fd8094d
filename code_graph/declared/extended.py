"""Types with members in blocks of their own, in any file: extensions and implementations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import ClassVar, Final

from code_graph.declared.declared_names import last_of
from code_graph.declared.rules import DeclaredRules
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import ClassValue, External, Instance, MemberValue, Result
from code_graph.expressions import NONE, Op, Role, ScopeKind
from code_graph.facts import MODULE
from code_graph.model import Strategy

# blocks of a type that are looked through in a step
_BLOCKS_OF_STEP: Final = 8
_MOST_BLOCKS: Final = 400


class ExtendedTypes(DeclaredRules):
    """The parts of types: their declarations first, then the blocks that extend them."""

    language: ClassVar[str] = ""

    def whole_of(self, path: str, scope: int) -> tuple[str, int] | None:
        """The declaration of the type that a block extends; any other type is its own."""
        file = self._evaluation.file(path)
        if file is None or scope not in file.cached("scopes of blocks", _scopes):
            return path, scope
        owner = self.extended(file, scope)
        if owner is None or owner[:2] == (path, scope):
            return path, scope
        return self.whole_of(owner.path, owner.scope)

    def parts_of(self, path: str, scope: int) -> Sequence[tuple[str, int]]:
        """The declaration of a type, and the blocks that extend it, in the order of their paths."""
        file = self._evaluation.file(path)
        if file is None or file.code.scopes[scope].declaration == NONE:
            return [(path, scope)]
        owner = self.extended(file, scope)
        if owner is not None and owner[:2] != (path, scope):
            return self.parts_of(owner.path, owner.scope)
        key = ("extended parts", path, scope)
        parts = self._evaluation.engine.shared(key, lambda: self._parts(file, scope), ())
        self._evaluation.engine.count(len(parts) // _BLOCKS_OF_STEP)
        return parts

    def _parts(self, file: SourceFile, scope: int) -> tuple[tuple[str, int], ...]:
        own = (file.path, scope)
        declaration = file.code.scopes[scope].declaration
        if self._evaluation.types.table(file).clause(declaration, Role.RECEIVER) != NONE:
            return (own,)
        name = file.declarations[declaration].name
        names = (name, *file.cached("aliases of types", _aliases).get(name, ()))
        blocks = (block for each in names for block in self._blocks_named(file, scope, each))
        return tuple(islice(dict.fromkeys((own, *blocks)), _MOST_BLOCKS))

    def _blocks_named(self, file: SourceFile, scope: int, name: str) -> Iterator[tuple[str, int]]:
        for other in self._evaluation.types.declaring(self.language, name):
            for inner, number in blocks_of(other).get(name, ()):
                values = self._evaluation.types.of(other, _head(other, number))
                if any(isinstance(v, ClassValue) and v[:2] == (file.path, scope) for v in values):
                    yield other.path, inner

    def extended(self, file: SourceFile, scope: int) -> ClassValue | None:
        """The type that a block extends."""
        declaration = file.code.scopes[scope].declaration
        if declaration == NONE:
            return None
        number = self._evaluation.types.table(file).clause(declaration, Role.RECEIVER)
        for value in self._evaluation.types.of(file, _head(file, number)) if number != NONE else ():
            if isinstance(value, ClassValue):
                return value
        return None

    def of_external(self, name: str, member: str) -> Result:
        """The members that blocks give to an external type."""
        key = ("extended external", name, member)
        return self._evaluation.engine.unit(key, lambda: self._of_external(name, member))

    def _of_external(self, name: str, member: str) -> Result:
        found: Result = {}
        short = name.rpartition(".")[2]
        for other in self._evaluation.types.declaring(self.language, short) if short else ():
            for inner, number in blocks_of(other).get(short, ()):
                if any(isinstance(v, External) for v in self._evaluation.types.of(other, number)):
                    rows = self._evaluation.classes.own_members(other.path, inner, member)
                    for path, declaration in rows:
                        receiver = Instance(other.path, inner)
                        found[MemberValue(path, declaration, receiver)] = Strategy.DECLARED
        return found


def _head(file: SourceFile, number: int) -> int:
    """A type without its arguments, which may mention parameters of the block."""
    item = file.expressions[number]
    return item.of if item.op == Op.APPLY and item.of != NONE else number


def _scopes(file: SourceFile) -> frozenset[int]:
    """The scopes of the blocks of a file that extend types."""
    return frozenset(scope for rows in blocks_of(file).values() for scope, _ in rows)


def blocks_of(file: SourceFile) -> dict[str, list[tuple[int, int]]]:
    """The extension blocks of a file by the last name of their type: scope and expression."""
    return file.cached("extending blocks", _blocks)


def _aliases(file: SourceFile) -> dict[str, list[str]]:
    """The aliases of types in a file."""
    found: dict[str, list[str]] = {}
    for clause in file.code.clauses:
        if clause.role == Role.ALIAS and NONE not in {clause.value, clause.declaration}:
            alias = file.declarations[clause.declaration]
            name = last_of(file, clause.value)
            if alias.parent == MODULE and name != alias.name:
                found.setdefault(name, []).append(alias.name)
    return found


def _blocks(file: SourceFile) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for clause in file.code.clauses:
        scope = file.scope_of_declaration.get(clause.declaration, NONE)
        if clause.role != Role.RECEIVER or NONE in {clause.value, scope}:
            continue
        if file.kind(scope) == ScopeKind.CLASS:
            found.setdefault(last_of(file, clause.value), []).append((scope, clause.value))
    return found
