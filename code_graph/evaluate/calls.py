"""Calls: their results, and the values of parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.dependencies import body_key, name_key
from code_graph.evaluate.parameters import SPREAD, parameters_for
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    RecordValue,
    Result,
    TupleValue,
    Value,
    is_none,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import (
    NONE,
    Argument,
    Binding,
    BindingKind,
    ResultKind,
    ScopeKind,
)
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.evaluate.evaluation import Evaluation

# call sites that a parameter is followed to
MOST_SITES: Final = 60
_GIVEN: Final = Strategy.ARGUMENT


class Calls:
    """Evaluates calls of functions and classes."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation

    def call(
        self, file: SourceFile, number: int, functions: Result, items: Sequence[Argument]
    ) -> Result:
        """The values that a call returns, over all possible callees."""
        found: Result = {}
        for value, strategy in functions.items():
            merge(found, self._call_one(file, number, value, items), strategy)
        return found

    def _call_one(
        self, file: SourceFile, number: int, value: Value, items: Sequence[Argument]
    ) -> Result:
        if isinstance(value, FunctionValue):
            return self.result(value)
        if isinstance(value, External):
            return self._evaluation.language.call_external(value.name, file, number, tuple(items))
        return {}

    def targets(self, functions: Result) -> Iterator[tuple[Value, Strategy]]:
        """The callables among values: functions, classes, externals, and what objects call."""
        return iter(functions.items())

    def result(self, value: FunctionValue) -> Result:
        """The values that a function returns."""
        file = self._evaluation.file(value.path)
        if file is None:
            return {}
        receiver = value.receiver
        key = ("result", value.path, value.scope, receiver)
        return self._evaluation.engine.unit(key, lambda: self._result(file, value))

    def _result(self, file: SourceFile, value: FunctionValue) -> Result:
        self.depend_on_head(file, value.scope)
        name = file.qualified(value.scope)
        self._evaluation.engine.depend_on(file.path, body_key(file.path, name))
        return self._inferred(file, value)

    def _inferred(self, file: SourceFile, value: FunctionValue) -> Result:
        """The result of a body."""
        found: Result = {}
        for item in file.results.get(value.scope, ()):
            if item.kind == ResultKind.RETURN:
                merge(found, self._evaluation.evaluate(file, item.value), Strategy.RESULT)
        return found

    def _split_results(self, file: SourceFile, value: FunctionValue) -> tuple[Result, Result]:
        """The returned and the yielded values of a function."""
        returned: Result = {}
        yielded: Result = {}
        for item in file.results.get(value.scope, ()):
            values = self._own_result(file, value, item.value)
            if item.kind == ResultKind.DELEGATE:
                values = self._evaluation.element(values)
            into = returned if item.kind == ResultKind.RETURN else yielded
            merge(into, values, Strategy.RESULT)
        return returned, yielded

    def _own_result(self, file: SourceFile, value: FunctionValue, number: int) -> Result:
        """A result, which may be the receiver of a method."""
        del value
        return self._evaluation.evaluate(file, number)

    def construct_plain(self, value: ClassValue) -> Result:
        """An object of a class, whatever its arguments are."""
        return {Instance(value.path, value.scope, value.arguments): Strategy.FLOW}

    def matched(
        self, owner: SourceFile, value: FunctionValue, items: Sequence[Argument]
    ) -> Iterator[tuple[Binding, int]]:
        """The parameters of a function and the arguments of a call that they get."""
        rows = list(owner.parameters.get(value.scope, ()))
        if value.receiver is not None and rows:
            rows = rows[1:]
        given = [item for item in items if item.value != NONE and item.name not in SPREAD]
        placed = parameters_for(rows, [item.name for item in given])
        for row, item in zip(placed, given, strict=True):
            if row is not None:
                yield row, item.value

    def parameter(self, file: SourceFile, binding: Binding) -> Result:
        """The possible values of a parameter."""
        receiver = self._receiver(file, binding)
        return receiver or self._gathered(binding, self._given(file, binding))

    def _receiver(self, file: SourceFile, binding: Binding) -> Result:
        """The receiver, if the parameter is one; else nothing."""
        rows = file.parameters.get(binding.scope, [])
        is_first = bool(rows) and rows[0] is binding
        return self._evaluation.language.receiver(file, binding.scope) if is_first else {}

    def _given(self, file: SourceFile, binding: Binding) -> Result:
        """A parameter that is no receiver: its default, else the arguments of calls."""
        found = self._default(file, binding) or self._of_callback(file, binding)
        if not found and self._evaluation.engine.is_following:
            found = self._followed(file, binding)
        return found

    def _default(self, file: SourceFile, binding: Binding) -> Result:
        default = self._evaluation.evaluate(file, binding.value)
        found = {value: how for value, how in default.items() if not is_none(value)}
        if any(isinstance(value, FunctionValue | ClassValue) for value in found):
            merge(found, self._followed(file, binding))  # a default that calls replace
        return found

    def _gathered(self, binding: Binding, found: Result) -> Result:
        if binding.kind == BindingKind.VARIADIC:
            kind = self._evaluation.language.literal("tuple")
            return {ExternalInstance(kind, (plain(found),)): Strategy.DECLARED}
        if binding.kind == BindingKind.KEYWORDS:
            if any(isinstance(value, RecordValue) for value in found):
                return found
            kind = self._evaluation.language.literal("dict")
            return {ExternalInstance(kind, ((), plain(found))): Strategy.DECLARED}
        return found

    def _followed(self, file: SourceFile, binding: Binding) -> Result:
        """A parameter by the arguments at call sites in its file."""
        scope = binding.scope
        if file.code.scopes[scope].declaration == NONE:
            return {}
        name = self._called_name(file, scope)
        found: Result = {}
        keyed: dict[str, Result] = {}
        for number in file.calls.get(name, ())[:MOST_SITES]:
            item = file.expressions[number]
            for value in self._callees(file, item.of):
                if isinstance(value, FunctionValue) and (value.path, value.scope) == (
                    file.path,
                    scope,
                ):
                    self._add_arguments(file, binding, value, item.items, found, keyed)
        if keyed:
            parts = tuple((name, plain(values)) for name, values in keyed.items())
            return {RecordValue(parts, is_mapping=True): Strategy.ARGUMENT}
        return found

    def _called_name(self, file: SourceFile, scope: int) -> str:
        """The name by which calls call a function that is declared."""
        return file.declarations[file.code.scopes[scope].declaration].name

    def _add_arguments(
        self,
        file: SourceFile,
        binding: Binding,
        value: FunctionValue,
        items: Sequence[Argument],
        found: Result,
        keyed: dict[str, Result],
    ) -> None:
        """Add the argument of a call for a parameter; for `**keywords` by name."""
        names = {item.value: item.name for item in items if item.name}
        for row, argument in self.matched(file, value, items):
            if row is binding:
                given = self._evaluation.evaluate(file, argument)
                if binding.kind == BindingKind.KEYWORDS:
                    merge(keyed.setdefault(names.get(argument, ""), {}), given, Strategy.ARGUMENT)
                else:
                    merge(found, given, Strategy.ARGUMENT)
        rows = file.parameters[binding.scope]
        skipped = value.receiver is not None
        for at, item in enumerate(items):
            if item.name == "*":
                place = rows.index(binding) - at - skipped
                spread = self._evaluation.evaluate(file, item.value)
                merge(found, self._spread(spread, binding, place), Strategy.ARGUMENT)
            elif item.name == "**":
                for inner in self._evaluation.evaluate(file, item.value):
                    for name, values in inner.parts if isinstance(inner, RecordValue) else ():
                        if binding.kind == BindingKind.KEYWORDS:
                            merge(keyed.setdefault(name, {}), dict.fromkeys(values, _GIVEN))
                        elif name == binding.name:
                            merge(found, dict.fromkeys(values, _GIVEN))

    def _spread(self, values: Result, binding: Binding, place: int) -> Result:
        """The values of spread arguments that a parameter gets, by its place after the spread."""
        if place < 0 or binding.kind not in {BindingKind.PARAMETER, BindingKind.VARIADIC}:
            return {}
        found: Result = {}
        for value in values:
            if isinstance(value, TupleValue):
                last = place + 1 if binding.kind == BindingKind.PARAMETER else None
                for part in value.parts[place:last]:
                    merge(found, dict.fromkeys(part, _GIVEN))
            else:
                merge(found, self._evaluation.element({value: _GIVEN}))
        return found

    def _callees(self, file: SourceFile, number: int) -> Iterator[Value]:
        return (value for value, _ in self.targets(self._evaluation.evaluate(file, number)))

    def _of_callback(self, file: SourceFile, binding: Binding) -> Result:
        """A parameter of a function argument, by what the called function passes to it."""
        number = file.function_expressions.get(binding.scope, NONE)
        call = file.argument_of.get(number, NONE)
        if call == NONE:
            return {}
        at = file.parameters[binding.scope].index(binding)
        found: Result = {}
        for value, strategy in self._evaluation.evaluate(file, file.expressions[call].of).items():
            if isinstance(value, FunctionValue):
                merge(found, self._callback_parameter(file, number, value, at), strategy)
            else:
                given = self._evaluation.language.callback_arguments(value, file, call)
                if at < len(given):
                    merge(found, with_strategy(given[at], Strategy.GENERIC))
        return found

    def _callback_parameter(
        self, file: SourceFile, number: int, value: FunctionValue, at: int
    ) -> Result:
        """The values that a function gives to a parameter of a callback, by its expression."""
        del file, number, value, at
        return {}

    def depend_on_head(self, file: SourceFile, scope: int) -> None:
        """Record a dependency on the head of a function."""
        declaration = file.code.scopes[scope].declaration
        around = file.function_around(file.parent(scope))
        if declaration == NONE or file.kind(around) == ScopeKind.FUNCTION:
            key = body_key(file.path, file.qualified(around))
        else:
            name = file.declarations[declaration].name
            key = name_key(file.path, file.qualified(around), name)
        self._evaluation.engine.depend_on(file.path, key)
