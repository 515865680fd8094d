"""Symbolic code of every shape, for tests of its encoding."""

from __future__ import annotations

from hypothesis import strategies as st

from code_graph.expressions import (
    NONE,
    Argument,
    Binding,
    BindingKind,
    Clause,
    Code,
    Export,
    Expression,
    MemberStore,
    Op,
    Result,
    Role,
    Scope,
    ScopeKind,
)
from code_graph.expressions.records import HAS_ITEMS, HAS_NAME, HAS_OF, HAS_PLACE, HAS_SCOPE

WORDS = st.sampled_from(["", "a", "self", "Größe", "\0", "x" * 90]) | st.text(max_size=5)
LINES = st.integers(0, 1 << 20)


@st.composite
def expressions(draw: st.DrawFn, at: int, scopes: int) -> Expression:
    """An expression that refers to earlier ones."""
    op = draw(st.sampled_from(list(Op)))
    earlier = st.integers(NONE, at - 1)
    items = st.lists(st.builds(Argument, earlier, WORDS), max_size=3).map(tuple)
    of = draw(earlier) if HAS_OF[op] else NONE
    return Expression(
        op,
        draw(st.integers(0, scopes - 1)) if HAS_SCOPE[op] else of,
        draw(WORDS) if HAS_NAME[op] else "",
        draw(items) if HAS_ITEMS[op] else (),
        draw(LINES) if HAS_PLACE[op] else 0,
        draw(LINES) if HAS_PLACE[op] else 0,
    )


@st.composite
def bindings(draw: st.DrawFn, count: int, scopes: int) -> Binding:
    """A binding to an earlier expression, or to an import."""
    kind = draw(st.sampled_from(list(BindingKind)))
    at = draw(st.integers(0, count))
    value = st.integers(NONE, 9 if kind == BindingKind.IMPORTED else at - 1)
    places = st.integers(0, scopes - 1)
    typed = st.integers(NONE, at - 1)
    return Binding(
        draw(places),
        draw(places),
        draw(WORDS),
        kind,
        at,
        draw(value),
        draw(typed),
        draw(LINES),
        draw(LINES),
        draw(st.integers(NONE, 50)),
    )


@st.composite
def any_code(draw: st.DrawFn) -> Code:
    """Code that a file could have, and much that no file has."""
    scopes = [Scope(ScopeKind.MODULE, NONE, draw(st.integers(NONE, 3)))]
    for at in range(1, draw(st.integers(1, 5))):
        kind = draw(st.sampled_from(list(ScopeKind)))
        parent = draw(st.integers(0, at - 1))
        scopes.append(Scope(kind, parent, draw(st.integers(NONE, 50))))
    count = draw(st.integers(0, 8))
    every = tuple(draw(expressions(at, len(scopes))) for at in range(count))
    places = st.integers(0, len(scopes) - 1)
    number = st.integers(NONE, count - 1)
    declaration = st.integers(NONE, 50)
    target = st.integers(0, max(count - 1, 0))
    stores = st.builds(MemberStore, target, number, number, declaration)
    return Code(
        tuple(scopes),
        every,
        tuple(draw(places) for _ in range(count)),
        tuple(draw(bindings(count, len(scopes))) for _ in range(draw(st.integers(0, 5)))),
        tuple(draw(st.lists(stores, max_size=3))) if count else (),
        tuple(draw(st.lists(st.builds(Result, places, st.integers(0, 2), number), max_size=3))),
        tuple(
            draw(
                st.lists(
                    st.builds(Clause, declaration, st.sampled_from(list(Role)), number, WORDS),
                    max_size=3,
                )
            )
        ),
        tuple(draw(st.lists(st.builds(Export, WORDS, WORDS, WORDS, number), max_size=3))),
    )
