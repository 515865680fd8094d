"""The declarations that names and members of Ruby refer to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from code_graph.evaluate.definitions import Definition, Definitions
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import ClassValue, FunctionValue, Instance, SuperValue, Value
from code_graph.expressions import NONE, Expression
from code_graph.languages.ruby.rules.types import table_of
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.ruby.rules.evaluation import RubyEvaluation


class RubyDefinitions(Definitions):
    """Follows names and members to declarations."""

    _evaluation: RubyEvaluation

    def _of_name(self, file: SourceFile, number: int, item: Expression) -> Iterator[Definition]:
        if not item.name[:1].isupper():
            return
        for qualified in self._evaluation.qualified_constants(file, number, item.name):
            found = [*self._constants(qualified)]
            if found:
                yield from found
                return
        for value, how in self._evaluation.evaluate(file, number).items():
            yield from self.of_value(value, how)

    def _constants(self, qualified: str) -> Iterator[Definition]:
        """The declaration of a class by its first body, or of a constant."""
        for other in self._evaluation.declaring(qualified):
            table = table_of(other)
            for scope in table.types.get(qualified, ()):
                declaration = other.code.scopes[scope].declaration
                if declaration != NONE:
                    yield Definition(other.path, declaration, Strategy.SCOPE)
                    return
            for row in table.constants.get(qualified, ()):
                if row.declaration != NONE:
                    yield Definition(other.path, row.declaration, Strategy.SCOPE)

    def of_member(self, value: Value, name: str) -> Iterator[Definition]:
        """The declarations of a member of a value."""
        if isinstance(value, ClassValue) and name[:1].isupper():
            for item in self._evaluation.classes.ancestors(value.path, value.scope):
                file = self._evaluation.file(item.path) if item.path else None
                outer = "" if file is None else table_of(file).names.get(item.scope, "")
                found = [*self._constants(f"{outer}::{name}")] if outer else []
                if found:
                    yield from found
                    return
        elif isinstance(value, Instance | ClassValue):
            yield from self._method(value, name)
        elif isinstance(value, SuperValue):
            yield from self._method(value, name, 1)

    def _method(
        self, value: Instance | ClassValue | SuperValue, name: str, skip: int = 0
    ) -> Iterator[Definition]:
        seen_from = value.receiver if isinstance(value, SuperValue) else value
        is_static = isinstance(seen_from, ClassValue)
        classes = self._evaluation.classes
        for item in classes.ancestors(value.path, value.scope)[skip:]:
            if item.external:
                continue
            rows = [*classes.rows(item.path, item.scope, name, is_static=is_static)]
            for file, row in rows:
                yield Definition(file.path, row.declaration, Strategy.RECEIVER)
            if rows:
                return
        if isinstance(value, SuperValue):
            return
        for found, how in self._evaluation.member(value, name).items():
            if isinstance(found, FunctionValue):
                yield from self.of_value(found, how)

    def replaced(self, file: SourceFile, number: int) -> list[Definition]:
        """The method of the nearest base that a method replaces."""
        scope = file.scope_of_declaration.get(number, NONE)
        values = self._evaluation.super_in(file, scope)
        name = file.declarations[number].name
        return [definition for value in values for definition in self._method(value, name, 1)]
