"""Replaces type parameters in values by what is given for them."""

from __future__ import annotations

from collections.abc import Mapping

from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    Instance,
    RecordValue,
    Result,
    TupleValue,
    TypeParameter,
    Value,
    Values,
    arguments_of,
    is_within,
    merge,
    with_strategy,
)
from code_graph.model import Strategy

Given = Mapping[str, Values]
_DEEPEST = 4


def _parameter(value: TypeParameter, given: Given) -> Values:
    known = given.get(value.name)
    if not known and value.bound:  # a type in what another parameter stands for
        return (value._replace(bound=_all(value.bound, given)),)
    return known or (value,)


def substitute(value: Value, given: Given) -> Values:
    """A value with type parameters replaced, as far as they are given."""
    if isinstance(value, TypeParameter):
        return _parameter(value, given)
    if isinstance(value, Instance | ExternalInstance | ClassValue | External):
        if not value.arguments:
            return (value,)
        return _cut(value._replace(arguments=_each(value.arguments, given)), value)
    if isinstance(value, TupleValue):
        return _cut(TupleValue(_each(value.parts, given)), value)
    if isinstance(value, RecordValue):
        parts = tuple((name, _all(values, given)) for name, values in value.parts)
        return _cut(value._replace(parts=parts), value)
    return (value,)


def substituted(values: Result, given: Given) -> Result:
    """Results with type parameters replaced."""
    if not given or not any(mentions_parameter(value) for value in values):
        return values
    found: Result = {}
    for value, strategy in values.items():
        if mentions_parameter(value):
            how = max(strategy, Strategy.GENERIC)
            merge(found, with_strategy(substitute(value, given), how))
        else:
            merge(found, {value: strategy})
    return found


def mentions_parameter(value: Value) -> bool:
    """True if there is a type parameter in a value."""
    if isinstance(value, TypeParameter):
        return True
    return any(mentions_parameter(item) for values in arguments_of(value) for item in values)


def _each(rows: tuple[Values, ...], given: Given) -> tuple[Values, ...]:
    return tuple(_all(values, given) for values in rows)


def _all(values: Values, given: Given) -> Values:
    return tuple(dict.fromkeys(part for item in values for part in substitute(item, given)))


def _cut(value: Value, instead: Value) -> Values:
    return (value,) if is_within(value, _DEEPEST) else (instead,)
