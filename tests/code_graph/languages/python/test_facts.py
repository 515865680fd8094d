"""References, imports and cuts of Python files."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import strategies as st

from code_graph.facts import FULL, MODULE, Facts
from code_graph.languages.python.adapter import adapter

PYTHON = adapter()


def read(text: str) -> Facts:
    found = PYTHON.facts("x.py", textwrap.dedent(text))
    assert found.status == FULL
    return found


def used(text: str) -> list[tuple[str, int]]:
    return [(use.name, use.line) for use in read(text).uses]


def test_calls_reads_types_bases_decorators_and_later_assignments_are_uses() -> None:
    text = """
        LIMIT = 1
        class A: ...
        class B(A): ...
        def d(f: A) -> B: return f
        @d
        def g(self):
            LIMIT = self.d
            return lambda: [A]
        LIMIT += 2
    """
    assert used(text) == [
        *(("LIMIT", 8), ("LIMIT", 10), ("A", 4), ("A", 5), ("A", 9), ("B", 5), ("d", 6), ("d", 8)),
    ]


def test_where_a_name_is_declared_it_is_not_used() -> None:
    text = """
        import a
        LIMIT, (other, *rest) = a.LIMIT, ()
        class A:
            def __init__(self): self.field = a.field
            def b(self): self.field = 2
    """
    assert used(text) == [("LIMIT", 3), ("field", 5), ("field", 6)]


def test_names_of_parameters_imports_keywords_and_texts_are_no_uses() -> None:
    assert used("def a(b): return 'a'\nfrom c import a\nd(a=1)\ndef b(a): global b\n") == []


def test_imports_as_written_with_what_they_bind() -> None:
    found = read("""
        import a, b.c, d.e as f
        from . import g
        from ..h.i import (j,
                           k as l)
        def m():
            from n import *
    """)
    assert [tuple(item) for item in found.imports] == [
        ("a", "", "a", 2, MODULE),
        ("b.c", "", "b", 2, MODULE),
        ("d.e", "", "f", 2, MODULE),
        (".", "g", "g", 3, MODULE),
        ("..h.i", "j", "j", 4, MODULE),
        ("..h.i", "k", "l", 5, MODULE),
        ("n", "*", "", 7, 0),
    ]


def test_cuts_are_before_functions_and_classes_with_their_comments_and_decorators() -> None:
    found = read('''\
        """Doc."""
        import a
        # of nothing

        # of f
        # two lines
        @decorator
        def f():
            # inside
            def inner(): pass
        text = """
        two
        # not a comment"""
        class A:
            x = 1
            # of m
            def m(self): pass
            y = 2
        if x:
            def g(): pass
    ''')
    assert found.cuts == (5, 11, 14, 16, 18, 19, 20)
    assert PYTHON.smart_chunks("x.py", "def f(): pass\n") == (1,)


NAMES = st.sampled_from(["a", "größe", "x1", "\U0001d4b3", "ﬁ", "名前"])


@pytest.mark.parametrize("name", ["größe", "ﬁ", "x"])
def test_the_place_of_a_declared_name(name: str) -> None:
    text = f"async  def \\\n {name}(): pass\nclass A:\n  def f(s): 'é'; s.{name} = 1\n"
    function, *_, field = PYTHON.outline("x.py", text)
    rows = text.split("\n")
    for item in (function, field):
        assert rows[item.name_line - 1][item.name_column :].startswith(name)
