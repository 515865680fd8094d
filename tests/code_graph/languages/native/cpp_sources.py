"""Small sources of C++ with all the edges that they have, checked by hand."""

from __future__ import annotations

from typing import Final

from tests.code_graph.languages.native import cpp_certainty, cpp_scopes

CASES: Final[dict[str, tuple[dict[str, str], list[str]]]] = {
    **cpp_scopes.CASES,
    **cpp_certainty.CASES,
    "a method outside of its class": (
        {
            "a.h": """\
class A {
public:
    void f();
    void g();
};
""",
            "a.cpp": """\
#include "a.h"
void A::f() { g(); }
void A::g() { this->f(); }
""",
        },
        [
            "A::f calls A::g exact",
            "A::g calls A::f exact",
            "a.cpp imports a.h exact",
        ],
    ),
    "a declaration and its definition are one": (
        {
            "a.h": """\
int f(int x);
""",
            "a.cpp": """\
#include "a.h"
int f(int x) { return x; }
""",
            "b.cpp": """\
#include "a.h"
int run() { return f(1); }
""",
        },
        [
            "a.cpp imports a.h exact",
            "b.cpp imports a.h exact",
            "run calls f exact",
        ],
    ),
    "overloads by count": (
        {
            "a.cpp": """\
void f(int a) {}
void f(int a, int b) {}
void run() { f(1); f(1, 2); }
void other() { f(1, 2); }
""",
        },
        [
            "other calls f@a.cpp:2 inferred",
            "run calls f@a.cpp:1 inferred",
            "run calls f@a.cpp:2 inferred",
        ],
    ),
    "namespaces around": (
        {
            "a.cpp": """\
namespace one {
void f() {}
namespace two {
void run() { f(); }
}
}
void f() {}
void outside() { f(); one::f(); }
""",
        },
        [
            "one::two::run calls one::f exact",
            "outside calls f exact",
            "outside calls one::f exact",
        ],
    ),
    "a using directive": (
        {
            "a.h": """\
namespace lib { void f(); }
""",
            "b.cpp": """\
#include "a.h"
using namespace lib;
void run() { f(); }
""",
        },
        [
            "b.cpp imports a.h exact",
            "run calls lib::f exact",
        ],
    ),
    "a using declaration": (
        {
            "a.h": """\
namespace lib { void f(); void g(); }
""",
            "b.cpp": """\
#include "a.h"
using lib::f;
void run() { f(); }
""",
        },
        [
            "b.cpp imports a.h exact",
            "b.cpp references lib::f exact",
            "run calls lib::f exact",
        ],
    ),
    "an alias of a namespace": (
        {
            "a.h": """\
namespace lib { namespace inner { void f(); } }
""",
            "b.cpp": """\
#include "a.h"
namespace li = lib::inner;
void run() { li::f(); }
""",
        },
        [
            "b.cpp imports a.h exact",
            "run calls lib::inner::f exact",
        ],
    ),
    "a base and an override": (
        {
            "a.h": """\
struct Base {
    virtual void f();
    void g() { f(); }
};
struct Derived : Base {
    void f() override;
};
""",
            "b.cpp": """\
#include "a.h"
void run(Derived& d, Base* b) { d.f(); d.g(); b->f(); }
""",
        },
        [
            "Base::g calls Base::f exact",
            "Derived inherits Base exact",
            "Derived::f overrides Base::f exact",
            "b.cpp imports a.h exact",
            "run accepts Base exact",
            "run accepts Derived exact",
            "run calls Base::f exact",
            "run calls Base::g exact",
            "run calls Derived::f exact",
        ],
    ),
    "a method of the base by its name": (
        {
            "a.h": """\
struct Base {
    virtual void f();
};
struct Derived : Base {
    void f() override { Base::f(); }
};
""",
        },
        [
            "Derived inherits Base exact",
            "Derived::f calls Base::f exact",
            "Derived::f overrides Base::f exact",
        ],
    ),
    "constructors": (
        {
            "a.h": """\
class A {
public:
    A(int x);
    A(int x, int y);
};
""",
            "b.cpp": """\
#include "a.h"
void run() { auto a = new A(1); A b = A(1, 2); }
""",
        },
        [
            "b.cpp imports a.h exact",
            "run calls A exact",
            "run calls A::A@a.h:3 inferred",
            "run calls A::A@a.h:4 inferred",
        ],
    ),
    "an initialiser of a base": (
        {
            "a.h": """\
class Base {
public:
    Base(int x) {}
};
class D : Base {
public:
    int n;
    D() : Base(1), n(2) {}
};
""",
        },
        [
            "D inherits Base exact",
            "D::D calls Base exact",
            "D::D calls Base::Base exact",
        ],
    ),
    "members of pointers": (
        {
            "a.h": """\
#include <memory>
struct A { void f(); };
struct B { std::unique_ptr<A> a; A* p; };
""",
            "b.cpp": """\
#include "a.h"
void run(B& b) { b.a->f(); b.p->f(); }
""",
        },
        [
            "b.cpp imports a.h exact",
            "run accepts B exact",
            "run calls A::f exact",
        ],
    ),
    "auto and results": (
        {
            "a.cpp": """\
struct A { A& next(); void f(); };
A make();
void run() { auto a = make(); a.next().f(); }
""",
        },
        [
            "run calls A::f exact",
            "run calls A::next exact",
            "run calls make exact",
        ],
    ),
    "a loop over a container": (
        {
            "a.cpp": """\
#include <vector>
struct A { void f(); };
void run(std::vector<A>& all) { for (auto& a : all) a.f(); for (A& b : all) { b.f(); } }
""",
        },
        [
            "run accepts A exact",
            "run calls A::f exact",
            "run calls A::f inferred",
        ],
    ),
    "a template": (
        {
            "a.cpp": """\
template <typename T> struct Box { T value; T& get() { return value; } };
struct A { void f(); };
void run(Box<A>& box) { box.get().f(); box.value.f(); }
""",
        },
        [
            "run accepts A exact",
            "run accepts Box exact",
            "run calls A::f inferred",
            "run calls Box::get exact",
        ],
    ),
    "a function template": (
        {
            "a.cpp": """\
template <typename T> T twice(T x) { return x; }
int run() { return twice(1) + twice<int>(2); }
""",
        },
        [
            "run calls twice exact",
        ],
    ),
    "static members": (
        {
            "a.cpp": """\
struct A { static void make(); static A one; void f(); };
void run() { A::make(); A::one.f(); }
""",
        },
        [
            "run calls A::f exact",
            "run calls A::make exact",
        ],
    ),
    "a lambda": (
        {
            "a.cpp": """\
void f() {}
void run() { auto g = [] { f(); }; g(); }
""",
        },
        [
            "run calls f exact",
        ],
    ),
    "a static function of another file": (
        {
            "a.cpp": """\
static void f() {}
""",
            "b.cpp": """\
void run() { f(); }
""",
        },
        [],
    ),
    "a namespace without a name": (
        {
            "a.cpp": """\
namespace {
void f() {}
}
void run() { f(); }
""",
        },
        [
            "run calls f exact",
        ],
    ),
    "two definitions without evidence": (
        {
            "x/a.cpp": """\
void f() {}
""",
            "y/a.cpp": """\
void f() {}
""",
            "b.cpp": """\
void run() { f(); }
""",
        },
        [
            "run calls f possible",
        ],
    ),
    "a type alias": (
        {
            "a.cpp": """\
struct A { void f(); };
using B = A;
typedef A C;
void run(B b, C c) { b.f(); c.f(); }
""",
        },
        [
            "run calls A::f exact",
        ],
    ),
    "a nested class": (
        {
            "a.cpp": """\
struct A {
    struct In { void f(); };
    In in;
    void g() { in.f(); }
};
void run() { A::In x; x.f(); }
""",
        },
        [
            "A::g calls A::In::f exact",
            "run calls A::In::f exact",
        ],
    ),
    "a cast": (
        {
            "a.cpp": """\
struct A {};
struct B : A { void f(); };
void run(A* a) { static_cast<B*>(a)->f(); ((B*)a)->f(); }
""",
        },
        [
            "B inherits A exact",
            "run accepts A exact",
            "run calls B::f exact",
        ],
    ),
    "a member hides a function": (
        {
            "a.cpp": """\
void f() {}
struct A { void f(); void g() { f(); ::f(); } };
""",
        },
        [
            "A::g calls A::f exact",
            "A::g calls f exact",
        ],
    ),
    "fields that a constructor makes": (
        {
            "a.cpp": """\
int count();
class Part { public: Part(); Part(int n); };
class Base { public: Base(int n); };
class A : public Base {
public:
    A() : Base(1), part_(count()), number_(count()), to_(nullptr) {}
    A(int n);
    Part part_; int number_; Part* to_; int more_{count()};
};
A::A(int n) : Base(n), part_(), number_(n) {}
""",
        },
        [
            "A inherits Base exact",
            "A::A@a.cpp:10 calls Base exact",
            "A::A@a.cpp:10 calls Base::Base exact",
            "A::A@a.cpp:10 calls Part exact",
            "A::A@a.cpp:10 calls Part::Part@a.cpp:2 inferred",
            "A::A@a.cpp:6 calls Base exact",
            "A::A@a.cpp:6 calls Base::Base exact",
            "A::A@a.cpp:6 calls Part exact",
            "A::A@a.cpp:6 calls Part::Part@a.cpp:2 inferred",
            "A::A@a.cpp:6 calls count exact",
            "A::more_ calls count exact",
        ],
    ),
    "a macro in a namespace": (
        {
            "check.h": """\
namespace inner {
void fail(int line);
#define CHECK(x) do { if (!(x)) fail(__LINE__); } while (0)
#define TWICE(f, x) f(f(x))
}
""",
            "a.cpp": """\
#include "check.h"
int half(int x);
int run(int x) { CHECK(x); return TWICE(half, x); }
""",
        },
        [
            "a.cpp imports check.h exact",
            "inner::CHECK calls inner::fail exact",
            "run calls inner::CHECK exact",
            "run calls inner::TWICE exact",
            "run references half exact",
        ],
    ),
}
