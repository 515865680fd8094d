"""Small sources of C++ in which scopes, other files and conversions tell what is meant."""

from __future__ import annotations

from typing import Final

CASES: Final[dict[str, tuple[dict[str, str], list[str]]]] = {
    "members of what is indexed or iterated": (
        {
            "a.cpp": """\
struct A { void f(); };
struct Iterator { A* operator*(); };
struct List { A& operator[](int i); Iterator begin(); Iterator end(); };
struct Pointer { A* operator->(); };
void run(List& list, A* many, Pointer p) {
    list[0].f();
    many[1].f();
    for (auto* a : list) a->f();
    p->f();
}
""",
        },
        [
            "run accepts A exact",
            "run accepts List exact",
            "run accepts Pointer exact",
            "run calls A::f exact",
            "run calls A::f inferred",
        ],
    ),
    "a test of a fixture": (
        {
            "a.h": """\
class Fixture {
public:
    void open();
    int count_;
};
""",
            "a_test.cpp": """\
#include "a.h"
void open();
TEST_F(Fixture, Opens) { open(); count_ = 1; }
TEST(Other, Opens) { open(); }
""",
        },
        [
            "Fixture.Opens accepts Fixture exact",
            "Fixture.Opens calls Fixture::open exact",
            "Other.Opens calls open exact",
            "a_test.cpp imports a.h exact",
        ],
    ),
    "arguments that a constructor converts": (
        {
            "a.h": """\
class Text { public: Text(const char* text); };
enum Kind { kOne };
class Status {
public:
    static Status fail(Kind kind);
    static Status fail(const Text& text, const Text& more);
    static Status fail(int code, Kind kind, bool last);
    static Status fail(const Text& text);
};
""",
            "b.cpp": """\
#include "a.h"
Status run() { return Status::fail("no"); }
Status both() { return Status::fail("no", "more"); }
""",
        },
        [
            "Status::fail@a.h:6 accepts Text exact",
            "Status::fail@a.h:7 accepts Kind exact",
            "Status::fail@a.h:8 accepts Kind exact",
            "Status::fail@a.h:8 accepts Text exact",
            "b.cpp imports a.h exact",
            "both calls Status::fail@a.h:6 inferred",
            "run calls Status::fail@a.h:8 inferred",
        ],
    ),
    "one name in several files": (
        {
            "a.h": """\
namespace a { struct Box { void f(); }; }
""",
            "b.h": """\
namespace b { struct Box { void f(); }; }
""",
            "run.cpp": """\
#include "a.h"
#include "b.h"
namespace a {
void run(Box& box) { box.f(); }
}
namespace b {
void run(Box& box, a::Box& other) { box.f(); other.f(); }
}
""",
        },
        [
            "a::run accepts a::Box exact",
            "a::run calls a::Box::f exact",
            "b::run accepts a::Box exact",
            "b::run accepts b::Box exact",
            "b::run calls a::Box::f exact",
            "b::run calls b::Box::f exact",
            "run.cpp imports a.h exact",
            "run.cpp imports b.h exact",
        ],
    ),
    "a nested class of a namespace, outside": (
        {
            "a.h": """\
namespace lib {
struct Outer { struct Inner { void f(); int n; }; };
}
""",
            "a.cpp": """\
#include "a.h"
void lib::Outer::Inner::f() { n = 1; }
""",
            "b.cpp": """\
#include "a.h"
namespace lib {
void Outer::Inner::f() { n = 1; this->f(); }
}
""",
        },
        [
            "a.cpp imports a.h exact",
            "b.cpp imports a.h exact",
            "lib::Outer::Inner::f calls lib::Outer::Inner::f exact",
        ],
    ),
    "a macro of a header beside functions": (
        {
            "a.h": """\
#define CHECK(x) (x)
namespace lib { void CHECKED(int x); }
""",
            "b.cpp": """\
#include "a.h"
namespace lib { int f(int x) { CHECKED(x); return CHECK(x); } }
""",
        },
        [
            "b.cpp imports a.h exact",
            "lib::f calls CHECK exact",
            "lib::f calls lib::CHECKED exact",
        ],
    ),
    "an unnamed namespace of another file": (
        {
            "a.cpp": """\
namespace lib { namespace { struct Box { void f() {} }; int size() { return 1; } } }
""",
            "b.cpp": """\
namespace lib { void run(Box& b) { b.f(); } }
""",
        },
        [],
    ),
    "an alias and what it stands for": (
        {
            "a.h": """\
namespace lib {
typedef unsigned long Number;
template <typename T> struct Box { T* get(); };
struct A { void f(); };
using Boxes = Box<A>;
struct Owner {
    using Inner = A;
    Inner inner();
};
}
""",
            "b.cpp": """\
#include "a.h"
namespace lib {
Number count(Boxes& b, Owner& o) {
    b.get()->f();
    o.inner().f();
    Owner::Inner x;
    x.f();
    return 0;
}
}
""",
        },
        [
            "b.cpp imports a.h exact",
            "lib::count accepts lib::Box exact",
            "lib::count accepts lib::Owner exact",
            "lib::count calls lib::A::f exact",
            "lib::count calls lib::A::f inferred",
            "lib::count calls lib::Box::get exact",
            "lib::count calls lib::Owner::inner exact",
        ],
    ),
}
