"""Build files: literals are read, nothing else is guessed, and no text does harm."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from code_graph.packages.build_files import BuildRule, read_rules
from code_graph.projects.model import ManifestError

NAMES = st.text("ab/:.-_", min_size=1, max_size=8)


def rule(text: str) -> BuildRule:
    *_, last = read_rules(text)
    return last


@given(st.lists(NAMES), st.lists(NAMES), st.lists(NAMES))
def test_lists_are_joined_wherever_they_are_written(
    first: list[str], second: list[str], third: list[str]
) -> None:
    text = (
        f"MORE = {second!r}\nlib(name = 'x', deps = {first!r} + MORE + select({{'c': {third!r}}}))"
    )
    value = rule(text).values["deps"]
    assert value.texts == tuple(dict.fromkeys([*first, *second, *third]))
    assert value.is_whole


@pytest.mark.parametrize(
    "expression",
    ["[x for x in y]", "unknown", "f(':a')", "':a' % 'b'", "['a'] * 3", "glob([f()])", "a.b"],
)
def test_an_argument_that_is_computed_says_so(expression: str) -> None:
    read = rule(f"lib(name = 'x', srcs = ['a.c'], deps = [':known'] + {expression})")
    assert read.unread == ["deps"]
    assert ":known" in read.values["deps"].texts
    assert read.values["srcs"].is_whole


def test_rules_that_a_comprehension_makes_are_told_by_their_line() -> None:
    (found,) = read_rules("\n[lib(name = x) for x in y]")
    assert (found.rule, found.name, found.line) == ("", "", 2)


def test_globs_have_what_they_take_and_leave() -> None:
    read = rule(
        "A = glob(['*.c'], exclude = ['x.c'])\nlib(name = 'x', srcs = A + glob(include = ['b/**']))"
    )
    assert read.values["srcs"].globs == ((("*.c",), ("x.c",)), (("b/**",), ()))


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "(" * 10_000,
        "a = " + "-" * 100_000 + "1",
        "lib(deps = " + "x." * 50_000 + "y)",
        "a = [" * 150 + "]" * 150,
        "\0",
        "\ud800",
        "lib(name = 'x'",
        "A = 'x'\n" * 700_000,
        "lib(name = 'x')\n" * 30_000,
    ],
)
def test_a_text_that_is_too_much_is_refused(text: str) -> None:
    with pytest.raises(ManifestError):
        [*read_rules(text)]


def test_names_that_double_each_other_stay_small() -> None:
    text = "A = ['x']\n" + "A = A + A\n" * 2_000 + "lib(name = 'x', deps = A)"
    assert rule(text).values["deps"].texts == ("x",)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    lines: list[int] = []
    with suppress(ManifestError):
        lines = [found.line for found in read_rules(text)]
    assert lines == sorted(lines)
