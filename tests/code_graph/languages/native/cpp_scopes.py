"""Small sources of C++ in which scopes, other files and conversions tell what is meant."""

from __future__ import annotations

from typing import Final

CASES: Final[dict[str, tuple[dict[str, str], list[str]]]] = {
    "a namespace that a macro opens before its brace": (
        {
            "lib.h": """\
#define LIB_NAMESPACE_BEGIN namespace lib
#define LIB_NAMESPACE_END static_assert(true)
""",
            "a.h": """\
#pragma once
#include "lib.h"
LIB_NAMESPACE_BEGIN
{
class Box { public: int size() const; };
int count(const Box& box);
}
LIB_NAMESPACE_END;
""",
            "all.h": """\
#include "a.h"
""",
            "b.cpp": """\
#include "all.h"
int run(lib::Box& box) { return box.size() + lib::count(box); }
""",
        },
        [
            "a.h imports lib.h exact",
            "all.h imports a.h exact",
            "b.cpp imports all.h exact",
            "count accepts Box exact",
            "run accepts Box inferred",
            "run calls Box::size exact",
            "run calls count inferred",
        ],
    ),
    "a class that its class only names": (
        {
            "a.h": """\
class Box {
public:
    int run();
private:
    struct Part;
    Part* part_;
};
""",
            "a.cpp": """\
#include "a.h"
struct Box::Part { int size() { return 1; } };
int Box::run() { Part* part = part_; return part_->size() + part->size(); }
""",
            "b.cpp": """\
struct Part { int size() { return 2; } };
int other(Part& part) { return part.size(); }
""",
        },
        [
            "Box::run calls Part::size@a.cpp:2 exact",
            "a.cpp imports a.h exact",
            "other accepts Part@b.cpp:1 exact",
            "other calls Part::size@b.cpp:1 exact",
        ],
    ),
    "what containers of the library hold": (
        {
            "a.cpp": """\
#include <map>
#include <string>
#include <vector>
struct A { int f(); };
struct Held { typedef std::map<std::string, A> ByName; ByName names; ByName::iterator at; };
using Map = std::map<std::string, A*>;
int key(Map& by) { return by["a"]->f(); }
int element(std::vector<A>& many) { return many[0].f(); }
int last(std::vector<A>& many) { return many.back().f(); }
int pairs(Map& by) { for (auto& pair : by) return pair.second->f(); }
int found(Map& by) { return by.find("a")->second->f(); }
int held(Held& held) { return held.at->second.f(); }
""",
        },
        [
            "element accepts A exact",
            "element calls A::f inferred",
            "found calls A::f inferred",
            "held accepts Held exact",
            "held calls A::f inferred",
            "key calls A::f inferred",
            "last accepts A exact",
            "last calls A::f inferred",
            "pairs calls A::f inferred",
        ],
    ),
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
            "run calls List::begin inferred",
            "run calls List::end inferred",
            "run calls List::operator[] inferred",
            "run calls Pointer::operator-> inferred",
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
            "Status::fail@a.h:5 accepts Kind exact",
            "Status::fail@a.h:6 accepts Text exact",
            "Status::fail@a.h:7 accepts Kind exact",
            "Status::fail@a.h:8 accepts Text exact",
            "b.cpp imports a.h exact",
            "both calls Status::fail@a.h:6 inferred",
            "run calls Status::fail@a.h:8 inferred",
        ],
    ),
    "overloads by the types of parameters": (
        {
            "a.h": """\
#include <string>
namespace lib {
class Node;
class Value {
public:
    void set(const std::string& text, int more = 1);
    void set(const char* text);
    void set(unsigned int number);
    void set(double number);
    void add(const Node& node);
    void add(Node&& node);
};
class Node { public: Node make(); };
}
""",
            "a.cpp": """\
#include "a.h"
using std::string;
namespace lib {
void Value::set(const string &text, int more) {}
void Value::set(char const *t) {}
void Value::set(unsigned n) {}
void Value::set(double) {}
void Value::add(lib::Node const& node) {}
void Value::add(Node&&node) {}
}
""",
            "b.cpp": """\
#include "a.h"
void text(lib::Value& v) { v.set("a"); }
void whole(lib::Value& v) { unsigned n = 1; v.set(n); }
void part(lib::Value& v) { v.set(1.5); }
void kept(lib::Value& v, lib::Node& node) { v.add(node); }
void made(lib::Value& v, lib::Node& node) { v.add(node.make()); }
""",
        },
        [
            "a.cpp imports a.h exact",
            "b.cpp imports a.h exact",
            "kept accepts lib::Node exact",
            "kept accepts lib::Value exact",
            "kept calls lib::Value::add@a.cpp:8 inferred",
            "lib::Value::add@a.cpp:8 accepts lib::Node exact",
            "lib::Value::add@a.cpp:9 accepts lib::Node exact",
            "made accepts lib::Node exact",
            "made accepts lib::Value exact",
            "made calls lib::Node::make exact",
            "made calls lib::Value::add@a.cpp:9 inferred",
            "part accepts lib::Value exact",
            "part calls lib::Value::set@a.cpp:7 inferred",
            "text accepts lib::Value exact",
            "text calls lib::Value::set@a.cpp:5 inferred",
            "whole accepts lib::Value exact",
            "whole calls lib::Value::set@a.cpp:6 inferred",
        ],
    ),
    "members with annotations, and heads with conditions": (
        {
            "a.cpp": """\
#include <vector>
class Set { public: void add(); };
class Store {
 public:
  Store(int size)
      :
#ifndef NDEBUG
        limit_(size),
#endif
        size_(size) {}
  void run() { set_->add(); }
 private:
  Set* const set_ GUARDED_BY(mutex_);
  int limit_;
  int size_ GUARDED_BY(mutex_) = 0;
};
""",
        },
        [
            "Store::run calls Set::add exact",
        ],
    ),
    "a macro that opens a namespace": (
        {
            "lib.h": """\
namespace lib { class Node { public: void go(); }; void walk(Node& node); }
""",
            "a.cpp": """\
#include "lib.h"
#define LIB_BEGIN namespace lib {
#define LIB_END }
LIB_BEGIN
void twice(Node& node) { walk(node); node.go(); }
LIB_END
""",
            "b.cpp": """\
#include "lib.h"
using other::walk;
void own(lib::Node& node) { walk(node); }
""",
        },
        [
            "a.cpp imports lib.h exact",
            "b.cpp imports lib.h exact",
            "lib::walk accepts lib::Node exact",
            "own accepts lib::Node exact",
            "twice accepts lib::Node inferred",
            "twice calls lib::Node::go exact",
            "twice calls lib::walk inferred",
        ],
    ),
    "types of one file are none of another": (
        {
            "a.cpp": """\
namespace { class Limit { public: void take(); int free; }; void Limit::take() {} }
void a(Limit& limit) { limit.take(); }
""",
            "b.cpp": """\
namespace { class Limit { public: void take() {} }; }
void b(Limit& limit) { limit.take(); }
""",
        },
        [
            "a accepts Limit@a.cpp:1 exact",
            "a calls Limit::take@a.cpp:1 inferred",
            "b accepts Limit@b.cpp:1 exact",
            "b calls Limit::take@b.cpp:1 exact",
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
            # each file defines it
            "lib::Outer::Inner::f calls lib::Outer::Inner::f inferred",
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
            "lib::count accepts lib::Owner exact",
            "lib::count calls lib::A::f exact",
            "lib::count calls lib::A::f inferred",
            "lib::count calls lib::Box::get exact",
            "lib::count calls lib::Owner::inner exact",
        ],
    ),
}
