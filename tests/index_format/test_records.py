"""Records against the standard library's data classes: equal declarations, equal behaviour."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from functools import partial
from types import new_class
from typing import Any, ClassVar

import pytest
from hypothesis import given, strategies as st

from index_format.records import Record, field, replace, values_of
from index_format.tuples import WITHOUT_CONSTRUCTOR

NAMES = ("alpha", "beta", "gamma", "delta", "self_", "kind", "_private")
VALUES = st.one_of(st.integers(), st.text(max_size=3), st.none(), st.just(float("nan")))
# before and after a class gets a constructor of its own
TIMES = st.sampled_from([1, WITHOUT_CONSTRUCTOR + 1])
# how a field gets a value that is not given: not at all, a default, or one made anew
DEFAULTS = st.sampled_from(["none", "value", "factory"])


@st.composite
def declared(draw: st.DrawFn) -> list[tuple[str, str]]:
    """Names of fields and their kind of default; those without one come first, as Python asks."""
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=5))
    kinds = sorted(
        draw(st.lists(DEFAULTS, min_size=len(names), max_size=len(names))), key="nvf".find
    )
    kinds.sort(key=lambda kind: kind != "none")
    return list(zip(names, kinds, strict=True))


def both(fields: list[tuple[str, str]], *, frozen: bool = True) -> tuple[Any, Any]:
    """A record and a data class with these fields."""
    annotations = {name: "object" for name, _ in fields}

    def body(make: Callable[..., object]) -> dict[str, Any]:
        given: dict[str, Callable[[], object]] = {
            "value": lambda: 7,
            "factory": lambda: make(list),
        }
        rows = {name: given[kind]() for name, kind in fields if kind != "none"}
        return {"__annotations__": dict(annotations), "__qualname__": "Made", **rows}

    rows = body(lambda factory: field(factory=factory))
    record = new_class("Made", (Record,), {"frozen": frozen}, lambda space: space.update(rows))
    plain = type("Made", (), body(lambda factory: dataclasses.field(default_factory=factory)))
    return record, dataclasses.dataclass(frozen=frozen, slots=True)(plain)


def outcome(act: Callable[[], Any]) -> Any:  # noqa: ANN401 whatever an act gives
    """The result of an act, or the kind of its failure."""
    try:
        return act()
    except (TypeError, AttributeError) as error:
        return TypeError if isinstance(error, TypeError) else AttributeError


@given(
    declared(),
    st.booleans(),
    st.lists(VALUES, max_size=6),
    st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=3),
    st.lists(VALUES, max_size=6),
    TIMES,
)
def test_a_record_behaves_as_a_data_class(
    fields: list[tuple[str, str]],
    frozen: bool,  # noqa: FBT001 as Hypothesis calls it
    values: list[object],
    named: dict[str, object],
    others: list[object],
    times: int,
) -> None:
    record, standard = both(fields, frozen=frozen)
    other = outcome(partial(standard, *values, **named))
    one = [outcome(partial(record, *values, **named)) for _ in range(times)][-1]
    if other is TypeError:
        assert one is TypeError
        return
    assert repr(one) == repr(other)
    assert values_of(one) == {
        item.name: getattr(other, item.name) for item in dataclasses.fields(other)
    }
    assert record.__match_args__ == standard.__match_args__
    assert (one == copy.copy(one)) is (other == copy.copy(other))
    twins = [outcome(partial(kind, *others)) for kind in (record, standard)]
    assert (one == twins[0]) is (other == twins[1])
    assert one != other
    assert outcome(lambda: hash(one)) == outcome(lambda: hash(other))
    for name, _ in fields:
        acts: list[Callable[[Any], None]] = [
            lambda of, name=name: setattr(of, name, 1),  # type: ignore[misc] # bound at once
            lambda of, name=name: delattr(of, name),  # type: ignore[misc] # as above
        ]
        for act in acts:
            assert outcome(partial(act, one)) is outcome(partial(act, other))
    with pytest.raises(AttributeError):
        one.unknown = 1


@given(declared(), st.lists(VALUES, max_size=6), st.dictionaries(st.sampled_from(NAMES), VALUES))
def test_the_standard_library_takes_records_for_data_classes(
    fields: list[tuple[str, str]], values: list[object], changes: dict[str, object]
) -> None:
    record, standard = both(fields)
    one, other = (outcome(partial(kind, *values)) for kind in (record, standard))
    if other is TypeError:
        return
    assert dataclasses.is_dataclass(record)
    assert repr(dataclasses.asdict(one)) == repr(dataclasses.asdict(other))
    shapes = [
        [(item.name, item.default, item.default_factory) for item in dataclasses.fields(kind)]
        for kind in (record, standard)
    ]
    assert shapes[0] == shapes[1]
    changed = outcome(lambda: dataclasses.replace(other, **changes))
    for function in (replace, dataclasses.replace):
        assert repr(outcome(partial(function, one, **changes))) == repr(changed)


class Span(Record):
    """Lines of a file."""

    most: ClassVar[int] = 9

    first: int
    last: int = 0
    notes: list[str] = field(factory=list)

    __slots__ = ("_seen",)

    def __post_init__(self) -> None:
        """Refuse an order that is none."""
        if self.last > self.most:
            raise ValueError(self.last)

    @property
    def length(self) -> int:
        """The number of lines."""
        return self.last - self.first


def test_a_record_has_what_its_class_has_beside_fields() -> None:
    span = Span(2, 5)
    assert (span.length, span.notes, Span(2).notes is Span(2).notes) == (3, [], False)
    assert Span.__match_args__ == ("first", "last", "notes")
    with pytest.raises(ValueError, match="10"):
        Span(1, 10)
    match span:
        case Span(first, last):
            assert (first, last) == (2, 5)


def test_more_slots_are_no_fields() -> None:
    span = Span(2, 5)
    object.__setattr__(span, "_seen", True)
    assert span == Span(2, 5)
    assert not hasattr(replace(span, last=5), "_seen")


def pickled(span: Span) -> Span:
    copied: Span = pickle.loads(pickle.dumps(span))  # noqa: S301 its own bytes
    return copied


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_copies_are_equal(copied: Callable[[Span], Span]) -> None:
    span = Span(2, 5, ["x"])
    assert copied(span) == span
    assert type(copied(span)) is Span


def test_a_record_has_no_subclass() -> None:
    with pytest.raises(TypeError, match="has no subclasses"):
        new_class("Long", (Span,))
