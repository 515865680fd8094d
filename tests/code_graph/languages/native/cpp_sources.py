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
    "operators of a class": (
        {
            "p.h": """\
namespace g {
class P {
public:
    bool operator == (const P& o) const { return x == o.x; }
    bool operator!=(const P& o) const { return !(*this == o); }
    bool operator<=>(const P& o) const;
    P operator-() const;
    P& operator++();
    P& operator++(int);
    P& operator+=(const P& o);
    int operator()(int a) const;
    friend P operator+(P a, P b) { return a; }
    int x;
};
enum Kind { First, Last };
bool operator==(const P& a, int n);
P operator*(const P& a, int n);
Stream& operator<<(Stream& s, const P& p);
}
""",
            "a.cpp": """\
#include "p.h"
g::P make();
bool equal(const g::P& a, g::P* b, std::vector<g::P> all) {
    auto c = make();
    for (const auto& each : all)
        if (each == a) return true;
    return a == *b || c == all[0] || make() == a;
}
bool kinds(g::Kind a) { return a == g::First; }
bool compared(g::P a, g::P b) { return a < b; }
void changed(g::P a) { a += a; ++a; }
void later(g::P a) { a++; }
void printed(g::P a) { std::cout << "x" << a; }
int called(g::P a) { return a(3); }
int free(g::P a) { return (-(a * 3) + a).x; }
int sorted() { return std::any([](const g::P& a, g::P* b) { return a == a; }); }
""",
        },
        [
            "a.cpp imports p.h exact",
            "called accepts g::P exact",
            "called calls g::P::operator() inferred",
            "changed accepts g::P exact",
            "changed calls g::P::operator++@p.h:8 inferred",
            "changed calls g::P::operator+= inferred",
            "compared accepts g::P exact",
            "compared calls g::P::operator<=> inferred",
            "equal accepts g::P exact",
            "equal calls g::P::operator == inferred",
            "equal calls make exact",
            "free accepts g::P exact",
            "free calls g::P::operator+ inferred",
            "free calls g::P::operator- inferred",
            "free calls g::operator* inferred",
            "g::P::operator == accepts g::P exact",
            "g::P::operator!= accepts g::P exact",
            "g::P::operator!= calls g::P::operator == inferred",
            "g::P::operator+ accepts g::P exact",
            "g::P::operator+= accepts g::P exact",
            "g::P::operator<=> accepts g::P exact",
            "g::operator* accepts g::P exact",
            "g::operator<< accepts g::P exact",
            "g::operator== accepts g::P exact",
            "kinds accepts g::Kind exact",
            "later accepts g::P exact",
            "later calls g::P::operator++@p.h:9 inferred",
            "printed accepts g::P exact",
            "printed calls g::operator<< inferred",
            "sorted calls g::P::operator == inferred",
        ],
    ),
    "pointers have the operators of the language": (
        {
            "a.cpp": """\
class P { public: bool operator==(const P& o) const; int& operator[](int i); int x; };
P* find();
typedef P* Alias;
struct Holder { P* own; };
bool parameters(P* a, P* b) { return a == b; }
bool fields(Holder h, P* a) { return h.own == a; }
bool results(P* a) { return find() == a; }
bool made(P* a) { auto b = new P; return b == a; }
bool local(P& a, P& b) { P* c = &a; auto d = c; return c == d || &a == &b; }
bool aliased(Alias a, Alias b) { return a == b; }
bool elements(std::vector<P*> all, P* b) {
    for (auto a : all) if (a == b) return true;
    return all[0] == b;
}
bool iterators(std::vector<P> all) { auto i = all.begin(); return i == all.end(); }
int indexed(P* a) { return a[1].x; }
bool inner() { return std::any([](P* a, P* b) { return a == b; }); }
""",
        },
        [
            "P::operator== accepts P exact",
            "elements accepts P exact",
            "fields accepts Holder exact",
            "fields accepts P exact",
            "indexed accepts P exact",
            "iterators accepts P exact",
            "local accepts P exact",
            "made accepts P exact",
            "made calls P exact",
            "parameters accepts P exact",
            "results accepts P exact",
            "results calls find exact",
        ],
    ),
    "variables without a value": (
        {
            "a.cpp": """\
class P { public: P(); P(int n); };
struct Plain { int a; };
template <class T> class Box { public: Box(); };
typedef P* Alias;
P all;
extern P other;
void objects() { P one; Box<int> two; P three[2]; static P four; }
void none() { P* one; Plain two; extern P three; Alias four; }
struct Holder { P own; };
""",
        },
        [
            "a.cpp calls P::P@a.cpp:1 inferred",
            "objects calls Box::Box inferred",
            "objects calls P::P@a.cpp:1 inferred",
        ],
    ),
}
