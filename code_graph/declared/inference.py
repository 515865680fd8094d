"""Infers the type arguments of a generic function from the arguments of a call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from code_graph.declared.part import EvaluationPart
from code_graph.declared.types import CALLABLE
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.substitution import mentions_parameter, substitute_all
from code_graph.evaluate.values import (
    ExternalInstance,
    FunctionValue,
    Instance,
    TupleValue,
    TypeParameter,
    Value,
    Values,
    is_none,
    plain,
)
from code_graph.expressions import NONE, Argument, BindingKind, Op, ScopeKind

_MOST_NESTED: Final = 6
_PAIR: Final = 2


class Inference(EvaluationPart):
    """Compares declared types with the values that they stand for."""

    def unified(
        self,
        file: SourceFile,
        value: FunctionValue,
        items: Sequence[Argument],
        *,
        without_functions: bool = False,
    ) -> dict[str, Values]:
        """Bindings of a function's type parameters in a call; anonymous functions come last."""
        owner = self._evaluation.file(value.path)
        given: dict[str, Values] = {}
        matches = self._evaluation.calls.overloads.matched(value, items)
        if owner is None or matches is None:
            return given
        if self._evaluation.calls.is_called_as_extension(value) and value.receiver is not None:
            for row in owner.parameters.get(value.scope, ())[:1]:
                for declared in self._evaluation.types.instances(owner, row.annotation):
                    self.unify(declared, (value.receiver,), given)
        late: list[tuple[Values, int]] = []
        for match in matches:
            declared_type = plain(self._evaluation.calls.parameter_type(value, match.parameter))
            argument = items[match.position].value
            if argument == NONE or not any(map(mentions_parameter, declared_type)):
                continue
            if match.parameter.kind == BindingKind.VARIADIC:
                elements = dict.fromkeys(declared_type, self._evaluation.weakest)
                declared_type = plain(self._evaluation.element(elements))
            item = file.expressions[argument]
            if item.op == Op.FUNCTION and file.kind(item.of) == ScopeKind.FUNCTION:
                late.append((declared_type, argument))
                continue
            values = plain(self._evaluation.evaluate(file, argument))
            for one in declared_type:
                self.unify(one, values, given)
        for declared_type, argument in () if without_functions else late:
            values = plain(self._evaluation.evaluate(file, argument))
            for one in declared_type:
                self.unify(one, values, given)
        return given

    def unify(
        self, declared: Value, values: Values, given: dict[str, Values], depth: int = 0
    ) -> None:
        """Infer the parameters of a declared type from these values."""
        if depth > _MOST_NESTED or not values:
            return
        if isinstance(declared, TypeParameter):
            known = [value for value in values if not self._says_nothing(value)]
            if known:
                given.setdefault(declared.name, tuple(dict.fromkeys(known)))
            return
        for value in values:
            self._unify_one(declared, value, given, depth + 1)

    def _says_nothing(self, value: Value) -> bool:
        is_unknown = self._rules.is_unknown
        return is_none(value) or (isinstance(value, ExternalInstance) and is_unknown(value.name))

    def _unify_one(
        self, declared: Value, value: Value, given: dict[str, Values], depth: int
    ) -> None:
        if isinstance(declared, TupleValue) and isinstance(value, TupleValue):
            for one, other in zip(declared.parts, value.parts, strict=False):
                self._each(one, other, given, depth)
        elif isinstance(declared, ExternalInstance) and declared.name == CALLABLE:
            self._function(declared, value, given, depth)
        elif isinstance(declared, Instance) and isinstance(value, Instance):
            names = self._evaluation.types.parameters_of_instance(declared)
            found = self._evaluation.classes.given_at(value, declared.path, declared.scope)
            for name, one in zip(names, declared.arguments, strict=False):
                self._each(one, found.get(name.name, ()), given, depth)
        elif isinstance(declared, ExternalInstance):
            self._external(declared, value, given, depth)

    def _external(
        self, declared: ExternalInstance, value: Value, given: dict[str, Values], depth: int
    ) -> None:
        arguments: tuple[Values, ...] = ()
        if isinstance(value, ExternalInstance) and value.name == declared.name:
            arguments = value.arguments
        elif isinstance(value, Instance):
            inner = self._evaluation.classes.given(value)
            for item in self._evaluation.classes.ancestors(value.path, value.scope):
                if item.external == declared.name:
                    arguments = tuple(substitute_all(one, inner) for one in item.arguments)
                    break
        if not arguments and len(declared.arguments) == 1:
            element = self._evaluation.element({value: self._evaluation.weakest})
            arguments = (plain(element),)
        for one, other in zip(declared.arguments, arguments, strict=False):
            self._each(one, other, given, depth)

    def _function(
        self, declared: ExternalInstance, value: Value, given: dict[str, Values], depth: int
    ) -> None:
        function_type = self._evaluation.calls.function_type(value)
        expected = self._evaluation.calls.function_type(declared)
        if function_type is None or expected is None:
            return
        for one, other in zip(expected[0], function_type[0], strict=False):
            self._each(one, other, given, depth)
        self._each(expected[1], function_type[1], given, depth)

    def _each(self, declared: Values, values: Values, given: dict[str, Values], depth: int) -> None:
        for one in declared:
            self.unify(one, values, given, depth)
