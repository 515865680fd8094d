"""Calls of builtins and of the standard library that need more than the values of arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    ExternalInstance,
    FunctionValue,
    Instance,
    Result,
    SuperValue,
    TupleValue,
    TypeParameter,
    Values,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import NONE, Argument, BindingKind, Op
from code_graph.languages.python.rules.parameter_sets import texts_of
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.python.rules.evaluation import PythonEvaluation

_PAIR: Final = 2
# arguments of a call that makes a class: its name, its bases, its members
_OF_MAKING: Final = 3
# letters of a beginning that tells which members are meant
_LEAST_BEGINNING: Final = 3


class ExternalCalls:
    """Results of single functions of the standard library."""

    def __init__(self, evaluation: PythonEvaluation) -> None:
        self._evaluation = evaluation

    def call(
        self, name: str, file: SourceFile, number: int, arguments: tuple[Argument, ...]
    ) -> Result | None:
        """The values that a call returns; None if there is nothing special about it."""
        special = _SPECIAL.get(name)
        return None if special is None else special(self, file, number, arguments)

    def call_super(self, file: SourceFile, number: int, arguments: tuple[Argument, ...]) -> Result:
        """`super()` and `super(C, self)`."""
        scope = file.class_around(file.code.scope_of[number])
        found: Result = {}
        if len(arguments) == _PAIR:
            for owner in self._evaluation.evaluate(file, arguments[0].value):
                if isinstance(owner, ClassValue):
                    for receiver in self._evaluation.evaluate(file, arguments[1].value):
                        made = SuperValue(owner.path, owner.scope, receiver)
                        merge(found, {made: Strategy.RECEIVER})
            return found
        if scope == NONE:
            return found
        method = file.method_around(file.code.scope_of[number])
        without = SuperValue(file.path, scope, Instance(file.path, scope))
        values = self._evaluation.super_in(file, method) or [without]
        return dict.fromkeys(values, Strategy.RECEIVER)

    def call_getattr(
        self, file: SourceFile, number: int, arguments: tuple[Argument, ...]
    ) -> Result:
        """`getattr(x, "name")` with a literal name, or with one of several."""
        del number
        found: Result = {}
        if len(arguments) < _PAIR:
            return found
        names = texts_of(self._evaluation, file, arguments[1].value)
        begin = "" if names else _beginning(self._evaluation, file, arguments[1].value)
        for value, strategy in self._evaluation.evaluate(file, arguments[0].value).items():
            for name in names:
                merge(found, self._evaluation.member(value, name), strategy)
            if begin and isinstance(value, Instance):
                for name in self._evaluation.classes.names_beginning(value, begin):
                    merge(found, self._evaluation.member(value, name), Strategy.ALIKE)
        if not any(isinstance(value, FunctionValue | ClassValue | Instance) for value in found):
            for item in arguments[_PAIR:]:
                merge(found, self._evaluation.evaluate(file, item.value))
        return {value: max(how, Strategy.FLOW) for value, how in found.items()}

    def call_type(self, file: SourceFile, number: int, arguments: tuple[Argument, ...]) -> Result:
        """`type(x)`: the class of an object; `type("C", (B,), {})`: one that is as `B` is."""
        found: Result = {}
        if len(arguments) == _OF_MAKING:
            return self.call_made_class(file, number, arguments)
        if len(arguments) == 1:
            for value, strategy in self._evaluation.evaluate(file, arguments[0].value).items():
                if isinstance(value, Instance):
                    made = ClassValue(value.path, value.scope, value.arguments)
                    merge(found, {made: max(strategy, Strategy.FLOW)})
        return found

    def call_made_class(
        self, file: SourceFile, number: int, arguments: tuple[Argument, ...]
    ) -> Result:
        """`new_class("C", (B,))`: a class that has all that its bases have."""
        del number
        found: Result = {}
        for base in self._evaluation.element(bases_of_made(self._evaluation, file, arguments)):
            if isinstance(base, ClassValue):
                found[base] = Strategy.FLOW
        return found

    def call_cast(self, file: SourceFile, number: int, arguments: tuple[Argument, ...]) -> Result:
        """`cast(T, x)`."""
        del number
        return self._evaluation.instances(file, arguments[0].value) if arguments else {}

    def call_enumerate(
        self, file: SourceFile, number: int, arguments: tuple[Argument, ...]
    ) -> Result:
        """`enumerate(xs)`."""
        del number
        values = self.elements_of(file, arguments)
        pair = TupleValue((((ExternalInstance("builtins.int"),)), values[0] if values else ()))
        return {ExternalInstance("typing.Iterator", ((pair,),)): Strategy.GENERIC}

    def call_zip(self, file: SourceFile, number: int, arguments: tuple[Argument, ...]) -> Result:
        """`zip(xs, ys)`."""
        del number
        row = TupleValue(tuple(self.elements_of(file, arguments)))
        return {ExternalInstance("typing.Iterator", ((row,),)): Strategy.GENERIC}

    def call_chain(self, file: SourceFile, number: int, arguments: tuple[Argument, ...]) -> Result:
        """`chain(xs, ys)`."""
        del number
        every = tuple(dict.fromkeys(v for row in self.elements_of(file, arguments) for v in row))
        return {ExternalInstance("typing.Iterator", (every,)): Strategy.GENERIC}

    def elements_of(self, file: SourceFile, arguments: tuple[Argument, ...]) -> list[Values]:
        """The elements of each positional argument."""
        return [
            plain(self._evaluation.element(self._evaluation.evaluate(file, item.value)))
            for item in arguments
            if not item.name
        ]

    def call_map(self, file: SourceFile, number: int, arguments: tuple[Argument, ...]) -> Result:
        """`map(f, xs)`: the results of the function."""
        if not arguments:
            return {}
        functions = self._evaluation.evaluate(file, arguments[0].value)
        values = plain(self._evaluation.calls.call(file, number, functions, ()))
        return {ExternalInstance("typing.Iterator", (values,)): Strategy.GENERIC}

    def call_filter(self, file: SourceFile, number: int, arguments: tuple[Argument, ...]) -> Result:
        """`filter(f, xs)`."""
        del number
        values = self.elements_of(file, arguments[1:])
        return {
            ExternalInstance("typing.Iterator", (values[0] if values else (),)): Strategy.GENERIC
        }

    def call_defaultdict(
        self, file: SourceFile, number: int, arguments: tuple[Argument, ...]
    ) -> Result:
        """`defaultdict(f)`: its values are what the function gives."""
        values: Values = ()
        if arguments:
            functions = self._evaluation.evaluate(file, arguments[0].value)
            values = plain(self._evaluation.calls.call(file, number, functions, ()))
        return {ExternalInstance("collections.defaultdict", ((), values)): Strategy.GENERIC}

    def call_field(self, file: SourceFile, number: int, arguments: tuple[Argument, ...]) -> Result:
        """`field(default_factory=f)` of a data class."""
        found: Result = {}
        for item in arguments:
            if item.name == "default_factory":
                functions = self._evaluation.evaluate(file, item.value)
                merge(found, self._evaluation.calls.call(file, number, functions, ()))
            elif item.name == "default":
                merge(found, self._evaluation.evaluate(file, item.value))
        return found

    def call_type_variable(
        self, file: SourceFile, number: int, arguments: tuple[Argument, ...]
    ) -> Result:
        """`TypeVar("T", bound=B)`."""
        del number
        name = file.expressions[arguments[0].value].name if arguments else ""
        bound: Result = {}
        for item in arguments[1:]:
            if item.name in {"", "bound"}:
                merge(bound, self._evaluation.instances(file, item.value))
        parameter = TypeParameter(name, plain(bound))
        return {ExternalInstance("typing.TypeVar", ((parameter,),)): Strategy.DECLARED}

    def call_partial_result(
        self, file: SourceFile, number: int, arguments: tuple[Argument, ...]
    ) -> Result:
        """`reduce(f, xs)`, `asyncio.to_thread(f)`, `LocalProxy(f)`: the function's result."""
        if not arguments:
            return {}
        functions = self._evaluation.evaluate(file, arguments[0].value)
        return self._evaluation.calls.call(file, number, functions, ())

    def call_gather(self, file: SourceFile, number: int, arguments: tuple[Argument, ...]) -> Result:
        """`asyncio.gather(a, b)`: awaited, a tuple of the results."""
        del number
        parts: list[Values] = []
        for item in arguments:
            values: Result = {}
            for value in self._evaluation.evaluate(file, item.value):
                if isinstance(value, ExternalInstance) and value.arguments:
                    merge(values, with_strategy(value.arguments[-1], Strategy.GENERIC))
            parts.append(plain(values))
        made = TupleValue(tuple(parts))
        return {ExternalInstance("typing.Awaitable", ((made,),)): Strategy.GENERIC}


