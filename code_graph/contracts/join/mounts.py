"""Routes of files mounted below a path of another file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from code_graph.contracts.join.given import GivenContracts, given_in
from code_graph.contracts.join.handlers import Handlers
from code_graph.contracts.join.nearest import Targets
from code_graph.contracts.keys import FILES, LIKELY, MOUNT, ROUTE, mounted_keys
from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.dependencies import language_key
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import Contract
from code_graph.model import FILE, Strategy

# requests are below few paths of other files
_MOST_VARIANTS: Final = 8


class Mounts:
    """Finds handlers in mounted files."""

    def __init__(self, engine: Engine, given: GivenContracts, handlers: Handlers) -> None:
        self._engine = engine
        self._given = given
        self._handlers = handlers

    def handlers(self, use: Contract, strategy: Strategy) -> Targets:
        """Handlers of a request in files mounted below a path of another file."""
        method, _, path = use.key.partition(" ")
        segments = [part for part in path.split("/") if part]
        for start in range(len(segments)):
            for end in range(len(segments), start, -1):
                mount = f"/{'/'.join(segments[start:end])}"
                rest = f"{method} /{'/'.join(segments[end:])}"
                targets = self._below(use, mount, rest, strategy)
                if not targets and not start:  # the client adds the beginning
                    targets = self._below(use, f"…{mount}", rest, strategy)
                if targets:
                    return targets
        return {}

    def _below(self, use: Contract, mount: str, rest: str, strategy: Strategy) -> Targets:
        """Handlers of the rest of a path in the files mounted there."""
        files: dict[str, set[int]] = {}
        made: Targets = {}
        for giving, contract in self._given.of(MOUNT, mount):
            below = [*self._mounted_files(giving, contract, strategy)]
            for path, declaration in below:
                files.setdefault(path, set()).add(declaration)
            if not below and rest.endswith(" /"):  # a handler that a library makes
                handler = Definition(giving.path, contract.declaration, strategy)
                made[giving.path, contract.declaration] = handler, giving.path
        answers: Targets = {}
        for keys in islice(mounted_keys(rest), _MOST_VARIANTS) if files else ():
            for kind in (ROUTE, LIKELY):
                for key in keys:
                    self._engine.depend_on("", language_key(kind, key))
            for path, holders in files.items():
                for handler in self._answering(use, path, keys, holders, strategy):
                    answers[handler.path, handler.declaration] = handler, path
            if answers:
                break
        return answers or made

    def _answering(
        self, use: Contract, path: str, keys: Iterable[str], holders: set[int], strategy: Strategy
    ) -> Iterator[Definition]:
        """The handlers of one mounted file for a request, by the keys of its path."""
        file = self._engine.file(path)
        if file is None:
            return
        routes = [route for key in keys for route in given_in(file, ROUTE, key)]
        routes = routes or [
            call
            for key in keys
            for call in given_in(file, LIKELY, key)
            if self._handlers.has_function(file, call)
        ]
        for route in _of_holders(file, routes, holders):
            for target in self._handlers.target(file, route, strategy):
                yield from self._handlers.members(target, route.key, use)

    def _mounted_files(
        self, file: SourceFile, mount: Contract, strategy: Strategy
    ) -> Iterator[tuple[str, int]]:
        """The mounted files, each with the declaration named in it."""
        for other in file.code.contracts:
            if other.kind == FILES and other.place == mount.place:
                yield from ((path, FILE) for path in self._given.files_named(other.key))
        for named in self._handlers.named(file, mount, strategy):
            if named.path != file.path:
                yield named.path, named.declaration


def _of_holders(file: SourceFile, routes: list[Contract], holders: set[int]) -> list[Contract]:
    """The routes in the mounted functions; all if none of these has routes."""
    rows = file.declarations
    inside = [
        route
        for route in routes
        for holder in holders - {FILE}
        if rows[holder].start_line <= route.place[0] <= rows[holder].end_line
    ]
    return inside or routes
