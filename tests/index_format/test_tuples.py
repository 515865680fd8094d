"""Named tuples against those of the standard library: equal declarations, equal behaviour."""

from __future__ import annotations

import copy
import pickle
import typing
from collections.abc import Callable
from functools import partial
from types import new_class
from typing import Any

import pytest
from hypothesis import given, strategies as st

from index_format.tuples import WITHOUT_CONSTRUCTOR, NamedTuple

NAMES = ("alpha", "beta", "gamma", "delta", "list", "kind")
VALUES = st.one_of(st.integers(), st.text(max_size=3), st.none())
# before and after a class gets a constructor of its own
TIMES = st.sampled_from([1, WITHOUT_CONSTRUCTOR + 1])
DECLARED = st.tuples(st.lists(st.sampled_from(NAMES), unique=True, max_size=5), st.integers(0, 5))


def declared(base: Any, names: list[str], defaults: int) -> Any:  # noqa: ANN401 classes of either kind
    """A class with these fields, the last of which have defaults."""
    rows = {name: at for at, name in enumerate(names) if at >= len(names) - defaults}
    body = {
        "__module__": __name__,
        "__annotations__": dict.fromkeys(names, "int"),
        "double": lambda self: self * 2,
        **rows,
    }
    return new_class("Made", (base,), exec_body=lambda space: space.update(body))


def outcome(act: Callable[[], Any]) -> Any:  # noqa: ANN401 whatever an act gives
    """The result of an act, or the kind of its failure."""
    try:
        return act()
    except (TypeError, ValueError, AttributeError) as error:
        return type(error)


@given(
    DECLARED,
    st.lists(VALUES, max_size=6),
    st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=3),
    TIMES,
)
def test_a_tuple_behaves_as_a_standard_one(
    fields: tuple[list[str], int], values: list[object], named: dict[str, object], times: int
) -> None:
    ours, standard = (declared(base, *fields) for base in (NamedTuple, typing.NamedTuple))
    assert (ours._fields, ours._field_defaults) == (standard._fields, standard._field_defaults)
    assert ours.__match_args__ == standard.__match_args__
    made = [outcome(partial(kind._make, values)) for kind in (ours, standard)]
    assert made[0] == made[1]
    other = outcome(partial(standard, *values, **named))
    one = [outcome(partial(ours, *values, **named)) for _ in range(times)][-1]
    assert one == other
    if other is TypeError:
        return
    assert (repr(one), hash(one), one._asdict()) == (repr(other), hash(other), other._asdict())
    assert one.double() == other.double()
    assert [getattr(one, name) for name in ours._fields] == list(other)
    changed = [outcome(partial(kind._replace, **named)) for kind in (one, other)]
    assert changed[0] == changed[1]
    for name in (*fields[0], "unknown"):
        acts = [partial(setattr, kind, name, 1) for kind in (one, other)]
        assert outcome(acts[0]) is outcome(acts[1]) is AttributeError


class Pair(NamedTuple):
    """Two numbers."""

    first: int
    second: int = 0


def pickled(pair: Pair) -> Pair:
    copied: Pair = pickle.loads(pickle.dumps(pair))  # noqa: S301 its own bytes
    return copied


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_copies_are_equal(copied: Callable[[Pair], Pair]) -> None:
    assert copied(Pair(1)) == Pair(1)
    assert type(copied(Pair(1))) is Pair


def test_an_error_names_the_class() -> None:
    with pytest.raises(TypeError, match=r"Pair\.__new__\(\) missing"):
        Pair()  # type: ignore[call-arg] # what is tested
