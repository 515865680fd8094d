"""The declarations that names and members of Python refer to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.definitions import Definition, Definitions
from code_graph.evaluate.dependencies import names_key
from code_graph.evaluate.source_file import END, SourceFile
from code_graph.evaluate.values import (
    Ancestor,
    ClassValue,
    Instance,
    ModuleValue,
    SuperValue,
    TypeParameter,
    Value,
)
from code_graph.expressions import NONE, Binding
from code_graph.model import FILE, Strategy

if TYPE_CHECKING:
    from code_graph.languages.python.rules.evaluation import PythonEvaluation

_DEEPEST: Final = 20


class PythonDefinitions(Definitions):
    """Follows names and members to declarations, through modules and classes."""

    _evaluation: PythonEvaluation

    def replaced(self, file: SourceFile, number: int) -> list[Definition]:
        """The member that a method replaces in the nearest base that has it."""
        around = file.class_of(file.scope_of_declaration.get(number, NONE))
        if around == NONE:
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

    def _of_undeclared(self, file: SourceFile, name: str) -> Iterator[Definition]:
        yield from self._starred(file, name, 0) or super()._of_undeclared(file, name)

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
