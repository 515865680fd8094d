"""The evaluator of a language's expressions, as places use it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar

from code_graph.evaluate.dependencies import name_key
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.rules import ImpliedCallFinder
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    FunctionValue,
    Injection,
    Instance,
    MemberValue,
    Result,
    Value,
    merge,
)
from code_graph.expressions import NONE, Expression, Op, ScopeKind
from code_graph.facts.model import Declaration
from code_graph.model import Strategy

# ruff: noqa: ARG002 each says what it is asked about


class Resolver:
    """Evaluates the expressions of a language; parts of it are empty for languages without them."""

    # true if what nothing else resolves is followed through parameters and containers
    follows: bool = False
    # true if a decorator is called where it stands
    calls_decorators: bool = False
    # true if making an object calls its class
    constructs: bool = True
    # finds what is called without being named; None where nothing is
    implied: ImpliedCallFinder | None = None
    # true if an expression that makes an object is a call, as it is not in Rust: only `T(…)` is
    new_calls: bool = True
    # true if a call may read a value: a component of a record, a property by its accessor
    reads_by_call: bool = False
    # operations that are as soon done again as remembered
    without_unit: ClassVar[frozenset[Op]]
    _handlers: dict[int, Callable[[SourceFile, int, Expression], Result]]

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def file(self, path: str) -> SourceFile | None:
        """A file of the tree."""
        return self.engine.file(path)

    def evaluate(self, file: SourceFile, number: int) -> Result:
        """The possible values of an expression."""
        if number == NONE:
            return {}
        item = file.expressions[number]
        handle = self._handlers.get(item.op)
        if handle is None:
            return {}
        if item.op in self.without_unit:
            return handle(file, number, item)
        key = ("value", file.path, number)
        return self.engine.unit(key, lambda: handle(file, number, item))

    def evaluate_all(self, file: SourceFile, numbers: Iterable[int]) -> Result:
        """The possible values of several expressions together."""
        found: Result = {}
        for number in numbers:
            merge(found, self.evaluate(file, number))
        return found

    def declaration_of(self, value: Value) -> Declaration | None:
        """The declaration of a member, or of the function or type of a value; None for others."""
        if not isinstance(value, MemberValue | FunctionValue | ClassValue | Instance):
            return None
        file = self.file(value.path)
        if file is None:
            return None
        number = (
            value.declaration
            if isinstance(value, MemberValue)
            else file.code.scopes[value.scope].declaration
        )
        return None if number == NONE else file.declarations[number]

    def name_of(self, value: Value) -> str:
        """The name by which a value is declared; empty without one."""
        item = self.declaration_of(value)
        return "" if item is None else item.name

    def depend_on_class(self, file: SourceFile, scope: int) -> None:
        """Record a dependency on the head of a class."""
        around = file.qualified(file.function_around(file.parent(scope)))
        declaration = file.code.scopes[scope].declaration
        name = file.declarations[declaration].name if declaration != NONE else ""
        self.engine.depend_on(file.path, name_key(file.path, around, name))

    def _either(self, file: SourceFile, _: int, item: Expression) -> Result:
        return self.evaluate_all(file, [part.value for part in item.items])

    def _function(self, file: SourceFile, _: int, item: Expression) -> Result:
        if file.kind(item.of) == ScopeKind.CLASS:
            return {ClassValue(file.path, item.of): Strategy.SCOPE}
        return {FunctionValue(file.path, item.of): Strategy.SCOPE}

    @abstractmethod
    def callees(self, file: SourceFile, number: int) -> Result:
        """The functions or classes that a call calls."""

    def may_mean_more(self, file: SourceFile, number: int, *, is_outside: bool) -> bool:
        """True if a call may mean another function than those found, which may all be outside."""
        return False

    @abstractmethod
    def targets(self, functions: Result) -> Iterator[tuple[Value, Strategy]]:
        """The callables among values."""

    def signatures(self, file: SourceFile, number: int) -> Iterator[tuple[str, int]]:
        """Path and line of the signature that a call calls, where one symbol has several."""
        return iter(())

    def constructors(self, file: SourceFile, number: int, value: ClassValue) -> Result:
        """The constructors that a call of a class runs, as far as the class declares them."""
        return {}

    def called_for(self, file: SourceFile, declaration: int) -> Iterator[Injection]:
        """The functions that a framework calls before a function, or before all of a FILE."""
        return iter(())

    def guessed(self, file: SourceFile, number: int) -> Result:
        """The likely functions of a call with an unknown target."""
        return {}

    def called_inside(self, file: SourceFile, number: int) -> Result:
        """The functions of the repository that a call of something outside runs in turn."""
        return {}

    @abstractmethod
    def imported(self, file: SourceFile, number: int) -> Result:
        """The values that an import names."""
