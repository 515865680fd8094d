"""Declarations that a contract names: handlers, methods of controllers, members of classes."""

from __future__ import annotations

from collections.abc import Iterator

from code_graph.contracts.conventions import member_names
from code_graph.contracts.join.given import FindDefinitions, GivenContracts
from code_graph.contracts.keys import ACTION, MEMBER, ROUTE
from code_graph.evaluate.definitions import Definition, Finder
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import ClassValue, Instance
from code_graph.expressions import NONE, NOWHERE, Contract, ScopeKind
from code_graph.model import FILE, Strategy


class Handlers:
    """Finds the declarations that contracts name."""

    def __init__(self, engine: Engine, finder: FindDefinitions, given: GivenContracts) -> None:
        self._engine = engine
        self._finder = finder
        self._given = given

    def named(self, file: SourceFile, item: Contract, strategy: Strategy) -> Iterator[Definition]:
        """The declarations and files that the name of a handler means."""
        own = file.declared_at.get(item.handler)
        if own is not None:
            yield Definition(file.path, own, strategy)
            return
        number = file.name_at.get(item.handler, NONE)
        finder = self._finder(file.language) if number != NONE else None
        for found in () if finder is None else finder.of(file, number):
            yield Definition(found.path, found.declaration, strategy)

    def handlers(
        self, file: SourceFile, item: Contract, strategy: Strategy
    ) -> Iterator[Definition]:
        """The declarations that the name of a handler means."""
        for found in self.named(file, item, strategy):
            if found.declaration != FILE:
                yield found

    def functions_named(self, file: SourceFile, item: Contract) -> Iterator[Definition]:
        """The functions and classes that the name of a handler means."""
        for found in self.handlers(file, item, Strategy.ROUTE) if item.handler != NOWHERE else ():
            if self.is_a(found, ScopeKind.FUNCTION) or self.is_a(found, ScopeKind.CLASS):
                yield found

    def has_function(self, file: SourceFile, call: Contract) -> bool:
        """True if a function is an argument of the call."""
        return call.handler == NOWHERE or any(self.functions_named(file, call))

    def is_a(self, found: Definition, kind: ScopeKind) -> bool:
        """True if a declaration has a scope of this kind: it is a class, or a function."""
        file = self._engine.file(found.path)
        scope = None if file is None else file.scope_of_declaration.get(found.declaration)
        return file is not None and scope is not None and file.kind(scope) == kind

    def target(self, file: SourceFile, item: Contract, strategy: Strategy) -> Iterator[Definition]:
        """The named handler; else the declaration that gives the text, or the file."""
        named = [*self.handlers(file, item, strategy)] or [*self._actions(file, item, strategy)]
        yield from named or [Definition(file.path, item.declaration, strategy)]

    def _actions(
        self, file: SourceFile, item: Contract, strategy: Strategy
    ) -> Iterator[Definition]:
        """The methods of controllers that a route names as a text."""
        for other in file.code.contracts:
            if other.kind == ACTION and other.place == item.place and other is not item:
                holders = {found.path for found in self.named(file, other, strategy)}
                for controller, action in self._given.of(ACTION, other.key):
                    if not holders or controller.path in holders:
                        yield Definition(controller.path, action.declaration, strategy)
                yield from self._of_class(file, other, strategy)

    def _of_class(
        self, file: SourceFile, action: Contract, strategy: Strategy
    ) -> Iterator[Definition]:
        """The method of a class that is not named as a controller."""
        if next(iter(self._given.paths(ACTION, action.key)), None) is not None:
            return
        for found in self.named(file, action, strategy):
            other = self._engine.file(found.path)
            scope = None if other is None else other.scope_of_declaration.get(found.declaration)
            finder = None if other is None else self._finder(other.language)
            if other is not None and scope is not None and finder is not None:
                name = action.key.partition("#")[2]
                for each in _members_of(finder, other, scope, name):
                    yield each._replace(strategy=strategy)

    def members(self, target: Definition, given: str, use: Contract) -> Iterator[Definition]:
        """A handler; of a class also its method that answers a request."""
        file = self._engine.file(target.path) if use.kind == ROUTE else None
        scope = None if file is None else file.scope_of_declaration.get(target.declaration)
        if file is not None and scope is not None and file.kind(scope) == ScopeKind.CLASS:
            finder = self._finder(file.language)
            for name in member_names(given, use.key):
                found = [] if finder is None else [*_members_of(finder, file, scope, name)]
                if found:
                    yield target
                    yield from (each._replace(strategy=target.strategy) for each in found)
                    return
        if not given.endswith(MEMBER):
            yield target


def _members_of(finder: Finder, file: SourceFile, scope: int, name: str) -> Iterator[Definition]:
    """The members of a class with a name; else the members of its objects."""
    found = [*finder.of_member(ClassValue(file.path, scope), name)]
    found = found or [*finder.of_member(Instance(file.path, scope), name)]
    if found:
        yield from found
        return
    for number, row in enumerate(file.declarations):  # in languages that declare types
        holder = file.scope_of_declaration.get(row.parent)
        if row.name == name and holder == scope:
            yield Definition(file.path, number, Strategy.ROUTE)
