"""Linking of Kotlin: packages, extensions, receivers, companions, constructors, what `is` shows."""

from __future__ import annotations

import pytest

from code_graph import SourceTree
from code_graph.facts import FULL
from code_graph.model import EdgeType
from code_graph.treesitter.adapter import adapter
from tests.code_graph.cases.case_runner import Case, cases
from tests.code_graph.languages.native.written import differences, edge_lines
from tests.code_graph.sources import link

SOURCES = {
    path.relative_to(case.root).as_posix(): path.read_text("utf-8")
    for case in cases("kotlin")
    for path in sorted(case.root.rglob("*.kt"))
}


@pytest.mark.parametrize("case", cases("kotlin"), ids=str)
def test_the_edges_of_a_project_are_found(case: Case) -> None:
    assert differences(case) == []


def called(*sources: str) -> list[str]:
    """The calls in files, as `a b exact`, without the package."""
    lines = edge_lines({f"{number}.kt": text for number, text in enumerate(sources)})
    return [line.replace(" calls ", " ").replace("p.", "") for line in lines if " calls " in line]


LIBRARY = """\
package p
class A { fun f() {} ; fun b() = B() }
class B { fun f() {} }
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x as A\n x.f()", []),
        ("if (x is A) x.f()", ["g A.f exact"]),
        ("if (x is A && y) { x.f() } else x.f()", ["g A.f exact"]),
        ("when (x) { is A -> x.f()\n is B -> x.f() }", ["g A.f exact", "g B.f exact"]),
        ("A().b().f()", ["g A exact", "g A.b exact", "g B.f inferred"]),
        ("A().apply { f() }", ["g A exact", "g A.f inferred"]),
        ("A().let { it.f() }", ["g A exact", "g A.f inferred"]),
        ("with(A()) { f() }", ["g A exact", "g A.f inferred"]),
        ("val a = A()\n a?.f() ?: a!!.f()", ["g A exact", "g A.f exact"]),
        ("for (a in listOf<A>()) a.f()", ["g A.f inferred"]),
        ("val (a, n) = P(A(), 1)\n a.f()", ["g A exact", "g A.f inferred", "g P exact"]),
        ("unknown.f()", []),
    ],
)
def test_a_receiver_has_a_type_by_what_it_is(body: str, expected: list[str]) -> None:
    head = "package p\ndata class P(val a: A, val n: Int)\n"
    source = f"{head}fun g(x: Any, y: Boolean) {{\n {body}\n}}\n"
    assert called(LIBRARY, source) == ["A.b B exact", *expected]


def test_a_function_that_is_a_parameter_gives_what_its_type_says() -> None:
    source = "package p\nfun g(l: List<A>, h: (A) -> B) { l.map(h).first().f() }\n"
    assert called(LIBRARY, source) == ["A.b B exact", "g B.f inferred"]


@pytest.mark.parametrize(
    ("body", "calls"),
    [
        ("if (v is A) { v.f()\n v = make()\n v.f() }", 1),
        ("if (v is A) { v = make()\n v.f() }", 0),
        ("if (v is A) { if (y) { v = make() }\n v.f() }", 0),
        ("if (v is A) { while (y) { v = make() }\n v.f() }", 0),
        ("when (v) { is A -> { v.f()\n v = make()\n v.f() } else -> {} }", 1),
        ("if (v is A) { if (v is A) { v = make()\n v.f() }\n v.f() }", 0),
        ("if (v is A) { v = make() }\n if (v is A) v.f()", 1),
        ("if (v is A) { val v = A()\n v.f() }", 1),
    ],
)
def test_a_cast_is_over_when_the_variable_is_assigned(body: str, calls: int) -> None:
    head = "package p\nfun make(): Any = 1\n"
    source = f"{head}fun g(x: Any, y: Boolean) {{\n var v: Any = x\n {body}\n}}\n"
    linked = link(SourceTree({"0.kt": LIBRARY, "1.kt": source}))
    (target,) = (item.id for item in linked["0.kt"].symbols if item.qualified_name == "p.A.f")
    found = [edge for edge in linked["1.kt"].edges if edge.target == target]
    assert [edge.type for edge in found] == [EdgeType.CALLS] * calls


def test_an_extension_is_seen_in_its_package_and_where_it_is_imported() -> None:
    extension = "package q\nimport p.A\nfun A.more() = f()\nval A.part get() = more()\n"
    seen = "package p\nimport q.more as extra\nfun g(a: A) = a.extra()\n"
    unseen = "package p\nfun h(a: A, b: B) { a.more() }\n"
    assert called(LIBRARY, extension, seen, unseen) == [
        "A.b B exact",
        "g q.more exact",
        "q.more A.f exact",
        "q.part q.more exact",
    ]


def test_a_constructor_is_chosen_by_its_arguments() -> None:
    head = "package p\nclass C(x: Int) { constructor(s: String, t: Int) : this(t) }\n"
    source = f'{head}val c = C(1)\nval d = C("", 2)\n'
    assert called(source) == [
        "C.constructor C inferred",
        "c C exact",
        "d C exact",
        "d C.constructor inferred",
    ]


def test_a_function_literal_of_an_unknown_function_is_no_proof() -> None:
    source = "package p\nclass C { fun f() {}\n fun g() { outer { f() } } }\n"
    assert called(source) == ["C.g C.f inferred"]


@pytest.mark.parametrize(
    "between", ["\n@Mark internal ", "\n@Mark(1)\ninternal ", " internal ", "\n"]
)
def test_annotations_of_a_constructor_may_stand_on_a_line_of_their_own(between: str) -> None:
    text = f"package p\nvalue class C{between}constructor(val x: Int) {{\n    fun twice() = x\n}}\n"
    facts = adapter("kotlin").facts("c.kt", text)
    assert facts.status == FULL
    holder, member = facts.declarations[1], facts.declarations[-1]
    assert (holder.name, member.name, facts.declarations[member.parent]) == ("C", "twice", holder)
    assert member.start_line == text[: text.index("fun")].count("\n") + 1
