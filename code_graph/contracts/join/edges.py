"""Joins the two sides of contracts: an edge from each use of a text to the files that give it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from posixpath import dirname, join, normpath
from typing import Final, TypeAlias

from code_graph.contracts.join.given import FindDefinitions, GivenContracts
from code_graph.contracts.join.givers import Givers
from code_graph.contracts.join.handlers import Handlers
from code_graph.contracts.join.spelling import Spelling
from code_graph.contracts.keys import (
    ANY,
    ASKED,
    BINDING,
    HANDED,
    METHODS,
    NATIVE,
    ROUTE,
    TEMPLATE,
    TESTED,
    WRAPPER,
    module_key,
)
from code_graph.contracts.templates import CALLED
from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.dependencies import language_key
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import Instance
from code_graph.expressions import NONE, NOWHERE, Contract, ContractRole, Op, ScopeKind
from code_graph.language_table import language_named
from code_graph.model import EdgeType, Strategy
from code_graph.paths.path_kinds import is_test

# of each kind, the type of its edges and how they are said to be found
KINDS: Final = {
    "route": (EdgeType.CALLS, Strategy.ROUTE),
    "message": (EdgeType.CALLS, Strategy.MESSAGE),
    # within a program, where many emitters have events of one name
    "event": (EdgeType.CALLS, Strategy.FRAMEWORK),
    "rpc": (EdgeType.CALLS, Strategy.RPC),
    "procedure": (EdgeType.CALLS, Strategy.RPC),
    "native": (EdgeType.CALLS, Strategy.NATIVE),
    "endpoint": (EdgeType.REFERENCES, Strategy.ROUTE),
    # a function that makes a page, by the name of its holder and a text
    "view": (EdgeType.REFERENCES, Strategy.TEMPLATE),
    "model": (EdgeType.REFERENCES, Strategy.TABLE),
    "entity": (EdgeType.REFERENCES, Strategy.TABLE),
    "option": (EdgeType.REFERENCES, Strategy.SETTING),
    TEMPLATE: (EdgeType.REFERENCES, Strategy.TEMPLATE),
    "table": (EdgeType.REFERENCES, Strategy.TABLE),
    "setting": (EdgeType.REFERENCES, Strategy.SETTING),
}
_WITH_METHOD: Final = 2

# takes an edge: the declaration that it is from, the one that it leads to, its type, its place
AddEdge: TypeAlias = Callable[[int, Definition, EdgeType, tuple[int, int]], None]


class ContractEdges:
    """Makes the edges of contracts; `finder` gives what finds the definitions of a language."""

    def __init__(self, engine: Engine, finder: FindDefinitions) -> None:
        self._engine = engine
        self._finder = finder
        self._given = GivenContracts(engine, finder)
        self._handlers = Handlers(engine, finder, self._given)
        self._spelling = Spelling(engine, finder, self._handlers)
        self._givers = Givers(engine, self._given, self._handlers)

    def add(self, file: SourceFile, add: AddEdge) -> None:
        """Add the edges of one file, as far as its limits allow."""
        self._given.begin(file)
        for item in file.code.contracts:
            if item.role == ContractRole.GIVES:
                continue
            if not self._engine.begin_place():
                return
            if item.role == ContractRole.RUNS:
                # the head of a function is no use of it: what marks it is
                place = item.place if item.handler in file.declared_at else item.handler
                for found in self._handlers.handlers(file, item, Strategy.FRAMEWORK):
                    add(item.declaration, found, EdgeType.CALLS, place)
            else:
                self._add_use(file, item, add)
        self._of_modules(file, add)

    def _add_use(self, file: SourceFile, item: Contract, add: AddEdge) -> None:
        """Add the edges of one use, by its kind."""
        if item.kind == HANDED:
            for use in self._wrapped(file, item):
                for found in self._givers.of(file, use, Strategy.ROUTE):
                    add(item.declaration, found, EdgeType.CALLS, item.place)
        elif item.kind == BINDING:
            self._bound(file, item, add)
        elif item.kind == TESTED:
            if is_test(file.path):
                self._only_route(file, item, add)
        elif item.kind == ASKED:
            if not any(self._handlers.functions_named(file, item)):
                self._only_route(file, item._replace(handler=NOWHERE), add)
        elif item.kind in KINDS:
            kind, strategy = KINDS[item.kind]
            for found in self._givers.of(file, self._spelling.spelled(file, item), strategy):
                if (found.path, found.declaration) != (file.path, item.declaration):
                    add(item.declaration, found, kind, item.place)

    def _wrapped(self, file: SourceFile, item: Contract) -> Iterator[Contract]:
        """The request that a function of another file makes of the path which it is given."""
        for found in self._handlers.named(file, item, Strategy.ROUTE):
            for method in (*METHODS, ANY):  # if it makes another one
                self._engine.depend_on("", language_key(WRAPPER, method))
            other = self._engine.file(found.path) if found.path != file.path else None
            for given in () if other is None else other.code.contracts:
                if given.kind == WRAPPER and given.declaration == found.declaration:
                    told, _, path = item.key.partition(" ")
                    method = given.key if told == ANY else told
                    yield item._replace(kind=ROUTE, key=f"{method} {path}", handler=NOWHERE)
                    return

    def _only_route(self, file: SourceFile, item: Contract, add: AddEdge) -> None:
        """Add the edges of what asks for a path in any way, if one handler has it."""
        kind, strategy = KINDS[ROUTE]
        found = self._givers.of(file, item._replace(kind=ROUTE), strategy)
        # a class and its method that answers are one
        if len(found) == 1 or (
            len(found) == _WITH_METHOD and self._handlers.is_a(found[0], ScopeKind.CLASS)
        ):
            for each in found:
                add(item.declaration, each, kind, item.place)

    def _bound(self, file: SourceFile, item: Contract, add: AddEdge) -> None:
        """Add the edges of a name in a template, to a member of its component or behind one."""
        is_called = item.key.endswith(CALLED)
        names = item.key.removesuffix(CALLED).split(".")
        for path, declaration in self._components(file, item):
            other = self._engine.file(path)
            scope = None if other is None else other.scope_of_declaration.get(declaration)
            finder = None if other is None else self._finder(other.language)
            if scope is None or finder is None:
                continue
            for found in finder.of_chain(Instance(path, scope), names):
                kind = EdgeType.REFERENCES
                if is_called and self._handlers.is_a(found, ScopeKind.FUNCTION):
                    kind = EdgeType.CALLS
                add(item.declaration, found, kind, item.place)

    def _components(self, file: SourceFile, item: Contract) -> Iterator[tuple[str, int]]:
        """The classes that a template is of, each by its file."""
        if item.declaration != NONE:
            yield file.path, item.declaration
            return
        for other, template in self._given.of(BINDING, file.path.rpartition("/")[2]):
            if normpath(join(dirname(other.path), template.key)) == file.path:
                yield other.path, template.declaration

    def _of_modules(self, file: SourceFile, add: AddEdge) -> None:
        """Add edges to functions of imported modules that are written in another language."""
        if not language_named(file.language).native_modules:
            return
        modules = {
            item.alias or item.module: item.module
            for item in file.facts.imports
            if not item.name and any(self._given.paths(NATIVE, module_key(item.module)))
        }
        for number, item in enumerate(file.expressions) if modules else ():
            if item.op != Op.MEMBER or file.expressions[item.of].op != Op.NAME:
                continue
            module = modules.get(file.expressions[item.of].name)
            if module:
                source = file.owner(file.code.scope_of[number])
                name = f"{module}.{item.name}"
                place = item.line, item.column
                use = Contract(ContractRole.USES, NATIVE, name, source, place)
                for found in self._givers.of(file, use, Strategy.NATIVE):
                    add(source, found, EdgeType.CALLS, place)