def _beginning(evaluation: PythonEvaluation, file: SourceFile, number: int, depth: int = 0) -> str:
    """The text that a name which code puts together begins with: `"visit_" + kind`."""
    item = file.expressions[number] if number != NONE else None
    if item is None or depth > 1:
        return ""
    if item.op == Op.OPERATOR and item.items and item.name in {"Add", "Mod"}:
        first = item.items[0].value
        text = file.expressions[first] if first != NONE else item
        is_begin = text.op == Op.TEXT and len(text.name) >= _LEAST_BEGINNING
        return text.name if is_begin else ""
    if item.op == Op.NAME:
        way = evaluation.names.way(file, file.code.scope_of[number], item.name)
        for row in file.bindings.get((way.holder, item.name), ()):
            if row.kind == BindingKind.ASSIGNED:
                return _beginning(evaluation, file, row.value, depth + 1)
    return ""


def bases_of_made(
    evaluation: PythonEvaluation, file: SourceFile, arguments: tuple[Argument, ...]
) -> Result:
    """The bases that a call which makes a class is given."""
    rows = [item.value for item in arguments if not item.name]
    named = [item.value for item in arguments if item.name == "bases"]
    bases = named[0] if named else rows[1] if len(rows) > 1 else NONE
    return evaluation.evaluate(file, bases)


