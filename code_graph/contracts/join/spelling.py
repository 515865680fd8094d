"""The texts that uses name: constants, members of tables, functions that make a path."""

from __future__ import annotations

from code_graph.contracts.join.given import FindDefinitions, given_in
from code_graph.contracts.join.handlers import Handlers
from code_graph.contracts.keys import GIVEN, MADE, MEMBER_TEXT, ROUTE, TEXT, plain_key, route_key
from code_graph.contracts.read.made_paths import filled_path
from code_graph.evaluate.dependencies import language_key
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import NAMING, NONE, NOWHERE, Contract, Op
from code_graph.model import FILE, Strategy


class Spelling:
    """Finds the texts that uses name."""

    def __init__(self, engine: Engine, finder: FindDefinitions, handlers: Handlers) -> None:
        self._engine = engine
        self._finder = finder
        self._handlers = handlers

    def spelled(self, file: SourceFile, use: Contract) -> Contract:
        """A use with the text of the constant that it names, if it names one."""
        made = self._made(file, use)
        if made is not None:  # the text of an argument is no path by itself
            return use._replace(key=route_key(use.key, made) if use.handler != NOWHERE else "")
        if use.handler == NOWHERE:
            return use
        for found in self._handlers.named(file, use, Strategy.ROUTE):
            other = self._engine.file(found.path)
            for item in () if other is None else other.code.contracts:
                if item.kind == TEXT and item.declaration == found.declaration:
                    self._engine.depend_on("", language_key(TEXT, item.key))
                    return use._replace(
                        key=route_key(use.key, item.key)
                        if use.kind == ROUTE
                        else plain_key(use.kind, item.key)
                    )
        text = self._member_text(file, use) if use.kind == ROUTE else ""
        return use._replace(key=route_key(use.key, text) if text else "")

    def _made(self, file: SourceFile, use: Contract) -> str | None:
        """The path that a function makes of the arguments of a request; None if it makes none."""
        rows = file.cached("given to functions", _given_to)
        given = rows.get(use.place) if use.kind == ROUTE else None
        for found in () if given is None else self._handlers.named(file, given, Strategy.ROUTE):
            other = self._engine.file(found.path)
            if other is None or found.declaration == FILE:
                continue
            name = other.declarations[found.declaration].name
            self._engine.depend_on("", language_key(MADE, name))
            for item in given_in(other, MADE, name):
                if given is not None and item.declaration == found.declaration:
                    return filled_path(item.key, given.key)
        return None

    def _member_text(self, file: SourceFile, use: Contract) -> str:
        """The text of a member of an object, whose holder alone is a declaration."""
        number, finder = file.name_at.get(use.handler, NONE), self._finder(file.language)
        names = ""
        while number != NONE and finder is not None:
            item = file.expressions[number]
            for found in finder.of(file, number) if names and item.op in NAMING else ():
                other = self._engine.file(found.path)
                for given in () if other is None else other.code.contracts:
                    told, _, text = given.key.partition(" ")
                    is_own = given.kind == MEMBER_TEXT and given.declaration == found.declaration
                    if is_own and told == names:
                        self._engine.depend_on("", language_key(MEMBER_TEXT, given.key))
                        return text
            if item.op != Op.MEMBER:
                break
            names = f"{item.name}.{names}" if names else item.name
            number = item.of
        return ""


def _given_to(file: SourceFile) -> dict[tuple[int, int], Contract]:
    """Arguments of requests to functions that may make their paths, by the requests' places."""
    return {item.place: item for item in file.code.contracts if item.kind == GIVEN}
