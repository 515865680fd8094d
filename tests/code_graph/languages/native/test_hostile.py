"""Sources that lead in circles, nest deeply or repeat without end are linked all the same."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from code_graph import SourceTree
from tests.code_graph.languages.native import c_sources, cpp_sources, rust_sources, swift_sources
from tests.code_graph.sources import link

pytestmark = pytest.mark.differential

MANY = 300
HOSTILE = {
    "typedefs in a circle": {
        "a.c": "typedef b a;\ntypedef a b;\nint f(a *x) { return x->y(1); }\n"
    },
    "includes in a circle": {
        "a.h": '#include "b.h"\nint a(void);\n',
        "b.h": '#include "a.h"\n#include "b.h"\nint b(void);\n',
        "a.c": '#include "a.h"\nint run(void) { return a() + b(); }\n',
    },
    "a storm of macros": {
        "a.c": "".join(f"#define M{n}(x) M{n + 1}(x) M{n + 1}(x)\n" for n in range(MANY))
        + "int f(void) { return M0(M1(M2(1))); }\n"
    },
    "a chain of members": {
        "a.c": "struct a { struct a *a; int (*f)(void); };\n"
        "int g(void) { return 1; }\nstruct a t = { .f = g };\n"
        f"int f(struct a *x) {{ return x{'->a' * 5 * MANY}->f(); }}\n"
    },
    "a table that stores itself": {
        "a.c": "struct o { int (*f)(void); };\nvoid r(struct o *o) { o->f = o->f; o->f(); }\n"
    },
    "calls in calls": {"a.c": f"int f(int x) {{ return {'f(' * MANY}1{')' * MANY}; }}\n"},
    "a class that derives from itself": {
        "a.cpp": "class A : public B { void f() { g(); } };\n"
        "class B : public A { void g() { f(); } };\n"
    },
    "aliases in a circle": {
        "a.cpp": "using A = B;\nusing B = A;\nnamespace n = m;\nnamespace m = n;\n"
        "void f(A a) { a.g(); n::h(); }\n"
    },
    "usings in a circle": {
        "a.cpp": "namespace a { using namespace b; }\nnamespace b { using namespace a; }\n"
        "void f() { a::g(); b::g(); }\n"
    },
    "templates in templates": {
        "a.cpp": "template <class T> struct A { T t; };\n"
        f"void f({'A<' * 60}int{'>' * 60} x) {{ x.t.t.t(); }}\n"
    },
    "many overloads": {
        "a.cpp": "".join(f"void f(A{n} x) {{}}\n" for n in range(MANY))
        + "void g() { f(f(f(1))); }\n"
    },
    "uses in a circle": {
        "src/lib.rs": "mod a;\nmod b;\npub use a::*;\npub use b::f;\nfn r() { f(); g(); }\n",
        "src/a.rs": "pub use crate::b::*;\npub use crate::f;\n",
        "src/b.rs": "pub use crate::a::*;\npub use crate::a::f;\npub use self::f as f;\n",
    },
    "modules of themselves": {
        "src/lib.rs": "mod lib;\nuse self::lib::lib as lib;\nfn f() { lib::f(); }\n"
    },
    "an implementation for itself": {
        "src/lib.rs": "impl A for A { fn f(&self) { Self::f(self); self.f() } }\ntype A = A;\n"
        "impl<T: T> T for T where T: T { fn g() { T::g() } }\n"
    },
    "traits in a circle": {
        "src/lib.rs": "trait A: B {}\ntrait B: A {}\nfn f<T: A>(x: T) { x.g(); }\n"
    },
    "options in options": {
        "src/lib.rs": f"fn f(x: {'Option<' * 80}A{'>' * 80}) {{ x{'.unwrap()' * 80}.g(); }}\n"
        "struct A;\nimpl A { fn g(&self) {} }\n"
    },
    "a long path": {
        "src/lib.rs": f"use {'super::' * MANY}a;\nfn f() {{ {'self::' * MANY}f(); }}\n"
    },
    "extensions of each other": {
        "a.swift": "extension A.B {}\nextension A { struct B: A {} }\n"
        "struct A: A.B { func f() { self.g() } }\n"
        "protocol P: P {}\nextension P { func g() { g() } }\n"
    },
    "members that follow from each other": {
        "a.swift": "let a = b.c()\nlet b = a.c()\n"
        "func f(x: X = .y(.z(.y()))) { f(x: .y(.z)); .y.z() }\n"
    },
    "closures in closures": {"a.swift": f"func f() {{ {'a { b in b.c(' * 60}1{') }' * 60} }}\n"},
    "an initialiser of itself": {
        "a.swift": "class A: A { init() { self.init(); super.init(); A.init() } }\n"
        "let x = A.init.init()\n"
    },
}
TEXTS = [
    (path, text)
    for rows in (c_sources.CASES, cpp_sources.CASES, rust_sources.CASES, swift_sources.CASES)
    for sources, _ in rows.values()
    for path, text in sources.items()
    if path.endswith((".c", ".h", ".cpp", ".rs", ".swift"))
]


@pytest.mark.parametrize("sources", HOSTILE.values(), ids=HOSTILE)
def test_hostile_sources_are_linked(sources: dict[str, str]) -> None:
    linked = link(SourceTree(sources))
    assert linked == link(SourceTree(sources))
    assert linked.keys() == sources.keys()


@given(st.sampled_from(TEXTS), st.sampled_from(TEXTS), st.data())
def test_cut_and_mixed_texts_are_linked(
    one: tuple[str, str], other: tuple[str, str], data: st.DataObject
) -> None:
    begin = data.draw(st.integers(0, len(one[1])))
    at = data.draw(st.integers(0, len(other[1])))
    tree = SourceTree({f"x/{one[0]}": one[1][begin:] + other[1][at:], f"y/{other[0]}": other[1]})
    assert link(tree).keys() == set(tree.paths())
