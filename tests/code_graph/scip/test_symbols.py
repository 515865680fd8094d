"""The grammar of symbols: what is written is read, and other text is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from code_graph.scip.symbols import (
    Descriptor,
    Package,
    Suffix,
    SymbolError,
    SymbolName,
    is_local,
    parse_symbol,
)

PARTS = st.text(max_size=6).filter(lambda part: part != "." and part.strip(" ") == part)
DESCRIPTORS = st.builds(
    lambda name, suffix, mark: Descriptor(name, suffix, mark if suffix is Suffix.METHOD else ""),
    st.text(max_size=6),
    st.sampled_from(Suffix),
    st.text("abc+1", max_size=3),
)


@given(PARTS, PARTS, PARTS, PARTS, st.lists(DESCRIPTORS, min_size=1, max_size=4))
def test_a_symbol_is_read_as_it_was_written(
    scheme: str, manager: str, name: str, version: str, descriptors: list[Descriptor]
) -> None:
    symbol = SymbolName(scheme, Package(manager, name, version), tuple(descriptors))
    assert parse_symbol(str(symbol)) == symbol


@given(st.text("a `#.()[]/:!", max_size=40))
def test_any_text_is_a_symbol_or_an_error(text: str) -> None:
    try:
        found = parse_symbol(text)
    except SymbolError:
        return
    assert parse_symbol(str(found)) == found


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("scip-python python demo 1.2 `pkg.mod`/Class#method().", ["pkg.mod", "Class", "method"]),
        ("scip-typescript npm @a/b . src/`a.ts`/f(+1).(x)", ["src", "a.ts", "f", "x"]),
        ("scip-java maven g:a 1 com/A#`<init>`().", ["com", "A", "<init>"]),
        ("rust-analyzer cargo a 0.1 m/Trait#[T]", ["m", "Trait", "T"]),
        ("s . . . a/m!", ["a", "m"]),
        ("s . . . a/__init__:", ["a", "__init__"]),
    ],
)
def test_symbols_of_indexers_are_read(text: str, names: list[str]) -> None:
    found = parse_symbol(text)
    assert [item.name for item in found.descriptors] == names
    assert str(found) == text


@pytest.mark.parametrize(
    "text",
    ["", "a", "a b c d ", "a b c d e", "a b c d `e#", "a b c d e(", "a b c d [e#", "a  b c d e#"],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(SymbolError):
        parse_symbol(text)


def test_locals_are_known() -> None:
    assert is_local("local 12")
    assert not is_local("locals m p v a#")
