"""The value of a condition, compared with Python's, and what is said without knowing all names."""

from __future__ import annotations

import re
from itertools import product
from typing import Final

import pytest
from hypothesis import given, strategies as st

from code_graph.conditions.definitions import Macro, MacroTable
from code_graph.conditions.expression import UNREADABLE, parse_condition
from code_graph.conditions.truth import Truth
from tests.code_graph.conditions.condition_texts import NAMES, KnownMacros, conditions

_TERNARY: Final = re.compile(r"\(([^?]*)\?([^:]*):(.*)\)")


def value_in_python(text: str, values: dict[str, int]) -> int:
    """The value of a condition by its parts, innermost brackets first."""
    text = re.sub(r"defined\((\w)\)", lambda match: str(int(match[1] in values)), text)
    text = re.sub(r"[A-C]", lambda match: str(values.get(match[0], 0)), text)
    while "(" in text:
        text = re.sub(r"!?\([^()]*\)", lambda match: str(_simple(match[0])), text)
    return _simple(f"({text})")


def _simple(text: str) -> int:
    inner = text.lstrip("!")[1:-1]
    if "?" in inner:
        condition, _, rest = inner.partition("?")
        chosen, _, other = rest.partition(":")
        value = _simple(f"({chosen if _simple(f'({condition})') else other})")
    else:
        plain = inner.replace("&&", " and ").replace("||", " or ")
        value = int(eval(plain, {}))  # noqa: S307 numbers and operators of this test
        value = int(bool(value)) if " and " in plain or " or " in plain else value
    return int(not value) if text.startswith("!") else value


@given(conditions(), st.dictionaries(st.sampled_from(NAMES), st.integers(0, 9)))
def test_a_condition_has_the_value_that_it_has_in_c(text: str, values: dict[str, int]) -> None:
    expected = Truth.of(value_in_python(text, values))
    assert KnownMacros(values).evaluate(text) == expected


@given(
    conditions(), st.dictionaries(st.sampled_from(NAMES), st.one_of(st.none(), st.integers(0, 2)))
)
def test_what_is_decided_without_all_names_holds_for_every_value(
    text: str, values: dict[str, int | None]
) -> None:
    decided = KnownMacros(values).evaluate(text)
    unknown = [name for name, value in values.items() if value is None]
    for chosen in product([None, 0, 1, 2], repeat=len(unknown)):
        full = {name: value for name, value in values.items() if value is not None}
        full |= {name: it for name, it in zip(unknown, chosen, strict=True) if it is not None}
        assert decided in {Truth.UNKNOWN, KnownMacros(full).evaluate(text)}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0x10 == 16 && 010 == 8 && 1'000L == 1000uLL", Truth.TRUE),
        ("-7 / 2 == -3 && -7 % 2 == -1", Truth.TRUE),
        ("1 / 0", Truth.UNKNOWN),
        ("1 << 99999", Truth.UNKNOWN),
        ("defined X || 1", Truth.TRUE),
        ("X && 0", Truth.FALSE),
        ("__has_include(<a.h>) && 0", Truth.FALSE),
        ("__has_include(<a.h>)", Truth.UNKNOWN),
        ("1 +", Truth.UNKNOWN),
        ("", Truth.UNKNOWN),
        ("(" * 5000 + "1" + ")" * 5000, Truth.UNKNOWN),
        ("true && !false", Truth.TRUE),
    ],
)
def test_values(text: str, value: Truth) -> None:
    assert MacroTable().evaluate(text) == value


def test_macros_are_expanded_with_their_arguments() -> None:
    macros = MacroTable()
    for text in ("V(a, b) ((a) * 100 + (b))", "NOW V(6, 1)", "EMPTY", "SELF SELF", "P(x) a ## x"):
        macros.define(text, Truth.TRUE)
    assert macros.evaluate("NOW >= V(5, 19)") == Truth.TRUE
    assert macros.evaluate("NOW < V(6, 1)") == Truth.FALSE
    assert macros.evaluate("EMPTY") == Truth.TRUE
    assert macros.evaluate("SELF") == macros.evaluate("P(1)") == Truth.UNKNOWN
    assert Macro.parse("F (a) b")[1].parameters is None


@given(st.text(max_size=60))
def test_any_text_is_read(text: str) -> None:
    assert parse_condition(text) == UNREADABLE or MacroTable().evaluate(text) in Truth
