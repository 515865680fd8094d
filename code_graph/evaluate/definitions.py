"""Finds the declarations that a name or member refers to, also those that hold plain values."""

# ruff: noqa: ARG002 finders say what they are asked about

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.source_file import END, SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    FunctionValue,
    ModuleValue,
    Value,
)
from code_graph.expressions import NONE, Binding, BindingKind, Expression, Op, ScopeKind
from code_graph.model import FILE, Strategy
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from code_graph.evaluate.evaluation import Evaluation

# ways in which a name gets a declaration that has others beside it
_NAMING: Final = frozenset({BindingKind.DECLARED, BindingKind.IMPORTED})


class Definition(NamedTuple):
    """A declaration of a file, or the file itself, and how it was found."""

    path: str
    declaration: int
    strategy: Strategy


class Finder:
    """Finds the definitions of a language; parts of it are empty for languages without them."""

    @abstractmethod
    def of(self, file: SourceFile, number: int) -> list[Definition]:
        """The definitions that a name or member refers to."""

    @abstractmethod
    def of_import(self, file: SourceFile, binding: Binding) -> list[Definition]:
        """The definitions that an imported name refers to."""

    def of_module(self, file: SourceFile, number: int) -> list[Definition]:
        """The file that an import names as its module."""
        return []

    @abstractmethod
    def of_value(self, value: Value, strategy: Strategy) -> Iterator[Definition]:
        """The declaration of a value."""

    def of_member(self, value: Value, name: str) -> Iterator[Definition]:
        """The declarations of a member of a value, as far as names are looked up so."""
        return iter(())

    def of_chain(self, value: Value, names: Sequence[str]) -> Iterator[Definition]:
        """The declarations of the last of some members, each of the one before it."""
        return iter(())

    def replaced(self, file: SourceFile, number: int) -> list[Definition]:
        """The members of bases that a member replaces."""
        return []

    def implemented(self, file: SourceFile, number: int) -> Sequence[Definition | External]:
        """The interfaces that a type implements without naming them, as in Go."""
        return ()

    def is_called_by_name(self, found: Definition) -> bool:
        """True if a function is called where its name stands alone."""
        return False

    def belongs_to_type(self, file: SourceFile, number: int, owner: Definition) -> bool:
        """True if a declaration outside of its type belongs to it, and is no extension of it."""
        return False


class Definitions(Finder):
    """Follows names and members to declarations."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation

    def of(self, file: SourceFile, number: int) -> list[Definition]:
        """The definitions that a NAME or MEMBER expression refers to."""
        item = file.expressions[number]
        if item.op == Op.NAME:
            return self._unique(self._of_name(file, number, item))
        if item.op == Op.MEMBER:
            return self._unique(self._of_member(file, item))
        return []

    def of_import(self, file: SourceFile, binding: Binding) -> list[Definition]:
        """The definitions that an imported name refers to."""
        return self._unique(self._imported(file, binding, 0))

    def of_module(self, file: SourceFile, number: int) -> list[Definition]:
        """The file of the module that an import names."""
        modules = self._evaluation.language.module_of_import(file, number)
        return [item for value, how in modules.items() for item in self.of_value(value, how)]

    def of_value(self, value: Value, strategy: Strategy) -> Iterator[Definition]:
        """The declaration of a function, class or module."""
        if isinstance(value, ModuleValue):
            if not value.is_folder:
                yield Definition(value.path, FILE, strategy)
            return
        if isinstance(value, FunctionValue | ClassValue):
            file = self._evaluation.file(value.path)
            if file is not None:
                declaration = file.code.scopes[value.scope].declaration
                if declaration != NONE:
                    yield Definition(value.path, declaration, strategy)

    def _unique(self, found: Iterator[Definition]) -> list[Definition]:
        best: dict[tuple[str, int], Definition] = {}
        for item in found:
            known = best.get(item[:2])
            if known is None or item.strategy < known.strategy:
                best[item[:2]] = item
        return list(best.values())

    def _of_name(self, file: SourceFile, number: int, item: Expression) -> Iterator[Definition]:
        start = file.code.scope_of[number]
        way = self._evaluation.names.way_at(file, start, item.name, number)
        scope = way.holder
        if scope != NONE:
            place, region = (END, scope) if way.is_crossing else (number, start)
            bindings = file.reaching(scope, item.name, place, region)
            yield from self._of_bindings(file, bindings, Strategy.SCOPE, 0)
            return
        yield from self._of_undeclared(file, item.name)

    def _of_undeclared(self, file: SourceFile, name: str) -> Iterator[Definition]:
        """The declarations of a name that no scope of its file binds."""
        for value, strategy in self._evaluation.language.undeclared(file, name).items():
            yield from self.of_value(value, strategy)

    def _of_bindings(
        self, file: SourceFile, bindings: Sequence[Binding], strategy: Strategy, depth: int
    ) -> Iterator[Definition]:
        """The declarations of a name's bindings; of alternatives none is sure."""
        if len(bindings) == 1:
            yield from self._of_binding(file, bindings[0], strategy, depth)
            return
        naming = sum(binding.kind in _NAMING for binding in bindings)
        least = Strategy.FLOW if naming > 1 else strategy
        for binding in bindings:
            how = least if binding.kind in _NAMING else strategy
            yield from self._of_binding(file, binding, how, depth)

    def _of_binding(
        self, file: SourceFile, binding: Binding, strategy: Strategy, depth: int
    ) -> Iterator[Definition]:
        if binding.kind == BindingKind.IMPORTED:
            for item in self._imported(file, binding, depth):
                yield item._replace(strategy=max(item.strategy, strategy))
        elif binding.declaration != NONE:
            yield Definition(file.path, binding.declaration, strategy)
        elif binding.scope == 0 or file.kind(binding.scope) == ScopeKind.CLASS:
            # a later assignment of a variable that is declared by its first one
            for declaration in file.declaring.get((binding.scope, binding.name), ()):
                yield Definition(file.path, declaration, strategy)

    def _imported(self, file: SourceFile, binding: Binding, depth: int) -> Iterator[Definition]:
        del depth
        return iter(self.of_module(file, binding.value))

    def _of_member(self, file: SourceFile, item: Expression) -> Iterator[Definition]:
        for value, strategy in self._evaluation.holders(file, item.of).items():
            for found in self.of_member(value, item.name):
                yield found._replace(strategy=max(found.strategy, strategy))
