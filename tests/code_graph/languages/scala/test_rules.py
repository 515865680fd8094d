"""Linking of Scala: packages, imports, companions, conversions, members that replace others."""

from __future__ import annotations

import pytest

from code_graph import SourceTree
from code_graph.model import FILE, EdgeType
from tests.code_graph.languages.native.written import edge_lines
from tests.code_graph.sources import link


def called(*sources: str) -> list[str]:
    """The calls in files, as `a b exact`, without the package."""
    lines = edge_lines({f"{number}.scala": text for number, text in enumerate(sources)})
    return [line.replace(" calls ", " ").replace("p.", "") for line in lines if " calls " in line]


LIBRARY = "package p.tools\nobject Tools { def f: Int = 1 }\nclass A { def g: Int = 1 }\n"


@pytest.mark.parametrize(
    "head",
    [
        "package p.tools",
        "package p\npackage tools",
        "import p.tools._",
        "import p.tools.Tools",
        "import p.{tools => t}, t.Tools",
        "package p\nimport tools.Tools",
        "import _root_.p.tools.{A, Tools}",
        "package p\npackage tools\npackage inner",
    ],
)
def test_an_object_is_seen_by_its_package_and_by_imports(head: str) -> None:
    source = f"{head}\nobject O {{ def run = Tools.f }}\n"
    assert [line.split(" ")[1] for line in called(LIBRARY, source)] == ["tools.Tools.f"]


@pytest.mark.parametrize("head", ["package p", "package q", "import p.tools.{A => B}", ""])
def test_what_is_neither_imported_nor_of_the_package_is_not_seen(head: str) -> None:
    assert called(LIBRARY, f"{head}\nobject O {{ def run = Tools.f }}\n") == []


def test_a_base_is_found_beside_imports_of_all_members_of_many_packages() -> None:
    """Each is looked for in each other one, and in the object, whose base this is."""
    packages = [f"org.a.p{number}" for number in range(12)]
    sources = {f"{name}.scala": f"package {name}\nclass Other\n" for name in packages}
    sources["base.scala"] = "package p.tools\ntrait Base { def f = 1 }\n"
    imports = "".join(f"import {name}._\n" for name in ["p.log.L", "p.tools", *packages])
    classes = "@unknown class L extends Base\nobject L extends Base { class M extends Base }\n"
    sources["log.scala"] = f"package p.log\n{imports}{classes}"
    lines = [line for line in edge_lines(sources) if " implements " in line]
    assert len(lines) == 3


def test_members_of_the_object_of_a_package_are_seen_in_the_package() -> None:
    whole = "package p\npackage object tools { def f: Int = 1 }\n"
    inner = "package p.tools\nobject O { def run = f }\n"
    outer = "import p.tools._\nobject Q { def run = f }\n"
    assert called(whole, inner, outer) == ["Q.run tools.f exact", "tools.O.run tools.f exact"]


def test_a_class_and_its_object_are_two_symbols() -> None:
    source = "class A { def f = 1 }\nobject A { def f = 2 }\n"
    symbols = link(SourceTree({"a.scala": source}))["a.scala"].symbols
    assert len({item.id for item in symbols}) == len(symbols)


def test_a_type_is_the_class_and_a_value_the_object() -> None:
    source = "class A\nobject A { val x = 1 }\nobject O { def run(a: A) = A.x }\n"
    tree = SourceTree({"a.scala": source})
    linked, facts = link(tree)["a.scala"], tree.facts("a.scala")
    assert facts is not None
    lines = {
        item.id: facts.declarations[item.declaration].name_line
        for item in linked.symbols
        if item.declaration != FILE
    }
    used = {
        (edge.column, lines[edge.target])
        for edge in linked.edges
        if edge.type in {EdgeType.REFERENCES, EdgeType.ACCEPTS} and edge.line == len("123")
    }
    assert used == {(22, 1), (27, 2), (29, 2)}


def _replaces(member: str) -> bool:
    source = f"trait A {{ def f(x: Int): Int }}\nclass B extends A {{ {member} }}\n"
    return any(" overrides " in line for line in edge_lines({"a.scala": source}))


@pytest.mark.parametrize("head", ["def", "override def", "final override def"])
def test_a_member_replaces_one_of_its_parameters(head: str) -> None:
    assert _replaces(f"{head} f(x: Int): Int = 2")


@pytest.mark.parametrize("member", ["def f(x: String): Int = 2", "private def f(x: Int): Int = 2"])
def test_a_member_of_other_parameters_or_of_one_type_alone_replaces_none(member: str) -> None:
    assert not _replaces(member)


def test_a_parameter_of_a_class_replaces_a_member() -> None:
    source = "trait A { def f: Int }\nclass B(override val f: Int) extends A\n"
    assert "B.f overrides A.f exact" in edge_lines({"a.scala": source})


def test_members_of_a_library_are_none_of_conversions() -> None:
    source = 'object O {\nimplicit class P(s: String) { def trim = 1 }\ndef run = "".trim\n}\n'
    assert called(source) == []


def test_of_two_conversions_none_is_meant() -> None:
    source = (
        "object P { implicit class X(s: String) { def f = 1 } }\n"
        "object Q { implicit class Y(s: String) { def f = 2 } }\n"
    )
    assert called(source, 'object O { def run = "".f }\n') == []


def test_the_only_conversion_may_be_of_another_file() -> None:
    source = "package p\nobject P { implicit class X(s: String) { def f = 1 } }\n"
    assert called(source, 'import p.P._\nobject O { def run = "".f }\n') == ["O.run P.X.f exact"]
