"""Containers, delegates and tasks of C#, through which values of the repository pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from code_graph.declared.calls import DeclaredCalls
from code_graph.declared.effects import LibraryRules
from code_graph.declared.evaluation import DeclaredEvaluation
from code_graph.declared.types import CALLABLE
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    External,
    ExternalInstance,
    Result,
    TupleValue,
    Value,
    Values,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import NONE, Expression
from code_graph.languages.csharp.rules import library as known
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.csharp.rules.language import CSharpRules


class CSharpContainers(LibraryRules):
    """Element, key and result types of C#'s external types."""

    # external types

    def external_type(self, name: str, arguments: tuple[Values, ...]) -> Values:
        """The objects of an external type; delegates are functions."""
        short = self.short_name(name)
        shape = self._function(short, arguments)
        if shape is not None:
            given, result = shape
            return (ExternalInstance(CALLABLE, ((TupleValue(given),), result)),)
        if short in known.TYPES["transparent"] and len(arguments) == 1:
            return arguments[0]
        if short in {"ValueTuple", "Tuple"} and len(arguments) > 1:
            return (TupleValue(arguments),)
        return (ExternalInstance(short, arguments),)

    def _function(
        self, name: str, arguments: tuple[Values, ...]
    ) -> tuple[tuple[Values, ...], Values] | None:
        """Parameters and result of an external delegate."""
        found: tuple[tuple[Values, ...], Values] | None = None
        if name == known.FUNC and arguments:
            found = arguments[:-1], arguments[-1]
        elif name == known.ACTION:
            found = arguments, ()
        elif name in known.PREDICATES:
            found = arguments, (ExternalInstance("bool"),)
        elif name in known.COMPARING:
            found = (*arguments, *arguments), (ExternalInstance("int"),)
        elif name in known.EVENTS:
            sender: Values = (ExternalInstance("object"),)
            found = (sender, arguments[0] if arguments else ()), ()
        return found

    def is_interface(self, name: str) -> bool:
        """True if an external type is an interface, by the manner of its name."""
        short = name.rpartition(".")[2]
        return short[:1] == "I" and short[1:2].isupper()

    def is_unknown(self, name: str) -> bool:
        """True if nothing is known about an external type."""
        return super().is_unknown(name) or name == "var"

    # external members

    def short_name(self, name: str) -> str:
        """The name by which rows know an external type."""
        return self.plain_name(super().short_name(name))

    def member_of_external(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """A member of a container, or of something that nothing is known of."""
        if isinstance(value, External) and number not in self._evaluation.types.table(file).called:
            owner = self.short_name(value.name)
            if owner in known.TYPES["constants"]:
                return {ExternalInstance(owner): Strategy.GENERIC}
        return super().member_of_external(file, number, value, name)

    def given_by(
        self, value: External, file: SourceFile | None = None, number: int = NONE
    ) -> Values | None:
        """The results of a method; on a type of constants, one of its constants."""
        if value.name == "Task.Run" and file is not None:
            results = [self.result_of(file, part.value) for part in file.expressions[number].items]
            return tuple(
                ExternalInstance("Task", (tuple(v for one in result for v in awaited(one)),))
                for result in results[:1]
            )
        values = super().given_by(value, file, number)
        owner = self.short_name(value.name.rpartition(".")[0])
        is_constant = file is not None and not value.arguments and owner in known.TYPES["constants"]
        return (ExternalInstance(owner),) if is_constant and not values else values

    def callback_parameters(
        self, value: External, file: SourceFile, number: int, position: int
    ) -> tuple[Values, ...]:
        """The arguments that a method passes to a function: also to the second of `SelectMany`."""
        given = super().callback_parameters(value, file, number, position)
        if position == 1 and value.arguments and value.name.endswith(".SelectMany"):
            inner = self.result_of(file, file.expressions[number].items[0].value)
            return given[0], plain(self._evaluation.element(with_strategy(inner, Strategy.GENERIC)))
        return given


class CSharpEvaluation(DeclaredEvaluation):
    """Evaluates `await`, and calls of extensions on unknown objects."""

    rules: CSharpRules

    def _await(self, file: SourceFile, number: int, item: Expression) -> Result:
        return all_awaited(super()._await(file, number, item))

    def may_mean_more(self, file: SourceFile, number: int, *, is_outside: bool) -> bool:
        """True if a call on an object of an unknown type may be one of an extension here."""
        return is_outside and self.rules.may_extend(file, number)


class CSharpCalls(DeclaredCalls):
    """Calls, out arguments, and results of functions with `async`."""

    def output(self, file: SourceFile, call: int, position: int) -> Result:
        """The values that a call stores in an argument: `TryGetValue` and the like."""
        found = super().output(file, call, position)
        for value in self.callees(file, call) if not found else ():
            name = value.name.rpartition(".")[2] if isinstance(value, External) else ""
            if isinstance(value, External) and value.arguments and name.startswith("Try"):
                merge(found, with_strategy(value.arguments[-1], Strategy.GENERIC))
        return found

    def _expected_result(self, file: SourceFile, scope: int) -> Result:
        found = super()._expected_result(file, scope)
        declaration = file.code.scopes[scope].declaration
        is_async = declaration != NONE and "async" in file.declarations[declaration].modifiers
        return all_awaited(found) if is_async else found


def awaited(value: Value) -> Values:
    """The result of a task."""
    if isinstance(value, ExternalInstance) and value.name in known.TYPES["awaitable"]:
        return value.arguments[-1] if value.arguments else ()
    return (value,)


def all_awaited(values: Result) -> Result:
    """The results of tasks."""
    found: Result = {}
    for value, strategy in values.items():
        merge(found, with_strategy(awaited(value), strategy))
    return found
