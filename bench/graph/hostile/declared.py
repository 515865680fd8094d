"""Shapes of sources in C#, Go and Java that are made to cost the linker much."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bench.graph.hostile.writing import Shape, each, many_files, nested, one_file

SHAPES: Final[Mapping[str, Shape]] = {
    "csharp: overloads": one_file(
        "A.cs", "class A {", ("void F(B{n} x) {}", 1), "void G() {", ("F({n});", 1), "} }"
    ),
    "csharp: partial classes": one_file(
        "A.cs", ("partial class A { void F{n}() { F0(); F{m}(); } }", 1)
    ),
    "csharp: partial files": many_files(
        "A{n}.cs", "partial class A { void F{n}() { F0(); F{m}(); } }"
    ),
    "csharp: extensions": one_file(
        "A.cs",
        "class B {}",
        (
            (
                "static class E{n} { public static void F{n}(this B b) {} public "
                "static void G(this B b, int x) {} }"
            ),
            1,
        ),
        "class A { void H(B b) {",
        ("b.F{n}(); b.G({n});", 1),
        "} }",
    ),
    "csharp: extensions of a class": one_file(
        "A.cs",
        "class B {} static class E {",
        ("public static void G(this B b, C{n} x) {}", 1),
        "} class A { void H(B b) {",
        ("b.G({n});", 1),
        "} }",
    ),
    "csharp: interfaces": one_file(
        "A.cs",
        ("interface I{n} { void F{n}(); void G(); }", 1),
        "class A : I0",
        (", I{n}", 1),
        "{ public void G() {}",
        ("public void F{n}() { F{m}(); }", 1),
        "}",
    ),
    "csharp: a chain of bases": one_file(
        "A.cs", "class C0 { public void F() {} }", ("class C{m} : C{n} { void G{n}() { F(); } }", 1)
    ),
    "csharp: a chain of overrides": one_file(
        "A.cs",
        "class C0 { public virtual void F() {} }",
        ("class C{m} : C{n} { public override void F() { base.F(); } }", 1),
    ),
    "csharp: diamonds": one_file(
        "A.cs",
        "interface I0 { void F(); }\ninterface J0 {}",
        ("interface I{m} : I{n}, J{n} { }\ninterface J{m} : I{n}, J{n} { }", 1),
        "class A { void G(I9 i) {",
        ("i.F();", 1),
        "} }",
    ),
    "csharp: usings": one_file(
        "A.cs",
        ("using N{n};", 1),
        ("namespace N{n} { class C{n} { public static void F() {} } }", 1),
        "class A { void G() {",
        ("C{n}.F();", 1),
        "} }",
    ),
    "csharp: classes in classes": nested(
        "A.cs", "class C{n} { void F{n}() { F0(); G(); }\n", "", "}"
    ),
    "csharp: namespaces in namespaces": nested(
        "A.cs", "namespace N{n} { class C { static void F() { N0.C.F(); D.F(); } }\n", "", "}"
    ),
    "csharp: lambdas": one_file(
        "A.cs",
        "using System;\nclass A { void F(Func<int,int> f) {} void F(Func<A,int> f) {} void G() {",
        ("F(x => x + {n});", 1),
        "} }",
    ),
    "csharp: a chain of calls": one_file(
        "A.cs", "class A { A F() { return this; } void G() { F()", (".F()", 1), "; } }"
    ),
    "csharp: variables": one_file(
        "A.cs", "class A { void F() {} void G() { var x = this;", ("x = new A(); x.F();", 1), "} }"
    ),
    "go: embedded structs": one_file(
        "a.go",
        "package a\ntype S0 struct {}\nfunc (s S0) F() {}",
        ("type S{m} struct { S{n} }\nfunc (s S{m}) G{n}() { s.F() }", 1),
    ),
    "go: embedded side by side": one_file(
        "a.go",
        "package a",
        ("type S{n} struct {}\nfunc (s S{n}) F{n}() {}", 1),
        "type A struct {",
        ("S{n}", 1),
        "}\nfunc g(a A) {",
        ("a.F{n}()", 1),
        "}",
    ),
    "go: embedded diamonds": one_file(
        "a.go",
        "package a\ntype S0 struct {}\ntype T0 struct {}\nfunc (s S0) F() {}",
        (
            (
                "type S{m} struct { S{n}; T{n} }\n"
                "type T{m} struct { S{n}; T{n} }\n"
                "func (s S{m}) G() { s.F() }"
            ),
            1,
        ),
    ),
    "go: embedded side by side in turn": one_file(
        "a.go",
        "package a",
        (
            (
                "type T{n} struct { A{m}; B{m}; C{m}; D{m} }\n"
                "type A{n} struct { T{m} }\n"
                "type B{n} struct { T{m} }\n"
                "type C{n} struct { T{m} }\n"
                "type D{n} struct { T{m} }"
            ),
            1,
        ),
    ),
    "go: interfaces and types": one_file(
        "a.go",
        "package a",
        (
            (
                "type I{n} interface { F() ; G{n}() }\n"
                "type T{n} struct {}\n"
                "func (t T{n}) F() {}\n"
                "func (t T{n}) G{n}() {}"
            ),
            1,
        ),
    ),
    "go: interfaces of one method": one_file(
        "a.go",
        "package a",
        ("type I{n} interface { F() }\ntype T{n} struct {}\nfunc (t T{n}) F() {}", 1),
    ),
    "go: embedded interfaces": one_file(
        "a.go",
        "package a\ntype I0 interface { F() }",
        ("type I{m} interface { I{n}; G{n}() }\nfunc h{n}(i I{m}) { i.F() }", 1),
    ),
    "go: functions of one name": one_file(
        "a.go", "package a", ("func f() {}", 1), "func g() {", ("f()", 1), "}"
    ),
    "go: methods of one name": one_file(
        "a.go",
        "package a\ntype T struct {}",
        ("func (t T) f() {}", 1),
        "func g(t T) {",
        ("t.f()", 1),
        "}",
    ),
    "go: assignments": one_file(
        "a.go", "package a", ("func f{n}() {}", 1), "func g() {\nx := f0", ("x = f{n}\nx()", 1), "}"
    ),
    "go: files of a package": many_files("a{n}.go", "package a\nfunc F{n}() { F{m}(); F0() }"),
    "go: dot imports": many_files(
        "p{n}/a.go",
        "package p{n}\nfunc F{n}() {}",
        lambda n: {
            "go.mod": "module m\n",
            "a.go": "package a\n"
            + each(n, 'import . "m/p{n}"')
            + "\nfunc g() {\n"
            + each(n, "F{n}()")
            + "\n}\n",
        },
    ),
    "go: a chain of calls": one_file(
        "a.go",
        "package a\ntype T struct {}\nfunc (t T) F() T { return t }\nfunc g(t T) { t",
        (".F().", 0),
        (".F()", 1),
        "}",
    ),
    "go: aliases": one_file(
        "a.go",
        "package a\ntype T0 struct {}\nfunc (t T0) F() {}",
        ("type T{m} = T{n}", 1),
        "func g() {",
        ("var t{n} T{n}\nt{n}.F()", 1),
        "}",
    ),
    "java: overloads": one_file(
        "A.java", "class A {", ("void f(B{n} x) {}", 1), "void g() {", ("f({n});", 1), "} }"
    ),
    "java: overloads of classes": one_file(
        "A.java",
        "class A {",
        ("class B{n} {} void f(B{n} x) {}", 1),
        "void g() {",
        ("f(new B{n}());", 1),
        "} }",
    ),
    "java: constructors": one_file(
        "A.java", "class A {", ("A(B{n} x) {}", 1), "void g() {", ("new A({n});", 1), "} }"
    ),
    "java: classes in classes": nested(
        "A.java", "class C{n} { void f{n}() { f0(); g(); }\n", "", "}"
    ),
    "java: a chain of bases": one_file(
        "A.java",
        "class C0 { void f() {} }",
        ("class C{m} extends C{n} { void g{n}() { f(); } }", 1),
    ),
    "java: a chain of overrides": one_file(
        "A.java",
        "class C0 { void f() {} }",
        ("class C{m} extends C{n} { void f() { super.f(); } }", 1),
    ),
    "java: interfaces": one_file(
        "A.java",
        ("interface I{n} { void f{n}(); void g(); }", 1),
        "class A implements I0",
        (", I{n}", 1),
        "{ public void g() {}",
        ("public void f{n}() { f{m}(); }", 1),
        "}",
    ),
    "java: diamonds": one_file(
        "A.java",
        "interface I0 { void f(); }\ninterface J0 {}",
        ("interface I{m} extends I{n}, J{n} { }\ninterface J{m} extends I{n}, J{n} { }", 1),
        "class A { void g(I9 i) {",
        ("i.f();", 1),
        "} }",
    ),
    "java: star imports": many_files(
        "p{n}/C{n}.java",
        "package p{n}; public class C{n} { public static void f() {} }",
        lambda n: {
            "A.java": each(n, "import p{n}.*;")
            + "\nclass A { void g() {\n"
            + each(n, "C{n}.f(); D{n}.f();")
            + "\n} }\n"
        },
    ),
    "java: static star imports": many_files(
        "p{n}/C{n}.java",
        "package p{n}; public class C{n} { public static void f{n}() {} }",
        lambda n: {
            "A.java": each(n, "import static p{n}.C{n}.*;")
            + "\nclass A { void g() {\n"
            + each(n, "f{n}();")
            + "\n} }\n"
        },
    ),
    "java: anonymous classes": nested(
        "A.java",
        "class A{n} { Object f() { return new Object() { void g{n}() { g0(); }\n",
        "",
        "}; } }",
        0.3,
    ),
    "java: lambdas": one_file(
        "A.java",
        "class A { interface F { int a(A x); } interface G { int a(String x); }\n"
        "int g(F f) { return 1; } int g(G f) { return 1; }\n"
        "void m() {",
        ("g(x -> x + {n});", 1),
        "} }",
    ),
    "java: a chain of calls": one_file(
        "A.java", "class A { A f() { return this; } void g() { f()", (".f()", 1), "; } }"
    ),
    "java: fields of one name": one_file(
        "A.java", "class A { void f() {}", ("A x = new A();", 1), "void g() {", ("x.f();", 1), "} }"
    ),
    "java: variables": one_file(
        "A.java",
        "class A { void f() {} void g() { var x = this;",
        ("x = new A(); x.f();", 1),
        "} }",
    ),
}
