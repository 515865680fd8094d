"""Shapes of sources in C, C++, Rust and Swift that are made to cost the linker much."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bench.graph.hostile.writing import Shape, each, many_files, nested, one_file

SHAPES: Final[Mapping[str, Shape]] = {
    "c: calls of one function": one_file(
        "a.c", "int f(int x) { return x; }\nint g(void) {", ("f({n});", 1), "return 0; }"
    ),
    "c: prototypes of one function": one_file(
        "a.c", ("int f(int x{n});", 1), "int g(void) {", ("f({n});", 1), "return 0; }"
    ),
    "c: definitions of one name": one_file(
        "a.c",
        ("int f(int x) { return x + {n}; }", 1),
        "int g(void) {",
        ("f({n});", 1),
        "return 0; }",
    ),
    "c: macros of macros": one_file(
        "a.c", ("#define M{n}(x) M{m}(x)", 1), "int g(void) {", ("M{n}(1);", 1), "return 0; }"
    ),
    "c: macros of one name": one_file(
        "a.c",
        ("#define M(x) ((x) + {n})\n#undef M", 1),
        "#define M(x) x\nint g(void) {",
        ("M({n});", 1),
        "return 0; }",
    ),
    "c: a table of functions": one_file(
        "a.c",
        "struct o { int (*f)(void); };",
        ("static int f{n}(void) { return {n}; }", 1),
        ("struct o o{n} = { .f = f{n} };", 1),
        "int g(struct o *x) {",
        ("x->f();", 1),
        "return 0; }",
    ),
    "c: stores in one member": one_file(
        "a.c",
        "struct o { int (*f)(void); };",
        ("static int f{n}(void) { return {n}; }", 1),
        "int g(struct o *x) {",
        ("x->f = f{n}; x->f();", 1),
        "return 0; }",
    ),
    "c: assignments of one variable": one_file(
        "a.c",
        ("static int f{n}(void) { return {n}; }", 1),
        "int g(void) { int (*p)(void);",
        ("p = f{n}; p();", 1),
        "return 0; }",
    ),
    "c: a chain of members": one_file(
        "a.c",
        "struct a { struct a *a; int (*f)(void); };\nint g(struct a *x) { return x",
        ("->a", 1),
        "->f(); }",
    ),
    "c: typedefs of typedefs": one_file(
        "a.c",
        "struct t { int (*f)(void); };\ntypedef struct t t0;",
        ("typedef t{n} t{m};", 1),
        "int g(void) {",
        ("t{n} *x{n}; x{n}->f();", 1),
        "return 0; }",
    ),
    "c: structs in structs": nested("a.c", "struct s{n} { int a{n};\n", "int f;", "} x;"),
    "c: blocks in blocks": nested("a.c", "int f(int x);\nint g(int x) {\n", "", "}", 0.02),
    "c: fields of a struct": one_file(
        "a.c",
        "struct s {",
        ("int (*f{n})(int);", 1),
        "};\nint g(struct s *x) {",
        ("x->f{n}({n});", 1),
        "return 0; }",
    ),
    "c: nested blocks": nested("a.c", "{ int v{n}; v{n} = f(v{n});\n", "", "}"),
    "c: includes in a chain": many_files(
        "h{n}.h",
        '#include "h{m}.h"\nint f{n}(void);',
        lambda n: {
            "a.c": '#include "h0.h"\nint g(void) {\n' + each(n, "f{n}();") + "\nreturn 0; }\n"
        },
    ),
    "c: calls in calls": one_file(
        "a.c", "int f(int x);\nint g(void) { return", ("f(", 0.2), "1", (")", 0.2), "; }"
    ),
    "cpp: overloads": one_file(
        "a.cpp", ("struct A{n} {};\nvoid f(A{n} x) {}", 1), "void g() {", ("f(A{n}());", 0.3), "}"
    ),
    "cpp: overloads without types": one_file(
        "a.cpp", ("void f(A{n} x) {}", 1), "void g() {", ("f({n});", 0.3), "}"
    ),
    "cpp: overloads of a class": one_file(
        "a.cpp",
        "struct C {",
        ("void f(int a, A{n} x) {}", 1),
        "};\nvoid g(C c) {",
        ("c.f(1, {n});", 0.3),
        "}",
    ),
    "cpp: overloads by count": one_file(
        "a.cpp",
        *(
            (f"void f({', '.join(f'int a{k}' for k in range(j))}, B{{n}} b);", 0.25)
            for j in range(1, 5)
        ),
        "void g() {",
        ("f(1, {n});", 0.3),
        "}",
    ),
    "cpp: constructors": one_file(
        "a.cpp",
        "struct C {",
        ("C(A{n} x) {}", 1),
        "};\nvoid g() {",
        ("C c{n}({n}); new C({n});", 0.3),
        "}",
    ),
    "cpp: prototypes of one function": one_file(
        "a.cpp", ("void f(int);", 1), "void g() {", ("f({n});", 1), "}"
    ),
    "cpp: methods outside": one_file(
        "a.cpp", "struct C {", ("void m{n}();", 1), "};", ("void C::m{n}() { m{m}(); }", 1)
    ),
    "cpp: overloads outside": one_file(
        "a.cpp", "struct C {", ("void m(A{n});", 1), "};", ("void C::m(A{n} a) { m(a); }", 1)
    ),
    "cpp: using namespaces": one_file(
        "a.cpp",
        ("namespace n{n} { void f{n}(); }", 1),
        ("using namespace n{n};", 1),
        "void g() {",
        ("f{n}();", 1),
        "}",
    ),
    "cpp: using namespaces of one": one_file(
        "a.cpp",
        ("namespace n{n} { void f(int x); }", 1),
        ("using namespace n{n};", 1),
        "void g() {",
        ("f({n});", 1),
        "}",
    ),
    "cpp: namespaces in namespaces": nested(
        "a.cpp", "namespace n{n} { void f{n}(); void g{n}() { f0(); f{n}(); h{n}(); }\n", "", "}"
    ),
    "cpp: a chain of bases": one_file(
        "a.cpp",
        "struct C0 { void f(); };",
        ("struct C{m} : C{n} { void g{n}() { f(); } };", 1),
        "void h() {",
        ("C{n} c{n}; c{n}.f();", 1),
        "}",
    ),
    "cpp: diamonds": one_file(
        "a.cpp",
        "struct C0 { void f(); };\nstruct D0 {};",
        (
            (
                "struct C{m} : C{n}, D{n} { void f(); };\n"
                "struct D{m} : C{n}, D{n} { void g() { f(); } };"
            ),
            1,
        ),
    ),
    "cpp: many bases": one_file(
        "a.cpp",
        ("struct B{n} { virtual void f{n}(); };", 1),
        "struct C : B0",
        (", B{n}", 1),
        "{",
        ("void f{n}() { f{m}(); }", 1),
        "};",
    ),
    "cpp: classes in classes": nested(
        "a.cpp", "struct C{n} { void f{n}() { f0(); g(); }\n", "", "};"
    ),
    "cpp: aliases of aliases": one_file(
        "a.cpp",
        "struct A0 { void f(); };",
        ("using A{m} = A{n};", 1),
        "void g() {",
        ("A{n} a{n}; a{n}.f();", 1),
        "}",
    ),
    "cpp: calls of calls": one_file(
        "a.cpp", "struct A { A& f(); };\nvoid g(A a) { a", (".f()", 1), "; }"
    ),
    "cpp: templates of templates": one_file(
        "a.cpp",
        "template <class T> struct A { T t; void f(); };\nvoid g(",
        ("A<", 0.2),
        "int",
        (">", 0.2),
        "x) { x",
        (".t", 0.2),
        ".f(); }",
    ),
    "cpp: operators": one_file(
        "a.cpp",
        ("struct A{n} {}; A{n} operator+(A{n} a, A{n} b);", 1),
        "void g(A0 a) { a",
        ("+ a", 1),
        "; }",
    ),
    "cpp: variables of one name": one_file(
        "a.cpp", "void f(int); void g() {", ("{ auto x = f({n}); f(x); }", 1), "}"
    ),
    "cpp: namespace opened often": one_file(
        "a.cpp", ("namespace n { void f{n}(); void g{n}() { f{n}(); n::f0(); } }", 1)
    ),
    "rust: glob uses": one_file(
        "src/lib.rs",
        ("mod m{n} { pub fn f{n}() {} }", 1),
        ("use m{n}::*;", 1),
        "fn g() {",
        ("f{n}();", 1),
        "}",
    ),
    "rust: glob uses of one name": one_file(
        "src/lib.rs",
        ("mod m{n} { pub fn f() {} }", 1),
        ("use m{n}::*;", 1),
        "fn g() {",
        ("f();", 1),
        "}",
    ),
    "rust: glob uses in a chain": one_file(
        "src/lib.rs",
        ("pub mod m{n} { pub use crate::m{m}::*; pub fn f{n}() {} }", 1),
        "use m0::*;\nfn g() {",
        ("f{n}();", 1),
        "}",
    ),
    "rust: glob uses in a ring": many_files(
        "src/m{n}.rs",
        "pub use crate::m{m}::*;\npub fn f{n}() { f{m}(); g(); }",
        lambda n: {"src/lib.rs": each(n, "pub mod m{n};") + "\n"},
        ring=True,
    ),
    "rust: impl blocks": one_file(
        "src/lib.rs", "struct S;", ("impl S { fn f{n}(&self) { self.f{m}(); Self::f0(self); } }", 1)
    ),
    "rust: impl blocks of traits": one_file(
        "src/lib.rs",
        "struct S;",
        (
            (
                "trait T{n} { fn f(&self); fn g{n}(&self) { self.f(); } }\n"
                "impl T{n} for S { fn f(&self) {} }"
            ),
            1,
        ),
        "fn h(s: S) {",
        ("s.f(); s.g{n}();", 1),
        "}",
    ),
    "rust: impls of one trait": one_file(
        "src/lib.rs",
        "trait T { fn f(&self); }",
        ("struct S{n};\nimpl T for S{n} { fn f(&self) {} }", 1),
        "fn h(t: &dyn T) {",
        ("t.f(); S{n}.f();", 1),
        "}",
    ),
    "rust: supertraits": one_file(
        "src/lib.rs",
        "trait T0 { fn f(&self); }",
        ("trait T{m}: T{n} { fn g{n}(&self) { self.f(); } }", 1),
    ),
    "rust: derefs": one_file(
        "src/lib.rs",
        "struct S0;\nimpl S0 { fn f(&self) {} }",
        (
            (
                "struct S{m};\n"
                "impl Deref for S{m} { type Target = S{n}; fn deref(&self) -> &S{n} { self } }\n"
                "fn g{n}(s: S{m}) { s.f(); }"
            ),
            1,
        ),
    ),
    "rust: modules in modules": nested(
        "src/lib.rs", "mod m{n} { use super::*; fn f{n}() { f0(); g(); }\n", "", "}"
    ),
    "rust: aliases": one_file(
        "src/lib.rs",
        "struct S0;\nimpl S0 { fn f(&self) {} }",
        ("type S{m} = S{n};\nfn g{n}(s: S{m}) { s.f(); }", 1),
    ),
    "rust: macros": one_file(
        "src/lib.rs",
        ("macro_rules! m { () => { f() } }", 1),
        "fn f() {} fn g() {",
        ("m!();", 1),
        "}",
    ),
    "rust: shadowing": one_file(
        "src/lib.rs",
        "struct S; impl S { fn f(&self) {} }\nfn g() { let x = S;",
        ("let x = x; x.f();", 1),
        "}",
    ),
    "rust: a chain of calls": one_file(
        "src/lib.rs",
        "struct S; impl S { fn f(self) -> S { self } }\nfn g(s: S) { s",
        (".f()", 1),
        "; }",
    ),
    "rust: generic bounds": one_file(
        "src/lib.rs",
        ("trait T{n} { fn f{n}(&self); }", 1),
        "fn g<A: T0",
        ("+ T{n}", 1),
        ">(a: A) {",
        ("a.f{n}();", 1),
        "}",
    ),
    "rust: uses in a chain": one_file(
        "src/lib.rs", "fn f0() {}", ("use self::f{n} as f{m};", 1), "fn g() {", ("f{n}();", 1), "}"
    ),
    "swift: extensions": one_file(
        "a.swift", "struct S {}", ("extension S { func f{n}() { f{m}(); self.f0() } }", 1)
    ),
    "swift: extensions of one method": one_file(
        "a.swift",
        "struct S {}",
        ("extension S { func f(x{n}: Int) { } }", 1),
        "func g(s: S) {",
        ("s.f(x{n}: 1)", 1),
        "}",
    ),
    "swift: overloads": one_file(
        "a.swift", ("func f(_ x: A{n}) {}", 1), "func g() {", ("f({n})", 1), "}"
    ),
    "swift: protocols": one_file(
        "a.swift",
        ("protocol P{n} { func f{n}() }\nextension P{n} { func g{n}() { f{n}() } }", 1),
        "struct S: P0",
        (", P{n}", 1),
        "{",
        ("func f{n}() { g{n}() }", 1),
        "}",
    ),
    "swift: protocols in a chain": one_file(
        "a.swift",
        "protocol P0 { func f() }",
        ("protocol P{m}: P{n} {}\nextension P{m} { func g{n}() { f() } }", 1),
    ),
    "swift: diamonds": one_file(
        "a.swift",
        "protocol P0 { func f() }\nprotocol Q0 {}",
        (
            (
                "protocol P{m}: P{n}, Q{n} {}\n"
                "protocol Q{m}: P{n}, Q{n} {}\n"
                "func g{n}(p: P{m}) { p.f() }"
            ),
            1,
        ),
    ),
    "swift: a chain of bases": one_file(
        "a.swift",
        "class C0 { func f() {} }",
        ("class C{m}: C{n} { override func f() { super.f(); f() } }", 1),
    ),
    "swift: types in types": nested(
        "a.swift", "struct C{n} { func f{n}() { f{n}(); g() }\n", "", "}"
    ),
    "swift: a chain of calls": one_file(
        "a.swift", "struct S { func f() -> S { self } }\nfunc g(s: S) { s", (".f()", 1), "}"
    ),
    "swift: operators": one_file("a.swift", "func f() -> Int { 1 }\nlet x = f()", (" + f()", 1)),
    "swift: files": many_files("a{n}.swift", "extension S { func f{n}() { f{m}(); f0(); g() } }"),
    "swift: enum cases": one_file(
        "a.swift", "enum E {", ("case c{n}", 1), "}\nfunc g(e: E) {", ("h(.c{n}); E.c{n}", 1), "}"
    ),
}
