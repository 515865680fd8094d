"""Containers, delegates and tasks of C#, through which values of the repository pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_graph.declared.calls import DeclaredCalls
from code_graph.declared.evaluation import DeclaredEvaluation
from code_graph.declared.rules import DeclaredRules
from code_graph.declared.types import ARRAY, CALLABLE
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
from code_graph.expressions import NONE, Expression, Op
from code_graph.languages.csharp.rules import library as known
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.csharp.rules.language import CSharpRules

_PAIR: Final = 2


class CSharpContainers(DeclaredRules):
    """Element, key and result types of C#'s external types."""

    # external types

    def external_type(self, name: str, arguments: tuple[Values, ...]) -> Values:
        """The objects of an external type; delegates are functions."""
        short = name.rpartition(".")[2]
        short = known.SYNONYMS.get(short, short)
        shape = self._function(short, arguments)
        if shape is not None:
            given, result = shape
            return (ExternalInstance(CALLABLE, ((TupleValue(given),), result)),)
        if short in known.TRANSPARENT and len(arguments) == 1:
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

    def member_of_external(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """A member of a container, or of something that nothing is known of."""
        if number not in self._evaluation.types.table(file).called:
            values: Values = ()
            if isinstance(value, ExternalInstance) and value.arguments:
                values = self._property(value, name)
            values = values or self._typed(value, name)
            if values:
                return with_strategy(values, Strategy.GENERIC)
        return super().member_of_external(file, number, value, name)

    def _typed(self, value: Value, name: str) -> Values:
        """The values of a member of an external type, by its name."""
        if isinstance(value, External):
            owner = self.plain_name(value.name.rpartition(".")[2])
            if owner in known.OF_THEMSELVES:
                return (ExternalInstance(owner),)
        kind = known.OF_NAMES.get(name)
        return () if kind is None else (ExternalInstance(kind),)

    def _property(self, value: ExternalInstance, name: str) -> Values:
        arguments = value.arguments
        if value.name in known.MAPS and len(arguments) == _PAIR:
            if name in {"Values", "Keys"}:
                at = 1 if name == "Values" else 0
                return (ExternalInstance("ICollection", (arguments[at],)),)
        elif value.name in {known.PAIR, known.GROUPING} and len(arguments) == _PAIR:
            if name in {"Key", "Value"}:
                return arguments[0] if name == "Key" else arguments[1]
        elif name in known.ELEMENT:
            return arguments[-1]
        return ()

    def call_external(self, value: External, file: SourceFile, number: int) -> Result:
        """The values that a method of a container or of a sequence returns."""
        owner, _, name = value.name.rpartition(".")
        if not value.arguments:
            return self._known(value, file, number)
        element = self.element(ExternalInstance(owner, value.arguments))
        found = self._of_sequence(owner, name, element, value, file, number)
        if found:
            return with_strategy(found, Strategy.GENERIC)
        return super().call_external(value, file, number)

    def _known(self, value: External, file: SourceFile, number: int) -> Result:
        """`Task.FromResult(x)` and calls of which nothing is known."""
        items = file.expressions[number].items
        name = value.name.rpartition(".")[2]
        if value.name in {"Task.FromResult", "ValueTask.FromResult"} and items:
            given = plain(self._evaluation.evaluate(file, items[0].value))
            return {ExternalInstance("Task", (given,)): Strategy.GENERIC}
        if value.name == "Task.Run" and items:
            results = self.result_of(file, items[0].value)
            inner = tuple(v for one in results for v in awaited(one))
            return {ExternalInstance("Task", (inner,)): Strategy.GENERIC}
        if value.name == "Task.WhenAll" and len(items) == 1:
            given = plain(self._evaluation.element(self._evaluation.evaluate(file, items[0].value)))
            inner = tuple(v for one in given for v in awaited(one))
            return {
                ExternalInstance("Task", ((ExternalInstance(ARRAY, (inner,)),),)): (
                    Strategy.GENERIC
                )
            }
        typed = self._type_argument(file, file.expressions[number])
        kind = self._kind_of_result(value.name.rpartition(".")[0], name)
        if kind:
            return {ExternalInstance(kind): Strategy.GENERIC}
        if typed and name in {"GetRequiredService", "GetService", "CreateInstance", "Deserialize"}:
            return with_strategy(typed, Strategy.GENERIC)
        return super().call_external(value, file, number)

    def _kind_of_result(self, owner: str, name: str) -> str:
        """The type that a method of an external type gives, by its name; empty if unknown."""
        short = self.plain_name(owner.rpartition(".")[2])
        if name in known.OF_NAMES:
            return known.OF_NAMES[name] if short else ""
        return short if short in known.OF_THEMSELVES else ""

    def _type_argument(self, file: SourceFile, item: Expression) -> Values:
        of = file.expressions[item.of] if item.of != NONE else None
        if of is None or of.op != Op.APPLY or not of.items:
            return ()
        return plain(self._evaluation.types.instances(file, of.items[0].value))

    def _of_sequence(
        self,
        owner: str,
        name: str,
        element: Values,
        value: External,
        file: SourceFile,
        number: int,
    ) -> Values:
        item = file.expressions[number]
        made: Values = ()
        if owner in known.AWAITABLE:
            same: Values = (ExternalInstance(owner, value.arguments),)
            made = same if name == "ConfigureAwait" else value.arguments[-1]
        elif owner in known.MAPS and name in known.VALUE:
            made = value.arguments[-1]
        elif name in known.TYPED:
            made = (ExternalInstance("IEnumerable", (self._type_argument(file, item),)),)
        elif name in known.SAME:
            kind = "List" if name.startswith("ToList") else "IEnumerable"
            made = (ExternalInstance(kind, (element,)),)
        else:
            functions = [part.value for part in item.items if part.value != NONE]
            made = self._by_function(file, name, element, functions)
            if not made and name in known.ELEMENT:
                made = element
        if made and name.endswith("Async"):
            made = (ExternalInstance("Task", (made,)),)
        return made

    def _by_function(
        self, file: SourceFile, name: str, element: Values, functions: list[int]
    ) -> Values:
        """The result of a method of a sequence that applies functions to its elements."""
        if not functions:
            return ()
        results = self.result_of(file, functions[0])
        made: Values = ()
        if name in known.MAPPED:
            made = (ExternalInstance("IEnumerable", (results,)),)
        elif name in known.FLATTENED:
            flat = plain(self._evaluation.element(dict.fromkeys(results, Strategy.GENERIC)))
            made = (ExternalInstance("IEnumerable", (flat,)),)
        elif name == "GroupBy":
            group = ExternalInstance(known.GROUPING, (results, element))
            made = (ExternalInstance("IEnumerable", ((group,),)),)
        elif name in {"ToDictionary", "ToLookup"}:
            second = self.result_of(file, functions[1]) if len(functions) > 1 else ()
            made = (ExternalInstance("Dictionary", (results, second or element)),)
        elif name in {"Max", "Min", "Sum", "Average"}:
            made = results
        elif name == "Aggregate" and len(functions) > 1:
            made = plain(self._evaluation.evaluate(file, functions[0]))
        return made

    def callback_parameters(
        self, value: External, file: SourceFile, number: int, position: int
    ) -> tuple[Values, ...]:
        """The arguments that a method of a sequence passes to its callback."""
        owner, _, name = value.name.rpartition(".")
        if not value.arguments or not known.passes_elements(name):
            return ()
        element = self.element(ExternalInstance(owner, value.arguments))
        items = file.expressions[number].items
        if name == "Aggregate" and len(items) > 1:
            return plain(self._evaluation.evaluate(file, items[0].value)), element
        if owner in known.MAPS and name in known.VALUE:
            return value.arguments
        if name == "SelectMany" and position == 1:
            inner = dict.fromkeys(self.result_of(file, items[0].value), Strategy.GENERIC)
            return element, plain(self._evaluation.element(inner))
        if name in {"Aggregate", "Sort"}:
            return element, element
        return element, (ExternalInstance("int"),)

    def element(self, value: Value) -> Values:
        """The element of a container in a loop."""
        if isinstance(value, ExternalInstance) and value.arguments:
            if value.name in known.MAPS and len(value.arguments) == _PAIR:
                return (ExternalInstance(known.PAIR, value.arguments),)
            return value.arguments[-1]
        return ()


class CSharpEvaluation(DeclaredEvaluation):
    """Evaluates `await`, and calls of extensions on what is not known."""

    rules: CSharpRules

    def _await(self, file: SourceFile, number: int, item: Expression) -> Result:
        return all_awaited(super()._await(file, number, item))

    def may_mean_more(self, file: SourceFile, number: int, *, is_outside: bool) -> bool:
        """True if a call on an object of an unknown type may be one of an extension here."""
        return is_outside and self.rules.may_extend(file, number)


class CSharpCalls(DeclaredCalls):
    """Calls, what they store in arguments, and what functions with `async` give."""

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
    if isinstance(value, ExternalInstance) and value.name in known.AWAITABLE:
        return value.arguments[-1] if value.arguments else ()
    return (value,)


def all_awaited(values: Result) -> Result:
    """The results of tasks."""
    found: Result = {}
    for value, strategy in values.items():
        merge(found, with_strategy(awaited(value), strategy))
    return found
