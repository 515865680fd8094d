"""The evaluation of Python: protocols of objects, types in annotations, and modules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from code_graph.evaluate.dependencies import names_key
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.evaluation import Evaluation, LanguageParts
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Injection,
    Instance,
    ModuleValue,
    Result,
    TupleValue,
    TypeParameter,
    Value,
    Values,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import NONE, Expression, Op
from code_graph.languages.python.rules.calls import PythonCalls
from code_graph.languages.python.rules.classes import PythonClasses
from code_graph.languages.python.rules.definitions import PythonDefinitions
from code_graph.languages.python.rules.language import PythonLanguage
from code_graph.languages.python.rules.names import PythonNames
from code_graph.model import Strategy

# the name of a CAST's type that the value is not of
_NOT: Final = "not"
_AWAITABLE: Final = "typing.Awaitable"
_AWAITED: Final = frozenset({_AWAITABLE, "typing.Coroutine"})


class PythonEvaluation(Evaluation):
    """Evaluates the expressions of Python."""

    parts = LanguageParts(
        PythonLanguage, PythonNames, PythonClasses, PythonCalls, PythonDefinitions
    )
    language: PythonLanguage
    classes: PythonClasses
    calls: PythonCalls

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._members[TypeParameter] = self._member_of_parameter
        self._handlers |= {
            Op.AWAIT: self._await,
            Op.ENTER: self._enter,
            Op.CAST: self._cast,
            Op.OPERATOR: self._operator,
            Op.CALLABLE: self._callable,
        }

    def called_for(self, file: SourceFile, declaration: int) -> Iterator[Injection]:
        """The functions that a framework calls before a function, or before all of a FILE."""
        return self.language.called_for(file, declaration)

    def constructors(self, file: SourceFile, number: int, value: ClassValue) -> Result:
        """The constructor that a class itself declares, and what else makes its objects.

        What makes them may give others, for which the constructor is not called.
        """
        del file, number
        found = dict(self.classes.makers(value))
        least = Strategy.FLOW if found else Strategy.SCOPE
        owner = self.file(value.path)
        made = Instance(value.path, value.scope)
        for member in self.classes.member_of_instance(made, "__init__"):
            if not isinstance(member, FunctionValue) or member.path != value.path:
                continue
            if owner is not None and owner.class_of(member.scope) == value.scope:
                found[member] = least
        return found

    def instances(self, file: SourceFile, number: int) -> Result:
        """The objects of a declared type."""
        if number == NONE:
            return {}
        found: Result = {}
        for value, strategy in self.evaluate(file, number).items():
            made = with_strategy(self.language.instances(value), Strategy.DECLARED)
            merge(found, made, Strategy.FLOW if strategy == Strategy.FLOW else Strategy.DECLARED)
        return found

    def _member_of_parameter(self, value: TypeParameter, name: str) -> Result:
        found: Result = {}
        for bound in value.bound:
            merge(found, self.member(bound, name))
        return found

    def module_member(self, module: ModuleValue, name: str) -> Result:
        """A name of a module: bound in it, imported by it, or a module inside of it."""
        found = dict(super().module_member(module, name))
        file = None if module.is_folder else self.file(module.path)
        if file is not None and not found:
            self.engine.depend_on(file.path, names_key(file.path))
            for other, strategy in self.language.star_modules(file, name).items():
                if isinstance(other, ModuleValue) and other != module:
                    merge(found, self.module_member(other, name), strategy)
        return found or self.language.submodule(module.path, name)

    def item_of(self, value: Value, item: Expression) -> Result:
        """The values that indexing a value gives."""
        if isinstance(value, Instance):
            found = self.calls.call_member(value, "__getitem__")
            found = found or self.language.keyed_member(value, item.name)
            for held in () if found else self.classes.held(value):
                merge(found, self.item_of(held, item))
            return found
        if isinstance(value, ClassValue | External):
            return {value: Strategy.SCOPE}
        return super().item_of(value, item)

    def _elements(self, value: Value) -> Result:
        if isinstance(value, Instance):
            return self._iterate(value)
        if isinstance(value, ClassValue):
            return self.classes.elements_of_class(value)
        return super()._elements(value)

    def _iterate(self, value: Instance) -> Result:
        found: Result = {}
        for name in ("__iter__", "__aiter__"):
            for inner, strategy in self.calls.call_member(value, name).items():
                if isinstance(inner, Instance):
                    following = "__next__" if name == "__iter__" else "__anext__"
                    merge(found, self.calls.call_member(inner, following), strategy)
                else:
                    merge(found, self._elements(inner), strategy)
        found = found or self.calls.call_member(value, "__getitem__")
        for held in () if found else self.classes.held(value):
            merge(found, self._elements(held))
        return found

    def _parts(self, value: Value) -> TupleValue | None:
        return (
            self.classes.as_tuple(value) if isinstance(value, Instance) else super()._parts(value)
        )

    def _await(self, file: SourceFile, _: int, item: Expression) -> Result:
        found: Result = {}
        for value, strategy in self.evaluate(file, item.of).items():
            if isinstance(value, ExternalInstance) and value.arguments:
                merge(found, with_strategy(value.arguments[-1], strategy))
            elif isinstance(value, Instance):
                merge(found, self.element(self.calls.call_member(value, "__await__")), strategy)
        return found

    def _enter(self, file: SourceFile, _: int, item: Expression) -> Result:
        found: Result = {}
        for value, strategy in self.evaluate(file, item.of).items():
            if isinstance(value, Instance):
                entered = self.calls.call_member(value, "__enter__")
                entered = entered or self.calls.call_member(value, "__aenter__")
                for inner, how in entered.items():
                    values: Values = (inner,)
                    if isinstance(inner, ExternalInstance) and inner.name == _AWAITABLE:
                        values = inner.arguments[-1]
                    merge(found, with_strategy(values, how), strategy)
            elif isinstance(value, ExternalInstance) and value.arguments:
                # of `Generator[Yielded, Sent, Returned]`, which a decorator makes a manager
                entered_values = value.arguments[-1 if value.name in _AWAITED else 0]
                merge(found, with_strategy(entered_values, strategy))
            elif isinstance(value, ExternalInstance):
                merge(found, {value: strategy})
        return found

    def _cast(self, file: SourceFile, _: int, item: Expression) -> Result:
        excluded = [part.value for part in item.items if part.name == _NOT]
        if excluded:
            return self.classes.without(
                self.evaluate(file, item.of), self.evaluate_all(file, excluded)
            )
        declared: Result = {}
        for part in item.items:
            merge(declared, self.instances(file, part.value))
        return self.classes.narrowed(self.evaluate(file, item.of), declared)

    def _operator(self, file: SourceFile, _: int, item: Expression) -> Result:
        if not item.items:
            return {}
        left = self.evaluate(file, item.items[0].value)
        found: Result = {}
        for value, strategy in left.items():
            if isinstance(value, Instance):
                merge(found, self.calls.operate(value, item.name), strategy)
            else:
                merge(found, {value: strategy})
        for part in item.items[1:]:
            right = self.evaluate(file, part.value)
            merge(found, {v: how for v, how in right.items() if not isinstance(v, Instance)})
        return found

    def _callable(self, file: SourceFile, _: int, item: Expression) -> Result:
        given = tuple(plain(self.instances(file, part.value)) for part in item.items)
        arguments = (TupleValue(given),), plain(self.instances(file, item.of))
        return {External("typing.Callable", arguments): Strategy.DECLARED}
