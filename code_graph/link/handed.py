"""Functions that code hands to libraries, which probably call them.

Those are arguments of calls whose function is not of the repository, functions that a decorator
registers with an object from outside, and functions that are put in the place of another.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from code_graph.contracts.conventions import words
from code_graph.evaluate.values import (
    ClassValue,
    External,
    FunctionValue,
    Instance,
    ModuleValue,
    Value,
)
from code_graph.expressions import NONE, BindingKind, Clause, Op, ScopeKind
from code_graph.model import Strategy
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from code_graph.evaluate.definitions import Definition, Finder
    from code_graph.evaluate.evaluators import Resolver
    from code_graph.evaluate.source_file import SourceFile

_NAMED: Final = frozenset({Op.NAME, Op.MEMBER})
# kinds of declarations that are called where they are, and not where they are read
_FUNCTIONS: Final = frozenset({"function", "method", "constructor", "macro"})
# an object, the name of its member, the value
_OF_REPLACING: Final = 3


class Replacement(NamedTuple):
    """A function of the file, by its declaration, in the place of another."""

    declaration: int
    replaced: Definition
    line: int
    column: int


class HandedFunctions:
    """Finds the functions of one file's code that something outside may call."""

    def __init__(self, evaluation: Resolver, definitions: Finder, file: SourceFile) -> None:
        """Nothing is looked for yet."""
        self._evaluation = evaluation
        self._definitions = definitions
        self._file = file

    def _words(self, kind: str) -> frozenset[str]:
        return words(kind, self._file.language)

    def arguments(self, call: int) -> Iterator[tuple[Definition, tuple[int, int]]]:
        """The functions that a call of something outside is given, with their places."""
        item = self._file.expressions[call]
        if item.of == NONE or self._file.last_name(item.of) in self._words("keeping"):
            return
        parts = [argument.value for argument in item.items]
        named = self._file.expressions[item.of]
        if named.op == Op.MEMBER:  # `task.delay(1)`: a library's member of a function
            parts.append(named.of)
        for part in parts:
            for found in self._functions(part):
                yield found, self._file.place(part)

    def is_registered(self, clause: Clause) -> bool:
        """True if a decorator is a member of an object from outside, as `@app.route("/")` is."""
        file = self._file
        scope = file.scope_of_declaration.get(clause.declaration)
        if scope is None or file.kind(scope) != ScopeKind.FUNCTION:
            return False
        item = file.expressions[clause.value]
        number = item.of if item.op == Op.CALL and item.of != NONE else clause.value
        named = file.expressions[number]
        if named.op != Op.MEMBER or named.name in self._words("accessors") | self._words("keeping"):
            return False
        values = self._evaluation.evaluate(file, number)
        if any(isinstance(value, FunctionValue | ClassValue) for value in values):
            return False
        return not self._is_imported(number)

    def _is_imported(self, number: int) -> bool:
        """True for a member of an external import: it may do anything.

        A description says of it that it registers; an object that was made here mostly does.
        """
        file = self._file
        while file.expressions[number].op == Op.MEMBER and file.expressions[number].of != NONE:
            number = file.expressions[number].of
        root = file.expressions[number]
        if root.op != Op.NAME:
            return False
        names = {
            f"{item.module}.{item.name}".rstrip(".")
            for item in file.facts.imports
            if root.name in {item.alias, item.name, item.module.partition(".")[0]}
        }
        values = self._evaluation.evaluate(file, number)
        return any(
            isinstance(value, ModuleValue) or (isinstance(value, External) and value.name in names)
            for value in values
        )

    def replacements(self) -> Iterator[Replacement]:
        """The functions of this file that replace functions of other files."""
        file = self._file
        for store in file.code.stores:
            for own in self._functions(store.value):
                for found in self._definitions.of(file, store.target):
                    yield from self._replacement(own, found, file.place(store.target))

    def replaced_by_call(self, call: int) -> Iterator[Replacement]:
        """The members that `setattr(x, "name", f)` of any object replaces."""
        file = self._file
        item = file.expressions[call]
        if item.of == NONE or len(item.items) != _OF_REPLACING:
            return
        if file.expressions[item.of].name not in self._words("replacing"):
            return
        of, name, value = (part.value for part in item.items)
        if NONE in {of, name, value} or file.expressions[name].op != Op.TEXT:
            return
        for own in self._functions(value):
            for holder in self._evaluation.evaluate(file, of):
                for found in self._members(holder, file.expressions[name].name):
                    yield from self._replacement(own, found, file.place(item.of))

    def _functions(self, number: int) -> Iterator[Definition]:
        """The declared functions that a name or member stands for."""
        if number == NONE or self._file.expressions[number].op not in _NAMED:
            return
        for value, strategy in self._evaluation.evaluate(self._file, number).items():
            if not isinstance(value, FunctionValue):
                continue
            for found in self._definitions.of_value(value, max(strategy, Strategy.FRAMEWORK)):
                other = self._evaluation.file(found.path)
                if other is None or found.declaration < 0:
                    continue
                # what stands for a property is the result of its function
                if other.declarations[found.declaration].kind in _FUNCTIONS:
                    yield found

    def _members(self, holder: Value, name: str) -> Iterator[Definition]:
        """The functions of a name that a class or a module declares."""
        if not isinstance(holder, ClassValue | Instance | ModuleValue):
            return
        other = self._evaluation.file(holder.path)
        scope = 0 if isinstance(holder, ModuleValue) else holder.scope
        for binding in () if other is None else other.bindings.get((scope, name), ()):
            inner = other.scope_of_declaration.get(binding.declaration) if other else None
            if binding.kind == BindingKind.DECLARED and inner is not None:
                value = FunctionValue(holder.path, inner)
                yield from self._definitions.of_value(value, Strategy.FRAMEWORK)

    def _replacement(
        self, own: Definition, found: Definition, place: tuple[int, int]
    ) -> Iterator[Replacement]:
        if own.path != self._file.path or own.declaration < 0 or found[:2] == own[:2]:
            return
        other = self._evaluation.file(found.path)
        if other is None or found.declaration < 0:
            return
        scope = other.scope_of_declaration.get(found.declaration)
        if scope is not None and other.kind(scope) == ScopeKind.FUNCTION:
            yield Replacement(own.declaration, found, *place)