_SPECIAL: Final = {
    "builtins.super": ExternalCalls.call_super,
    "builtins.getattr": ExternalCalls.call_getattr,
    "builtins.type": ExternalCalls.call_type,
    "types.new_class": ExternalCalls.call_made_class,
    "typing.cast": ExternalCalls.call_cast,
    "builtins.enumerate": ExternalCalls.call_enumerate,
    "builtins.zip": ExternalCalls.call_zip,
    "itertools.zip_longest": ExternalCalls.call_zip,
    "itertools.product": ExternalCalls.call_zip,
    "itertools.chain": ExternalCalls.call_chain,
    "builtins.map": ExternalCalls.call_map,
    "itertools.starmap": ExternalCalls.call_map,
    "builtins.filter": ExternalCalls.call_filter,
    "collections.defaultdict": ExternalCalls.call_defaultdict,
    "dataclasses.field": ExternalCalls.call_field,
    "attr.ib": ExternalCalls.call_field,
    "attrs.field": ExternalCalls.call_field,
    "typing.TypeVar": ExternalCalls.call_type_variable,
    "typing_extensions.TypeVar": ExternalCalls.call_type_variable,
    "functools.reduce": ExternalCalls.call_partial_result,
    "werkzeug.local.LocalProxy": ExternalCalls.call_partial_result,
    "django.utils.functional.SimpleLazyObject": ExternalCalls.call_partial_result,
    "asyncio.to_thread": ExternalCalls.call_partial_result,
    "asyncio.gather": ExternalCalls.call_gather,
}
