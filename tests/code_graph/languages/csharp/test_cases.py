"""The written cases of C#: all edges that they have, and no others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from code_graph import SourceTree
from code_graph.expressions import Code, FileCode
from code_graph.expressions.wire import decode_code, encode_code
from code_graph.model import EdgeType, LinkedSymbol, Strategy
from tests.code_graph.cases.case_runner import Case, CaseEdge, Node, cases, score
from tests.code_graph.languages.native.written import edge_lines
from tests.code_graph.sources import link


class StoredTree(SourceTree):
    """Sources whose code was stored and read again, as that of an index is."""

    def code(self, path: str) -> Code | None:
        """The code of a file after storing it."""
        code, facts = super().code(path), self.facts(path)
        if code is None or facts is None:
            return None
        file = FileCode(code, len(facts.declarations), len(facts.imports))
        stored = decode_code(encode_code(file))
        return None if stored is None else stored.code


def edges(root: Path) -> Iterator[CaseEdge]:
    """The linker's edges for the sources of a case."""
    paths = sorted([*root.rglob("*.cs"), *root.rglob("*.csproj")])
    tree = StoredTree({path.relative_to(root).as_posix(): path.read_text() for path in paths})
    linked = link(tree)

    def node(path: str, symbol: LinkedSymbol) -> Node:
        facts = tree.facts(path)
        assert facts is not None
        number = symbol.declaration
        line = facts.declarations[number].name_line if number >= 0 else 0
        return Node(symbol.qualified_name, path, line)

    named = {
        symbol.id: node(path, symbol)
        for path, file in reversed(linked.items())
        for symbol in sorted(file.symbols, key=lambda item: item.is_primary)
    }
    for path, file in linked.items():
        own = {symbol.declaration: node(path, symbol) for symbol in file.symbols}
        for edge in file.edges:
            if edge.strategy == Strategy.FRAMEWORK:
                continue  # a compiler knows nothing of what libraries call
            kind = EdgeType(edge.type).name.lower()
            yield CaseEdge(kind, own[edge.source], named[edge.target])


@pytest.mark.parametrize("case", cases("csharp"), ids=str)
def test_the_edges_of_a_case_are_found(case: Case) -> None:
    found = score(case, edges(case.root))
    assert {type_: (result.missing, result.wrong) for type_, result in found.items()} == {
        type_: ([], []) for type_ in found
    }


def test_a_delegate_that_is_a_parameter_gives_what_its_type_says() -> None:
    types = "class A { }\nclass B { public void F() { } }\n"
    use = "class C { void G(List<A> l, Func<A, B> h) { l.Select(h).First().F(); } }\n"
    linked = link(SourceTree({"Types.cs": types, "Use.cs": use}))
    (target,) = (item.id for item in linked["Types.cs"].symbols if item.qualified_name == "B.F")
    assert EdgeType.CALLS in {edge.type for edge in linked["Use.cs"].edges if edge.target == target}


def test_a_function_that_may_give_anything_chooses_no_overload() -> None:
    text = """class A { }
class B { }
class C {
    A Run(Func<int, A> make) => make(1);
    B Run(Func<int, B> make) => make(1);
    void Use(Outside outside) { Run(n => { if (n > 1) return outside.Get(n); return new A(); }); }
}
"""
    lines = edge_lines({"C.cs": text})
    assert [line for line in lines if line.startswith("C.Use calls C.Run")] == [
        "C.Use calls C.Run@C.cs:4 inferred",
        "C.Use calls C.Run@C.cs:5 inferred",
    ]


def test_named_arguments_of_equal_types_choose_by_their_names() -> None:
    text = """class C {
    void F(int a, string b) { }
    void F(string a, int b) { }
    void First(int n, string s) { F(a: n, b: s); }
    void Second(int n, string s) { F(b: n, a: s); }
}
"""
    lines = edge_lines({"C.cs": text})
    assert [line for line in lines if " calls C.F" in line] == [
        "C.First calls C.F@C.cs:2 inferred",
        "C.Second calls C.F@C.cs:3 inferred",
    ]
