"""Replaces type parameters in values by their type arguments."""

from __future__ import annotations

from collections.abc import Mapping

from code_graph.evaluate.values import (
    Result,
    TypeParameter,
    Value,
    Values,
    is_within,
    merge,
    parts_of,
    with_parts,
    with_strategy,
)
from code_graph.model import Strategy

Given = Mapping[str, Values]
_DEEPEST = 4


def _parameter(value: TypeParameter, given: Given) -> Values:
    known = given.get(value.name)
    if not known and value.bound:  # a type in what another parameter stands for
        return (value._replace(bound=substitute_all(value.bound, given)),)
    return known or (value,)


def substitute(value: Value, given: Given) -> Values:
    """A value with type parameters replaced, as far as they are given."""
    if isinstance(value, TypeParameter):
        return _parameter(value, given)
    changed = with_parts(value, lambda part: substitute(part, given))
    return (changed if changed is value or is_within(changed, _DEEPEST) else value,)


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
    return any(mentions_parameter(item) for values in parts_of(value) for item in values)


def substitute_all(values: Values, given: Given) -> Values:
    """Values with type parameters replaced, each once."""
    return tuple(dict.fromkeys(part for item in values for part in substitute(item, given)))
