"""Made conditions, and a preprocessor in a few lines that they are compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from code_graph.conditions.branches import Branches, evaluate_branches
from code_graph.conditions.definitions import UNDEFINED, Macro, MacroTable
from code_graph.conditions.directives import read_directives
from code_graph.conditions.truth import Truth

NAMES = ("A", "B", "C")
SIGNS = ("&&", "||", "==", "!=", "<", ">", "<=", ">=", "+", "-", "*")


class KnownMacros(MacroTable):
    """Macros with values; those without one are not known, others not defined."""

    def __init__(self, values: Mapping[str, int | None]) -> None:
        super().__init__()
        self._values = values

    def given(self, name: str) -> Macro:
        if name not in self._values:
            return UNDEFINED
        value = self._values[name]
        return super().given(name) if value is None else Macro(Truth.TRUE, str(value))


def conditions() -> st.SearchStrategy[str]:
    """Conditions as C has them, which Python can evaluate when its operators are replaced."""
    numbers = st.integers(0, 9).map(str)
    leaves = st.one_of(
        numbers, st.sampled_from(NAMES), st.sampled_from(NAMES).map("defined({})".format)
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(
                inner,
                st.sampled_from(SIGNS),
                inner,
            ).map(lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"),
            inner.map("!({})".format),
            st.tuples(inner, inner, inner).map(lambda parts: "({} ? {} : {})".format(*parts)),
        ),
        max_leaves=8,
    )


def states(text: str, macros: MacroTable | None = None) -> Branches:
    """The states of a text's lines."""
    return evaluate_branches([*read_directives(text, "a.c")], macros or MacroTable())


def compiled_lines(rows: Sequence[str], values: Mapping[str, int]) -> set[int]:
    """The lines of code that a preprocessor keeps; rows have the short directives alone."""
    defined = {*values}
    open_branches: list[tuple[bool, bool]] = []
    kept: set[int] = set()
    for number, row in enumerate(rows, 1):
        word, _, name = row.partition(" ")
        is_kept = all(active for active, _ in open_branches)
        if word in {"#ifdef", "#ifndef"}:
            holds = (name in defined) == (word == "#ifdef")
            open_branches.append((holds, holds))
        elif word == "#else":
            _, taken = open_branches.pop()
            open_branches.append((not taken, True))
        elif word == "#endif":
            open_branches.pop()
        elif is_kept and word == "#define":
            defined.add(name)
        elif is_kept and word == "#undef":
            defined.discard(name)
        elif is_kept:
            kept.add(number)
    return kept
