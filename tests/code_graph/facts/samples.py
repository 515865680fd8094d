"""Facts of every shape, for tests of their encoding."""

from __future__ import annotations

from hypothesis import strategies as st

from code_graph.facts import Declaration, Facts, Import, model
from code_graph.facts.model import number_names, sort_uses

WORDS = st.text(max_size=8) | st.sampled_from(["", "name", "self", "(self, x)", "int", "\0", "\2"])
LINES = st.integers(0, 1 << 31)
NUMBERS = st.integers(0, 300) | st.integers(0, 1 << 40)
OWNERS = st.integers(-1, 1 << 31)
STATUSES = st.sampled_from(
    [
        model.FULL,
        model.PARTIAL,
        model.FAILED,
        model.STOPPED,
        model.NO_GRAMMAR,
        model.SKIPPED,
    ]
)


@st.composite
def declarations(draw: st.DrawFn, number: int) -> Declaration:
    """A declaration whose parent, if any, comes before it."""
    start, name = draw(LINES), draw(WORDS)
    parameters, returns = draw(WORDS), draw(WORDS)
    signature = draw(WORDS | st.just(f"def {name}{parameters} -> {returns}"))
    return Declaration(
        draw(WORDS),
        name,
        start,
        start + draw(NUMBERS),
        draw(LINES),
        draw(NUMBERS),
        draw(st.integers(-1, number - 1)),
        signature,
        draw(WORDS | st.just("first\nsecond") | st.just("x" * 1000)),
        draw(WORDS),
        draw(st.booleans()),
        draw(WORDS),
        draw(WORDS),
        draw(st.frozensets(WORDS, max_size=3)),
        tuple(draw(st.lists(WORDS, max_size=3))),
        parameters,
        draw(NUMBERS),
        returns,
    )


@st.composite
def any_facts(draw: st.DrawFn) -> Facts:
    """Facts that a file could have, and many that no file has."""
    count = draw(st.integers(0, 6))
    found = tuple(draw(declarations(number)) for number in range(count))
    numbers = number_names([item.name for item in found])
    lines = (
        draw(st.lists(st.tuples(st.sampled_from([*numbers]), LINES), max_size=8)) if found else []
    )
    imports = st.builds(Import, WORDS, WORDS, WORDS, LINES, OWNERS)
    return Facts(
        draw(WORDS),
        draw(STATUSES),
        found,
        tuple(draw(st.lists(imports, max_size=4))),
        tuple(sorted(draw(st.sets(LINES, max_size=5)))),
        sort_uses({(numbers[name], line, name) for name, line in lines}),
    )
