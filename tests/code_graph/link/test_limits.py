"""Code that is made to cost much is linked within a budget, and marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, strategies as st

from code_graph import SourceTree
from code_graph.evaluate import engine, source_file
from code_graph.evaluate.classes import _merge_orders
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import Ancestor
from code_graph.expressions import Binding, ScopeKind
from code_graph.languages.ecmascript.rules import (
    definitions as ecmascript_definitions,
    names as ecmascript_names,
)
from code_graph.link.linker import GraphLinker
from code_graph.model import LinkedFile

pytestmark = pytest.mark.differential

# evaluations that take a second or so
_A_SECOND = 40_000
_DEEP = 60


def _nested(begin: str, inner: str, end: str) -> str:
    return "".join(begin.format(n=n) for n in range(_DEEP)) + inner + end * _DEEP


def _classes(count: int) -> str:
    """Classes that inherit each other, with methods that call each other."""
    return "".join(
        f"class C{n}(C{(n + 1) % count}, C{(n * 2 + 1) % count}):\n"
        f"    def m(self): return self.k{n}().m()\n"
        f"    def k{n}(self): return self.m() or C{n * 3 % count}().m().k{n}()\n"
        for n in range(count)
    )


_CSHARP = "using System;\nclass A {{ {more}\nvoid M() {{ var r = {value}; }} }}\n"
_OVERLOADS = (
    "int G(Func<int,int> f) { return 1; } int G(Func<string,int> f) { return 1; } "
    "int G(Func<A,int> f) { return 1; }"
)
_JAVA = (
    "class A {{ interface F {{ int a(A x); }} interface G {{ int a(String x); }}\n"
    "int g(F f) {{ return 1; }} int g(G f) {{ return 1; }}\nvoid m() {{ int r = {value}; }} }}\n"
)
_NESTS = {
    "a.py": "def g(f): return f(f)\nr = " + _nested("g(lambda x{n}: ", "x0(x1)", ")") + "()\n",
    "calls.py": "class A:\n    def m(self): return self\nA()" + ".m()" * 400 + "\n",
    "classes.py": _classes(_DEEP),
    "loops.py": "x = []\n"
    + "".join(" " * n + f"for a{n} in x:\n" for n in range(18))
    + " " * 18
    + "x = x + [a0, x]; x.append(a1)\n"
    + "x()\n" * 50,
    "A.cs": _CSHARP.format(
        more="T G<T>(Func<T,T> f) { return f(default); }",
        value=_nested("G(x{n} => ", "x0", ")"),
    ),
    "B.cs": _CSHARP.format(more=_OVERLOADS, value=_nested("G(x{n} => ", "x0", ")")),
    "C.cs": _CSHARP.format(
        more="int[] a;", value=_nested("a.Select(x{n} => ", "x0.Foo(x1.Bar())", ")")
    ),
    "A.java": _JAVA.format(value=_nested("g(x{n} -> ", "x0", ")")),
    "a.go": "package a\nfunc g[T any](f func(T) T) T { var x T; return f(x) }\nfunc m() { r := "
    + _nested("g(func(x{n} int) int {{ return ", "x0", " })")
    + "\n_ = r }\n",
    "a.ts": "function g<T>(f: (x: T) => T): T { return f(null as any); }\nconst r = "
    + _nested("g(x{n} => ", "x0", ")")
    + ";\n",
    "b.ts": "const a = [1];\nconst r = " + _nested("a.map(x{n} => ", "[x0.foo()]", ")") + ";\n",
    "a.js": "const r = " + _nested("(x{n} => ({{ f: ", "x0.f()", " }))(r)") + ";\n",
}


@pytest.fixture
def evaluations(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """One item for each unit that is evaluated."""
    found: list[None] = []
    compute = Engine._compute

    def counted(self: Engine, *arguments: object) -> object:
        found.append(None)
        called: Callable[..., object] = compute
        return called(self, *arguments)

    monkeypatch.setattr(Engine, "_compute", counted)
    return found


@pytest.mark.parametrize("path", sorted(_NESTS))
def test_nested_code_is_linked_within_a_budget(path: str, evaluations: list[None]) -> None:
    linked = GraphLinker(SourceTree({path: _NESTS[path]})).link(path)
    assert linked.symbols
    assert len(evaluations) < _A_SECOND


def test_a_file_that_exceeds_its_budget_is_marked() -> None:
    tree = SourceTree({"hard.py": _classes(_DEEP), "easy.py": "def f(): pass\nf()\n"})
    linker = GraphLinker(tree)
    assert not linker.link("hard.py").is_complete
    assert linker.link("easy.py").is_complete


def test_the_limit_is_met_at_the_same_place_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_MOST_REPEATED", 30)
    monkeypatch.setattr(engine, "_MOST_REPEATED_ALONE", 60)
    sources = {f"m{number}.py": _module(number) for number in range(4)}
    tree = SourceTree(sources)
    alone = {path: GraphLinker(tree).link(path) for path in sources}
    assert {file.is_complete for file in alone.values()} == {False}
    for paths in (sorted(sources), sorted(sources, reverse=True)):
        linker = GraphLinker(tree)
        together = {path: linker.link(path) for path in paths}
        assert _texts(together) == _texts(alone)


def _module(number: int) -> str:
    """A module of a cycle of modules, with classes that use those of the next one."""
    other = (number + 1) % 4
    return f"from m{other} import D{other}_0, D{other}_3\n" + "".join(
        f"class D{number}_{n}(D{other}_{n % 2 * 3}):\n"
        f"    def m(self): return D{number}_{(n + 1) % 6}().m() or self.k()\n"
        f"    def k(self): return self.m()\n"
        f"D{number}_{n}().m().k().m()\n"
        for n in range(6)
    )


def _texts(files: dict[str, LinkedFile]) -> dict[str, str]:
    return {path: repr(files[path]) for path in sorted(files)}


def _merged_slowly(lines: Sequence[Sequence[Ancestor]]) -> list[Ancestor]:
    """The C3 merge as it is defined: the first head that is in no tail, else the first head."""
    left = [list(line) for line in lines if line]
    found: list[Ancestor] = []
    while left:
        tails = {_name(item) for line in left for item in line[1:]}
        best = next((line[0] for line in left if _name(line[0]) not in tails), left[0][0])
        found.append(best)
        left = [rest for line in left if (rest := [x for x in line if _name(x) != _name(best)])]
    return found


def _name(item: Ancestor) -> tuple[str, int, str]:
    return item.path, item.scope, item.external


_LINES = st.lists(
    st.lists(st.integers(0, 5).map(lambda scope: Ancestor("a.py", scope)), max_size=6)
)


@given(_LINES)
def test_orders_of_bases_are_merged_as_c3_says(lines: list[list[Ancestor]]) -> None:
    assert _merge_orders(lines) == _merged_slowly(lines)


@given(st.lists(st.sampled_from(["for a in b:", "if c:", "x = 1", "while d:", "x"]), max_size=25))
def test_bindings_of_a_loop_reach_uses_before_them(lines: list[str]) -> None:
    text, depth = "", 0
    for line in [*lines, "x"]:
        text += " " * depth + line + "\n"
        depth += line.endswith(":")
    tree = SourceTree({"a.py": text})
    facts = tree.facts("a.py")
    assert facts is not None
    file = SourceFile("a.py", facts, tree.code("a.py"), b"")
    rows = file.bindings.get((0, "x"), [])
    for number, item in enumerate(file.expressions):
        if item.name == "x":
            region = file.code.scope_of[number]
            loops = {each for each in file.around(region) if file.kind(each) == ScopeKind.LOOP}
            shared = [
                row
                for row in rows
                if row.at > number and loops.intersection(file.around(row.region))
            ]
            found = file.reaching(0, "x", number, region)
            assert found == rows if len(rows) == 1 else set(shared) <= set(found)
            assert found == _reaching_slowly(file, rows, number, region)


def _reaching_slowly(file: SourceFile, rows: list[Binding], at: int, region: int) -> list[Binding]:
    """The bindings of a name of the module that a use may see, one after the other."""
    inside = set(file.around(region))
    found: list[Binding] = []
    for row in reversed(rows):
        if row.at <= at and not inside.intersection(item.region for item in found):
            found.append(row)
    loops = [each for each in file.around(region) if file.kind(each) == ScopeKind.LOOP]
    later = [row for row in rows if row.at > at]
    if loops:
        found += [row for row in later if loops[-1] in file.around(row.region)]
    return found or later[:1]


# a name that is bound in many branches, and used in each
_BRANCHES = {
    "function.py": ("def f(x):\n    y = None\n", "    if x:\n        y = g{n}\n    y()\n", ""),
    "module.py": ("y = None\n", "if x:\n    y = g{n}\ny()\n", ""),
    "loop.py": ("def f(x):\n  while x:\n", "    y()\n    if x:\n        y = g{n}\n", ""),
    "a.ts": ("function f(x: any) {\nlet y;\n", "if (x) { y = g{n}; y(); }\n", "}\n"),
    "a.js": ("var y;\n", "if (x) { y = g{n}; y(); }\n", "\n"),
}


@pytest.mark.parametrize("path", sorted(_BRANCHES))
def test_uses_of_a_name_that_is_bound_often_cost_no_more_each(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (source_file, ecmascript_names, ecmascript_definitions):
        monkeypatch.setattr(module, "MOST_BINDINGS", 8)
    asked: list[None] = []
    unit = Engine.unit

    def counted(self: Engine, *arguments: object) -> object:
        asked.append(None)
        called: Callable[..., object] = unit
        return called(self, *arguments)

    monkeypatch.setattr(Engine, "unit", counted)
    costs = []
    begin, branch, end = _BRANCHES[path]
    for count in (50, 100):
        asked.clear()
        text = begin + "".join(branch.replace("{n}", f"{n}") for n in range(count)) + end
        assert GraphLinker(SourceTree({path: text})).link(path).symbols
        costs.append(len(asked))
    assert costs[1] < 2.5 * costs[0]
