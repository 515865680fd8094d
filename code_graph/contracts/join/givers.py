"""Finds the declarations that give the texts which a file uses."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from code_graph.contracts.conventions import answering, conventions, route_of
from code_graph.contracts.join.given import GivenContracts
from code_graph.contracts.join.handlers import Handlers
from code_graph.contracts.join.mounts import Mounts
from code_graph.contracts.join.nearest import (
    Giving,
    NearestGivers,
    Targets,
    in_module,
    in_service,
    shortest_prefix,
)
from code_graph.contracts.keys import (
    FILE_ROUTES,
    LIKELY,
    MODELLED,
    NAMED_ROUTE,
    NATIVE,
    ROUTE,
    ROUTE_NAME,
    TABLE,
    TEMPLATE,
    TEXT,
    may_answer,
    wanted_keys,
)
from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.dependencies import language_key
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import Contract
from code_graph.language_table import language_named, names_with
from code_graph.model import FILE, Strategy

_FUNCTION: Final = "function"
_HOLDER: Final = re.compile(r"(\w+?)_?[cC]ontroller")


class Givers:
    """Finds the declarations that give a text."""

    def __init__(self, engine: Engine, given: GivenContracts, handlers: Handlers) -> None:
        self._engine = engine
        self._given = given
        self._handlers = handlers
        self._mounts = Mounts(engine, given, handlers)
        self._nearest = NearestGivers(engine)

    def of(self, file: SourceFile, use: Contract, strategy: Strategy) -> list[Definition]:
        """The declarations that give a used text; of several, the nearest."""
        return self._nearest.choose(file, use, self._targets(file, use, strategy))

    def _targets(self, file: SourceFile, use: Contract, strategy: Strategy) -> Targets:
        if not use.key:
            return {}
        if use.kind == TEMPLATE:
            pages = self._pages(use.key, strategy)
            for folder in _own_folders(file.path) if "/" not in use.key else ():
                pages = pages or self._pages(f"{folder}/{use.key}", strategy)
            return pages
        for count, keys in enumerate(wanted_keys(use.kind, use.key)):
            if count == 1 and use.kind == ROUTE:
                mounted = self._mounts.handlers(use, strategy)
                if mounted:
                    return mounted
            targets = self._with_keys(use, keys, strategy)
            if count and use.kind != ROUTE:  # a name of a module
                targets = in_module(targets, use.key)
            if targets:
                return targets
        if use.kind == ROUTE:
            return self._of_files(use.key, strategy) or self._scripts(use.key, strategy)
        return self._functions(use.key) if use.kind == NATIVE else {}

    def _with_keys(self, use: Contract, keys: list[str], strategy: Strategy) -> Targets:
        giving: Giving = [
            (other, contract)
            for key in keys
            for other, contract in self._given.of(use.kind, key)
            if use.kind != ROUTE or may_answer(contract.key, use.key)
        ]
        if use.kind == ROUTE and not giving:
            giving = [*self._likely(use, keys)] or [*self._named_routes(keys)]
        if use.kind == TABLE and not giving:  # models of a table that no schema gives
            modelled = (row for key in keys for row in self._given.of(MODELLED, key))
            giving = [row for row in modelled if row[1].place != use.place]
        if use.kind == ROUTE and len(giving) > 1:
            giving = in_service(shortest_prefix(giving, use.key), use.key)
        return {
            (member.path, member.declaration): (member, other.path)
            for other, contract in giving
            for target in self._handlers.target(other, contract, strategy)
            for member in self._handlers.members(target, contract.key, use)
        }

    def _likely(self, use: Contract, keys: list[str]) -> Iterator[tuple[SourceFile, Contract]]:
        """Calls that have a path and are handed a function; mocks of tests are none."""
        for key in keys:
            for file, call in self._given.of(LIKELY, key, with_tests=False):
                if self._handlers.has_function(file, call) and may_answer(call.key, use.key):
                    yield file, call

    def _named_routes(self, keys: list[str]) -> Iterator[tuple[SourceFile, Contract]]:
        """Routes whose path is a constant of this text."""
        for key in keys:
            method, _, text = key.partition(" ")
            for file, constant in self._given.of(TEXT, text) if method[0] != "…" else ():
                name = file.declarations[constant.declaration].name
                place = file.path, constant.declaration
                yield from self._named_by(f"{method} {name}", place)

    def _named_by(
        self, key: str, constant: tuple[str, int]
    ) -> Iterator[tuple[SourceFile, Contract]]:
        """The routes that name a constant, by their method and its name."""
        for file, route in self._given.of(NAMED_ROUTE, key, with_tests=False):
            for name in file.code.contracts:
                if name.kind == ROUTE_NAME and name.place == route.place:
                    named = self._handlers.named(file, name, Strategy.ROUTE)
                    if any((it.path, it.declaration) == constant for it in named):
                        yield file, route

    def _of_files(self, key: str, strategy: Strategy) -> Targets:
        """The functions that answer in files whose path is their route."""
        targets: Targets = {}
        method = key.partition(" ")[0]
        for keys in wanted_keys(ROUTE, key.removesuffix("/index")):
            for route in (each.partition(" ")[2] for each in keys):
                self._engine.depend_on("", language_key(FILE_ROUTES, route))
                targets |= _targets_in(self._answering(route, method), strategy)
            if targets:
                break
        functions = {place: row for place, row in targets.items() if place[1] != FILE}
        return functions or targets

    def _answering(self, route: str, method: str) -> Iterator[tuple[str, int]]:
        for path in self._by_route.get(route, ()):
            file = self._engine.file(path)
            rows = () if file is None else answering(path, file.declarations, method)
            yield from ((path, number) for number in rows)

    @cached_property
    def _by_route(self) -> Mapping[str, Sequence[str]]:
        """The paths of files that answer requests of a path which is their own, ascending."""
        paths: defaultdict[str, list[str]] = defaultdict(list)
        for path in sorted(self._engine.files.paths):
            paths[route_of(path)].append(path)
        paths.pop("", None)
        return paths

    def _pages(self, name: str, strategy: Strategy) -> Targets:
        """The pages of a name, with or without their ending."""
        return _targets_in(((path, FILE) for path in self._given.files_named(name)), strategy)

    def _scripts(self, key: str, strategy: Strategy) -> Targets:
        """The files that answer by themselves: `/shop/login.php`."""
        path = key.partition(" ")[2]
        is_script = path.endswith(conventions().scripts)
        return self._pages(path.strip("/"), strategy) if is_script else {}

    def _functions(self, name: str) -> Targets:
        """Functions that any language may call by their names."""
        places: list[tuple[str, int]] = []
        for language in sorted(names_with("linked_as")):
            shared = language_named(language).linked_as.format(name)
            for path in self._engine.declaring(language, shared):
                file = self._engine.file(path)
                places += (
                    (path, number)
                    for number, row in enumerate(() if file is None else file.declarations)
                    if row.name == name and row.kind == _FUNCTION
                )
        return _targets_in(places, Strategy.NATIVE)


def _targets_in(places: Iterable[tuple[str, int]], strategy: Strategy) -> Targets:
    """Declarations of the files that give them."""
    return {place: (Definition(place[0], place[1], strategy), place[0]) for place in places}


def _own_folders(path: str) -> Iterator[str]:
    """The folders of the pages that a controller renders or a page includes."""
    *folders, name = path.split("/")
    holder = _HOLDER.fullmatch(name.partition(".")[0])
    if holder is not None:
        yield holder[1]
    if any(folder.lower() in conventions().pages for folder in folders[:-1]):
        yield folders[-1]
