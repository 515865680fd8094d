"""The outline of a Python file: every declaration, in order, with what surrounds it."""

from __future__ import annotations

import inspect
import json
import textwrap

import pytest
from hypothesis import given, strategies as st

from code_graph.adapter import Adapter
from code_graph.facts import MODULE, Declaration
from code_graph.languages.python.adapter import adapter
from code_graph.languages.python.declarations import clean_doc, one_line
from tests.code_graph.languages.python.python_golden import FACTS, OUTLINE, facts, outline

PYTHON = adapter()


def declared(text: str) -> dict[str, Declaration]:
    found = PYTHON.outline("x.py", textwrap.dedent(text))
    assert len({item.name for item in found}) == len(found)
    return {item.name: item for item in found}


def test_it_is_an_adapter() -> None:
    assert isinstance(PYTHON, Adapter)
    names = ["a.py", "b/c.PYI", "d.pyw", "e.pyc", "py", ".py.txt"]
    assert [PYTHON.supports_path(name) for name in names] == [True, True, True, False, False, False]


@pytest.mark.requirement("INT-10.2-python", "INT-10.3-outline-v2")
def test_the_outline_of_every_construct_is_unchanged() -> None:
    assert outline() == OUTLINE.read_text(encoding="utf-8")


def test_the_references_and_imports_of_every_construct_are_unchanged() -> None:
    assert facts() == FACTS.read_text(encoding="utf-8")


def test_the_golden_outline_holds_every_kind_of_declaration_and_scope() -> None:
    rows = json.loads(OUTLINE.read_text(encoding="utf-8"))
    kinds = {"class", "constant", "field", "function", "method", "property", "type", "variable"}
    assert {row["kind"] for row in rows} == kinds
    assert {row["scope_kind"] for row in rows} == {"module", "class", "function"}


@pytest.mark.requirement("INT-10.3-outline-v2")
def test_declarations_are_sorted_by_start_then_longer_first_then_name() -> None:
    found = PYTHON.outline(
        "x.py", "b = a = 1; B = 2\nclass Z: a = 1\nclass Y:\n    y = 1\nc = 1; d = [\n]\n"
    )
    assert [(item.start_line, item.name) for item in found] == [
        (1, "B"),
        (1, "a"),
        (1, "b"),
        (2, "Z"),
        (2, "a"),
        (3, "Y"),
        (4, "y"),
        (5, "d"),
        (5, "c"),
    ]
    parents = {item.name: item.parent for item in found if item.parent != MODULE}
    assert parents == {"a": 3, "y": 5}


@pytest.mark.requirement("INT-10.2-python")
@pytest.mark.parametrize("branch", ["if False:", "while 0:", "for x in ():", "if 1 / 0:"])
def test_branches_are_conditional_whatever_their_condition_is(branch: str) -> None:
    found = declared(f"{branch}\n    def inside(): pass\n")
    assert found["inside"].is_conditional
    assert found["inside"].decl_context == branch.split(maxsplit=1)[0]


@pytest.mark.requirement("INT-10.3-outline-v2")
def test_elif_is_not_an_if_in_an_else() -> None:
    found = declared("""
        if a:
            pass
        elif b:
            def in_elif(): pass
        else:
            if c:
                def in_if(): pass
    """)
    assert found["in_elif"].decl_context == "elif"
    assert found["in_if"].decl_context == "else > if"


@pytest.mark.requirement("INT-10.3-outline-v2")
def test_declarations_in_branches_are_conditional_but_those_in_a_with_are_not() -> None:
    found = declared("""
        with lock:
            class Free:
                def free(self): pass
        try:
            class Bound:
                def bound(self): pass
        finally:
            pass
    """)
    assert not found["Free"].is_conditional
    assert not found["free"].is_conditional
    assert found["Bound"].is_conditional
    assert found["bound"].is_conditional
    assert found["bound"].decl_context == "try > class Bound"


def test_decorators_belong_to_a_declaration_and_the_name_has_a_place_of_its_own() -> None:
    found = declared("""
        @first
        @second(
            1
        )
        def name(): pass
    """)
    item = found["name"]
    assert (item.start_line, item.end_line, item.name_line, item.name_column) == (2, 6, 6, 4)
    assert "first" not in item.signature


@pytest.mark.requirement("INT-10.3-outline-v2")
def test_a_class_signature_has_bases_and_keywords() -> None:
    found = declared("class A(B, mod.C[int],\n        metaclass = M, **more):  # why\n    x = 1\n")
    assert found["A"].signature == "class A(B, mod.C[int], metaclass = M, **more)"
    assert found["A"].bases == ("B", "mod.C[int]")


def test_a_signature_is_one_line_and_never_long() -> None:
    names = [f"parameter_{number}" for number in range(1000)]
    body = ",\n".join(names)
    found = declared(f"def many(\n{body}\n): pass\nvalue = [\n{body}\n]\n")
    assert all(len(item.signature) <= 300 and "\n" not in item.signature for item in found.values())
    assert found["many"].signature.startswith("def many(parameter_0, parameter_1,")
    assert found["many"].signature.endswith("…")
    assert found["many"].parameter_count == 1000


def test_fields_are_declared_where_they_are_first_set() -> None:
    found = PYTHON.outline(
        "x.py",
        textwrap.dedent("""
            class A:
                shared = 1
                def early(this):
                    this.a = 1
                def late(this):
                    this.a = this.shared = this.b = 2
                @staticmethod
                def no_object(first):
                    first.c = 1
            def no_method(self):
                self.d = 1
        """),
    )
    fields = [(item.name, item.start_line, item.parent) for item in found if item.kind == "field"]
    assert fields == [("shared", 3, 0), ("a", 5, 0), ("b", 7, 0)]


def test_all_lists_what_is_exported() -> None:
    found = declared("__all__ = ('a', 'C', 'm')\ndef a(): pass\ndef b(): pass\nclass C:\n  m = 1\n")
    exported = {name for name, item in found.items() if "exported" in item.modifiers}
    assert exported == {"a", "C"}
    assert "__all__" not in found


@given(st.text(alphabet=" \t\nab", max_size=60))
def test_documentation_is_cleaned_as_by_inspect(text: str) -> None:
    rows = [row.rstrip() for row in inspect.cleandoc(text).split("\n")]
    assert clean_doc(text) == "\n".join(rows).strip("\n")


BLANKS = st.sampled_from(["", " ", "\n", "\t", "# a ' comment\n", "\\\n"])
TOKENS = st.sampled_from(["a", "(", ")", "[", "]", "{", "'#'", '"\'"', "=1"])


@given(st.lists(st.tuples(BLANKS, TOKENS, BLANKS)))
def test_one_line_keeps_all_but_blanks_and_comments(parts: list[tuple[str, str, str]]) -> None:
    found = one_line("".join("".join(part) for part in parts))
    assert "\n" not in found
    assert found.replace(" ", "") == "".join(token for _, token, _ in parts)


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        ("where is `run` called from", ["run"]),
        ("how does parse_args() treat os.path?", ["parse_args", "os.path", "path"]),
        ("the class HTTPServer and its __init__", ["HTTPServer", "__init__"]),
        ("what does this do. Nothing", []),
        ("std::vector is of another language", ["vector"]),
        ("snake_case and snake_case again", ["snake_case"]),
    ],
)
def test_hints_are_names_in_pythons_notation(prompt: str, names: list[str]) -> None:
    assert list(PYTHON.symbol_hints(prompt)) == names
