"""Finds the declarations that a name or member refers to, also those that hold plain values."""

# ruff: noqa: ARG002 finders say what they are asked about

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.dependencies import names_key
from code_graph.evaluate.source_file import END, SourceFile
from code_graph.evaluate.values import (
    Ancestor,
    ClassValue,
    External,
    FunctionValue,
    Instance,
    ModuleValue,
    SuperValue,
    TypeParameter,
    Value,
)
from code_graph.expressions import NONE, Binding, BindingKind, Expression, Op, ScopeKind
from code_graph.model import FILE, Strategy
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from code_graph.evaluate.evaluation import Evaluation

_DEEPEST: Final = 20
# ways in which a name gets a declaration that has others beside it
_NAMING: Final = frozenset({BindingKind.DECLARED, BindingKind.IMPORTED})


class Definition(NamedTuple):
    """A declaration of a file, or the file itself, and how it was found."""

    path: str
    declaration: int
    strategy: Strategy


class Finder:
    """The finder of a language's definitions; what it does not find, few languages have."""

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

    @abstractmethod
    def replaced(self, file: SourceFile, number: int) -> list[Definition]:
        """The members of bases that a member replaces."""

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
        """The file that an import names as its module, whatever it takes of it."""
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

    def replaced(self, file: SourceFile, number: int) -> list[Definition]:
        """The member that a method replaces in the nearest base that has it."""
        scope = file.scope_of_declaration.get(number)
        around = NONE if scope is None else file.function_around(file.parent(scope))
        if around == NONE or file.kind(around) != ScopeKind.CLASS:
            return []
        name = file.declarations[number].name
        for ancestor in self._evaluation.classes.ancestors(file.path, around)[1:]:
            if ancestor.external:
                continue
            owner = Instance(ancestor.path, ancestor.scope)
            rows = [
                found._replace(strategy=Strategy.RECEIVER)
                for found in self.of_member(owner, name)
                if self._is_in(found, ancestor.path, ancestor.scope)
            ]
            if rows:
                return rows
        return []

    def _is_in(self, found: Definition, path: str, scope: int) -> bool:
        file = self._evaluation.file(path)
        if file is None or found.path != path or found.declaration == FILE:
            return False
        return file.declarations[found.declaration].parent == file.code.scopes[scope].declaration

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
        starred = self._starred(file, item.name, 0)  # of the file itself
        if starred:
            yield from starred
            return
        for value, strategy in self._evaluation.language.undeclared(file, item.name).items():
            yield from self.of_value(value, strategy)

    def _starred(self, file: SourceFile, name: str, depth: int = 1) -> list[Definition]:
        """The declarations of a name that a file imports with all others of a module."""
        rows: list[Definition] = []
        if depth:
            self._evaluation.engine.depend_on(file.path, names_key(file.path))
        for module, strategy in self._evaluation.language.star_modules(file, name).items():
            other = self._evaluation.file(module.path) if isinstance(module, ModuleValue) else None
            if other is not None:
                rows += self._of_bindings(other, self._reaching(other, name), strategy, depth)
        return rows

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
        number = binding.value
        if depth > _DEEPEST or not 0 <= number < len(file.facts.imports):
            return
        item = file.facts.imports[number]
        modules = self._evaluation.language.module_of_import(file, number)
        for module, how in modules.items():
            if not isinstance(module, ModuleValue):
                continue
            if item.name == "*":
                yield from self.of_value(module, how)
                continue
            other = None if module.is_folder else self._evaluation.file(module.path)
            found = False
            if item.name and other is not None:
                reaching = self._reaching(other, item.name)
                for result in self._of_bindings(other, reaching, how, depth + 1):
                    found = True
                    yield result
                for result in () if found else self._starred(other, item.name, depth + 1):
                    found = True
                    yield result
            if not found:
                for value in self._evaluation.language.imported(file, number):
                    yield from self.of_value(value, how)

    def _of_member(self, file: SourceFile, item: Expression) -> Iterator[Definition]:
        for value, strategy in self._evaluation.holders(file, item.of).items():
            for found in self.of_member(value, item.name):
                yield found._replace(strategy=max(found.strategy, strategy))

    def of_member(self, value: Value, name: str) -> Iterator[Definition]:
        """The declarations of a member of a value."""
        if isinstance(value, ModuleValue):
            yield from self._of_module(value, name)
        elif isinstance(value, Instance | ClassValue):
            yield from self._of_class(value.path, value.scope, name, skip=0)
        elif isinstance(value, SuperValue):
            yield from self._of_class(value.path, value.scope, name, skip=1)
        elif isinstance(value, TypeParameter):
            for bound in value.bound:
                yield from self.of_member(bound, name)

    def _of_module(self, module: ModuleValue, name: str) -> Iterator[Definition]:
        file = None if module.is_folder else self._evaluation.file(module.path)
        bindings = () if file is None else self._reaching(file, name)
        if file is not None and bindings:
            yield from self._of_bindings(file, bindings, Strategy.IMPORT, 0)
            return
        starred = [] if file is None else self._starred(file, name)
        if starred:
            yield from starred
            return
        for value in self._evaluation.module_member(module, name):
            yield from self.of_value(value, Strategy.IMPORT)

    def _reaching(self, file: SourceFile, name: str) -> Sequence[Binding]:
        """The bindings of a module's name that reach its end."""
        self._evaluation.names.depend_on(file, 0, name)
        return file.reaching(0, name, END, 0) if (0, name) in file.bindings else ()

    def _of_class(self, path: str, scope: int, name: str, *, skip: int) -> Iterator[Definition]:
        order = self._evaluation.classes.ancestors(path, scope)
        least = Strategy.RECEIVER
        for number, item in enumerate(order):
            if number < skip:
                continue
            if item.external:
                has_it = self._evaluation.language.has_member(item.external, name)
                if has_it:
                    return
                if has_it is None:  # it may have it
                    least = Strategy.FLOW
                continue
            found = False
            for one in self._in_class(item, order, number, name):
                found = True
                yield one if one.strategy >= least else one._replace(strategy=least)
            if found:
                return

    def _in_class(
        self, item: Ancestor, order: Sequence[Ancestor], number: int, name: str
    ) -> Iterator[Definition]:
        """The declarations of a member by one class: in its body, else by its methods."""
        file = self._evaluation.file(item.path)
        if file is None:
            return
        found = False
        self._evaluation.names.depend_on(file, item.scope, name)
        for binding in file.bindings.get((item.scope, name), ()):
            for result in self._of_binding(file, binding, Strategy.RECEIVER, 0):
                found = True
                yield result
        stores = file.stores.get(name)
        if not stores:
            return
        behind = order[number + 1 :]
        if not found and self._evaluation.classes.inherits_property(behind, name):
            return
        for store in stores:
            place = file.code.scope_of[store.target]
            if store.declaration != NONE and file.class_around(place) == item.scope:
                yield Definition(item.path, store.declaration, Strategy.RECEIVER)
