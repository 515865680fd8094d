"""Conversions: how well a value of one type stands for a parameter of another, on one scale."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from code_graph.declared.part import EvaluationPart
from code_graph.declared.types import CALLABLE
from code_graph.evaluate.values import (
    ExternalInstance,
    FunctionValue,
    Instance,
    TypeParameter,
    Value,
    Values,
    is_none,
)

# fits of a value with a declared type: none; not known, and hardly one; not known; by a
# conversion; by a base; exact
NO: Final = 0
UNLIKELY: Final = 1
MAYBE: Final = 2
CONVERTED: Final = 3
DERIVED: Final = 4
SAME: Final = 6
_MOST_NESTED: Final = 6
NUMBERS: Final = ("byte", "short", "int", "long", "float", "double", "decimal")


class Conversions(EvaluationPart):
    """Compares the types of values with declared ones."""

    def best(self, values: Iterable[Value], declared: Iterable[Value]) -> int:
        """The best fit of one of several values with one of several types."""
        types = tuple(declared)
        fits = (self.fits(value, other) for value in values for other in types)
        return max(fits, default=MAYBE)

    def fits(  # noqa: PLR0911 one for each pair
        self, value: Value, declared: Value, depth: int = 0
    ) -> int:
        """A score for the match of a value with a declared type; `depth` counts types in types."""
        if depth > _MOST_NESTED:
            return MAYBE
        if isinstance(declared, TypeParameter):
            return self._fits_parameter(value, declared, depth)
        if isinstance(value, TypeParameter):
            if isinstance(declared, ExternalInstance) and self._rules.is_top(declared.name):
                return CONVERTED
            bounds = self._evaluation.types.bound_of(value)
            fits = (self.fits(bound, declared, depth + 1) for bound in bounds)
            return max(fits, default=UNLIKELY)
        if isinstance(value, Instance) and isinstance(declared, Instance):
            return self._fits_class(value, declared, depth)
        if isinstance(value, ExternalInstance) and isinstance(declared, ExternalInstance):
            return self.fits_external(value, declared, depth)
        if isinstance(value, FunctionValue):
            return self._fits_group(value, declared)
        if isinstance(value, Instance) and isinstance(declared, ExternalInstance):
            return self._fits_outside(value, declared, depth)
        if is_none(value):
            return CONVERTED
        if isinstance(value, ExternalInstance) and isinstance(declared, Instance):
            return self._fits_inside(value, declared)
        return MAYBE

    def _fits_inside(self, value: ExternalInstance, declared: Instance) -> int:
        del declared
        return UNLIKELY if self._rules.is_unknown(value.name) else NO

    def _fits_parameter(self, value: Value, declared: TypeParameter, depth: int) -> int:
        if value == declared:
            return SAME
        bounds = self._evaluation.types.bound_of(declared)
        if not bounds:
            return MAYBE
        fits = [self.fits(value, bound, depth + 1) for bound in bounds]
        return NO if NO in fits else MAYBE

    def _fits_class(self, value: Instance, declared: Instance, depth: int) -> int:
        del depth
        if (value.path, value.scope) == (declared.path, declared.scope):
            return self.fits_arguments(value, declared)
        order = self._evaluation.classes.ancestors(value.path, value.scope)
        for at, item in enumerate(order):
            if (item.path, item.scope) == (declared.path, declared.scope):
                return DERIVED if at <= 1 else CONVERTED
        return NO

    def _fits_outside(self, value: Instance, declared: ExternalInstance, depth: int) -> int:
        del depth
        names = self._evaluation.classes.external_bases(value)
        if declared.name.rpartition(".")[2] in names:
            return DERIVED
        if self._rules.is_top(declared.name):
            return MAYBE
        if self._rules.is_plain(declared.name) or declared.name in {CALLABLE, "[]"}:
            return NO
        return UNLIKELY if names else NO

    def fits_external(
        self, value: ExternalInstance, declared: ExternalInstance, depth: int = 0
    ) -> int:
        """A score for the match of an external value with an external type."""
        one, other = value.name.rpartition(".")[2], declared.name.rpartition(".")[2]
        if one == other:
            return weakest(
                value.arguments, declared.arguments, lambda a, b: self.fits(a, b, depth + 1)
            )
        if self._rules.is_unknown(value.name) or self._rules.is_top(other):
            return MAYBE
        if one == "none":
            is_value = other in self._rules.plain_types and other not in self._rules.nullable
            return NO if is_value else CONVERTED
        if (one, other) in self._rules.conversions:
            return CONVERTED
        if self._rules.is_plain(one) or self._rules.is_plain(other):
            return self._fits_plain(one, other)
        return MAYBE

    def _fits_plain(self, one: str, other: str) -> int:
        """A score for two types, one of them a number or a type that matches only itself."""
        if one in NUMBERS and other in NUMBERS:
            return CONVERTED if is_wider(one, other) else NO
        return NO if self._rules.is_plain(one) and self._rules.is_plain(other) else UNLIKELY

    def fits_arguments(self, value: Instance, declared: Instance) -> int:
        """A score for two objects of one type, whose type arguments may differ."""
        del value, declared
        return SAME

    def _fits_group(self, value: FunctionValue, declared: Value) -> int:
        function_type = self._evaluation.calls.function_type(declared)
        if function_type is None:
            known = isinstance(declared, ExternalInstance) and not self._rules.is_plain(
                declared.name
            )
            return MAYBE if known else NO
        rows = self._evaluation.calls.parameters(value)
        return DERIVED if len(rows) == len(function_type[0]) else NO


def weakest(
    arguments: Sequence[Values], declared: Sequence[Values], fit: Callable[[Value, Value], int]
) -> int:
    """The worst fit of type arguments with others, as far as both are known."""
    least = SAME
    for ones, others in zip(arguments, declared, strict=False):
        if ones and others:
            least = min(least, max(fit(one, other) for one in ones for other in others))
    return least


def is_wider(one: str, other: str) -> bool:
    """True if the second number type takes all values of the first."""
    if one not in NUMBERS or other not in NUMBERS:
        return False
    return NUMBERS.index(one) < NUMBERS.index(other)
