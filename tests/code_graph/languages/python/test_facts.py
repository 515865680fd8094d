"""References, imports and cuts of Python files."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given, strategies as st

from code_graph.facts import FULL, MODULE, Facts
from code_graph.languages.python.adapter import adapter

PYTHON = adapter()


def read(text: str) -> Facts:
    found = PYTHON.facts("x.py", textwrap.dedent(text))
    assert found.status == FULL
    return found


def used(text: str, *roles: str) -> list[tuple[str, str, str]]:
    found = read(text).references
    return [
        (item.role, item.qualifier, item.name) for item in found if item.role in roles or not roles
    ]


def test_calls_have_the_text_before_the_dot_as_qualifier() -> None:
    text = """
        f()
        a.b.f()
        g().f()
        g()[0].f()
        "".f()
        (x or y).f()
        (await g()).f()
        a.b(1).c.d(2).f()
        f()()
    """
    assert [use for use in used(text, "call") if use[2] == "f"] == [
        ("call", "", "f"),
        ("call", "a.b", "f"),
        ("call", "g()", "f"),
        ("call", "g()[]", "f"),
        ("call", "''", "f"),
        ("call", "?", "f"),
        ("call", "g()", "f"),
        ("call", "a.b().c.d()", "f"),
        ("call", "", "f"),
    ]


def test_builtins_are_no_references_unless_the_file_declares_them() -> None:
    assert used("len(x)\nprint(max)\ndef f(a: int): return str(a)\n") == []
    assert used("def len(): pass\nlen()\n") == [("call", "", "len")]


def test_reads_are_kept_only_of_declared_and_imported_names() -> None:
    text = """
        import os
        from a import b as c
        LIMIT = 1
        def f(x, os2):
            y = LIMIT
            return y, x, c, os.sep, unknown, f, x.attribute
    """
    assert used(text, "read") == [
        ("read", "", "LIMIT"),
        ("read", "", "c"),
        ("read", "", "os"),
        ("read", "os", "sep"),
        ("read", "", "f"),
    ]


def test_a_local_variable_hides_a_declaration_of_its_name() -> None:
    text = """
        LIMIT = 1
        def f():
            LIMIT = 2
            def g(): return LIMIT
        def h(): return LIMIT
        class A:
            LIMIT = 3
            def method(self): return LIMIT
            other = LIMIT
    """
    assert [item.line for item in read(text).references if item.name == "LIMIT"] == [6, 9, 10]


def test_a_method_does_not_see_the_names_of_its_class() -> None:
    text = """
        class A:
            field = 1
            other = field
            def method(self): return field
    """
    assert [item.line for item in read(text).references if item.name == "field"] == [4]


def test_a_global_statement_makes_a_name_the_modules() -> None:
    text = """
        def f():
            global made
            made = 1
        def g(): return made
    """
    assert used(text) == [("write", "", "made"), ("read", "", "made")]


def test_writes_to_names_declared_elsewhere() -> None:
    text = """
        import config
        count = 0
        count = 1
        def f():
            global count
            count += 1
            config.debug = True
            local = 1
    """
    assert used(text, "write") == [
        ("write", "", "count"),
        ("write", "", "count"),
        ("write", "config", "debug"),
    ]


def test_names_in_annotations_quoted_or_not() -> None:
    text = """
        from a import B, C
        x: B[int, "C.D | None"]
        def f(y: Literal["B"], *z: "C") -> B: ...
    """
    assert used(text, "type") == [
        ("type", "", "B"),
        ("type", "C", "D"),
        ("type", "", "Literal"),
        ("type", "", "C"),
        ("type", "", "B"),
    ]


def test_bases_and_decorators_belong_to_their_declaration() -> None:
    found = read("""
        @register(key)
        class A(B, c.D[E]):
            @property
            def p(self): return g()
    """)
    names = [item.name for item in found.declarations]
    owners = {
        (item.role, item.name): names[item.owner] for item in found.references if item.owner >= 0
    }
    assert owners == {
        ("decorator", "register"): "A",
        ("base", "B"): "A",
        ("base", "D"): "A",
        ("type", "E"): "A",
        ("decorator", "property"): "p",
        ("call", "g"): "p",
    }


def test_the_owner_is_the_innermost_function_or_class() -> None:
    found = read("""
        a()
        x = b()
        class C:
            y = c()
            def m(self, z=d()):
                def inner():
                    return [e() for _ in (lambda: f())()]
    """)
    names = [*(item.name for item in found.declarations), ""]
    calls = [item for item in found.references if item.role == "call"]
    owners = [(item.name, names[item.owner]) for item in calls]
    assert owners == [
        ("a", ""),
        ("b", ""),
        ("c", "C"),
        ("d", "m"),
        ("e", "inner"),
        ("f", "inner"),
    ]


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


def test_after_a_star_import_unknown_names_are_kept() -> None:
    assert used("def f(): return unknown\n", "read") == []
    assert used("from a import *\ndef f(): return unknown\n", "read") == [("read", "", "unknown")]


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
FILLING = st.sampled_from(["", " ", "\t", "'ü', ", "'\U0001d4b3€', ", "(1),\f"])


@given(st.lists(st.tuples(FILLING, NAMES, NAMES), min_size=1, max_size=6))
def test_columns_count_characters(parts: list[tuple[str, str, str]]) -> None:
    rows = [f"({filling}{one}.{other}())" for filling, one, other in parts]
    text = "; ".join(rows) + "\n" + "\n".join(rows)
    found = [item for item in PYTHON.facts("x.py", text).references if item.role == "call"]
    assert len(found) == 2 * len(rows)
    lines = text.split("\n")
    written = [other for _, _, other in parts]
    for item, name in zip(found, written * 2, strict=True):
        assert lines[item.line - 1][item.column :].startswith(name + "()")


@pytest.mark.parametrize("name", ["größe", "ﬁ", "x"])
def test_the_place_of_a_declared_name(name: str) -> None:
    text = f"async  def \\\n {name}(): pass\nclass A:\n  def f(s): 'é'; s.{name} = 1\n"
    function, *_, field = PYTHON.outline("x.py", text)
    rows = text.split("\n")
    for item in (function, field):
        assert rows[item.name_line - 1][item.name_column :].startswith(name)
