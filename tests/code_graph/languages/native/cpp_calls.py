"""Calls of C++ by chapters of its standard: `//= x` marks a declaration, `//> x` a call of it."""

from __future__ import annotations

from typing import Final

CASES: Final = {
    "names: a local function declaration hides none of other types": """
int size(int n); //= size
int run() { return size(1); } //> size
""",
    "names: a variable hides a function after its declaration": """
int next() { return 1; } //= next
int run() { int a = next(); int next = a; return next; } //> next
""",
    "names: a parameter that is called is no function of its name": """
int next() { return 1; }
int run(int (*next)()) { return next(); } //> none
""",
    "names: an inner block ends what it hides": """
int size() { return 1; } //= size
int run() {
    { int size = 2; (void)size; }
    return size(); //> size
}
""",
    "names: a namespace before the name": """
namespace a { int f() { return 1; } } //= a
namespace b { int f() { return 2; } } //= b
int run() {
    int n = a::f(); //> a
    return n + b::f(); //> b
}
""",
    "names: the nearest namespace is meant": """
int f() { return 0; } //= outer
namespace a {
int f() { return 1; } //= inner
int run() { return f(); } //> inner
int top() { return ::f(); } //> outer
}
""",
    "names: nested namespaces in one line": """
namespace a::b { int f() { return 1; } } //= f
int run() { return a::b::f(); } //> f
""",
    "names: an alias of a namespace": """
namespace long_name { int f() { return 1; } } //= f
namespace s = long_name;
int run() { return s::f(); } //> f
""",
    "names: a using declaration": """
namespace a { int f() { return 1; } } //= f
using a::f;
int run() { return f(); } //> f
""",
    "names: a using directive": """
namespace a { int f() { return 1; } } //= f
using namespace a;
int run() { return f(); } //> f
""",
    "names: a using declaration in a block": """
namespace a { int f() { return 1; } } //= f
int run() { using a::f; return f(); } //> f
""",
    "names: an unnamed namespace": """
namespace { int f() { return 1; } } //= f
int run() { return f(); } //> f
""",
    "names: an inline namespace": """
namespace a { inline namespace v1 { int f() { return 1; } } } //= f
int run() { return a::f(); } //> f
""",
    "names: found by the namespace of an argument": """
namespace a { struct T {}; int size(T) { return 1; } } //= size
int run() { a::T t; return size(t); } //> size
""",
    "names: a name of a member precedes that of the namespace": """
int f() { return 0; }
struct A {
    int f() { return 1; } //= member
    int run() { return f(); } //> member
};
""",
    "names: a member that is declared later is seen in a body": """
struct A {
    int run() { return later(); } //> later
    int later() { return 1; } //= later
};
""",
    "names: a class in a function": """
int run() {
    struct Local { int f() { return 1; } }; //= f
    Local l;
    return l.f(); //> f
}
""",
    "overloads: by the number of arguments": """
namespace n {
int f(int a) { return a; } //= one
int f(int a, int b) { return a + b; } //= two
int run() {
    int n = f(1); //> one
    return n + f(1, 2); //> two
}
}
""",
    "overloads: by the type of a literal": """
namespace n {
int f(int) { return 1; } //= whole
int f(double) { return 2; } //= part
int f(const char*) { return 3; } //= text
int run() {
    int n = f(1); //> whole
    n += f(1.5); //> part
    return n + f("a"); //> text
}
}
""",
    "overloads: by the second of two literals": """
namespace n {
int f(int n, const char* text) { return 1; } //= text
int f(int n, char letter) { return 2; } //= letter
int run() {
    int n = f(1, 'a'); //> letter
    return n + f(1, "a"); //> text
}
}
""",
    "overloads: by suffixes of literals": """
namespace n {
int f(unsigned) { return 1; } //= u
int f(long long) { return 2; } //= ll
int f(float) { return 3; } //= f
int run() {
    int n = f(1u); //> u
    n += f(1LL); //> ll
    return n + f(1.0f); //> f
}
}
""",
    "overloads: a character is no text": """
namespace n {
int f(char) { return 1; } //= one
int f(const char*) { return 2; } //= many
int run() {
    int n = f('a'); //> one
    return n + f("a"); //> many
}
}
""",
    "overloads: by classes": """
namespace n {
struct A {}; struct B {};
int f(const A&) { return 1; } //= a
int f(const B&) { return 2; } //= b
int run(A a, B b) {
    int n = f(a); //> a
    return n + f(b); //> b
}
}
""",
    "overloads: a derived class prefers its own": """
namespace n {
struct A {}; struct B : A {};
int f(const A&) { return 1; } //= base
int f(const B&) { return 2; } //= derived
int run(A a, B b) {
    int n = f(a); //> base
    return n + f(b); //> derived
}
}
""",
    "overloads: a base takes what is derived": """
namespace n {
struct A {}; struct B : A {}; struct C {};
int f(const A&) { return 1; } //= base
int f(const C&) { return 2; }
int run(B b) { return f(b); } //> base
}
""",
    "overloads: references to what may be moved": """
namespace n {
struct A {}; //= A
A make() { return A(); } //= make
int f(const A&) { return 1; } //= kept
int f(A&&) { return 2; } //= moved
int run(A a) {
    int n = f(a); //> kept
    return n + f(make()); //> moved make
}
}
""",
    "overloads: default arguments": """
namespace n {
int f(int a, int b = 2) { return a + b; } //= f
int run() {
    int n = f(1); //> f
    return n + f(1, 2); //> f
}
}
""",
    "overloads: a function in the derived class hides those of the base": """
namespace n {
struct A { int f(int) { return 1; } };
struct B : A {
    int f(double) { return 2; } //= hiding
};
int run(B b) { return b.f(1); } //> hiding
}
""",
    "overloads: using brings the functions of a base": """
namespace n {
struct A { int f(int) { return 1; } }; //= base
struct B : A {
    using A::f;
    int f(int, int) { return 2; } //= own
};
int run(B b) {
    int n = b.f(1); //> base
    return n + b.f(1, 2); //> own
}
}
""",
    "overloads: by the result of a call": """
namespace n {
struct A {}; struct B {};
A make_a() { return A(); } //= make_a
int f(A) { return 1; } //= a
int f(B) { return 2; }
int run() { return f(make_a()); } //> make_a a
}
""",
    "overloads: by an enum": """
namespace n {
enum Kind { kOne };
int f(Kind) { return 1; } //= kind
int f(const char*) { return 2; }
int run() { return f(kOne); } //> kind
}
""",
    "constructors: a temporary": """
struct A { //= A
    A(int) {} //= make
};
A run() { return A(1); } //> A make
""",
    "constructors: by arguments": """
struct A { //= A
    A(int) {} //= whole
    A(const char*) {} //= text
};
void run() {
    A a(1); //> A whole
    A b("x"); //> A text
    A* c = new A(2); //> A whole
    delete c;
}
""",
    "constructors: braces": """
struct A { //= A
    A(int, int) {} //= make
};
void run() { A a{1, 2}; } //> A make
""",
    "constructors: of members in the list, by braces": """
struct A { //= A
    A() {}
    A(int) {} //= one
    A(int, int) {} //= two
};
struct B {
    A a;
    A b;
    B() :
        a{1}, //> A one
        b{1, 2} {} //> A two
};
""",
    "constructors: of a base in the list": """
struct A { //= A
    A(int) {} //= base
};
struct B : A {
    B() : A(1) {} //> A base
};
""",
    "constructors: another one of the class": """
struct A { //= A
    A(int, int) {} //= whole
    A(int n) : A(n, 0) {} //> A whole
};
""",
    "constructors: a field in the list": """
struct A { //= A
    A(int) {} //= make
};
struct B {
    A a;
    B() : a(1) {} //> A make
};
""",
    "constructors: an argument that is a call": """
struct A { //= A
    A(int) {} //= make
};
int count() { return 1; } //= count
void run() { A a(count()); } //> A make count
""",
    "inheritance: a method of the base": """
struct A { int f() { return 1; } }; //= f
struct B : A {};
int run(B b) { return b.f(); } //> f
""",
    "inheritance: two bases": """
struct A { int f() { return 1; } }; //= f
struct B { int g() { return 2; } }; //= g
struct C : A, B {};
int run(C c) {
    int n = c.f(); //> f
    return n + c.g(); //> g
}
""",
    "members: the value of an assignment has the type of its target": """
struct A { int f() { return 1; } }; //= f
struct B : A { int f() { return 2; } };
int run(A* a, B* b) { return (a = b)->f(); } //> f
""",
    "inheritance: the base is named": """
struct A { virtual int f() { return 1; } }; //= base
struct B : A {
    int f() override { return A::f(); } //> base
};
""",
    "inheritance: through a pointer": """
struct A { virtual int f() = 0; }; //= f
struct B : A { int f() override { return 1; } };
int run(A* a) { return a->f(); } //> f
""",
    "inheritance: a base that is a template": """
template <typename T> struct A { int f() { return 1; } }; //= f
struct B : A<int> { int run() { return f(); } }; //> f
""",
    "inheritance: a class is the argument of its base": """
template <typename T> struct Base { int all() { return 1; } }; //= all
struct One : Base<One> {};
int run(One one) { return one.all(); } //> all
""",
    "inheritance: a static method through the class": """
struct A { static int f() { return 1; } }; //= f
struct B : A {};
int run() { return B::f(); } //> f
""",
    "members: defined outside of the class": """
struct A { int f(); int g(); };
int A::f() { return g(); } //> g
int A::g() { return 1; } //= g
""",
    "members: this": """
struct A {
    int f() { return 1; } //= f
    int run() { return this->f(); } //> f
};
""",
    "members: of a field": """
struct A { int f() { return 1; } }; //= f
struct B { A a; A* p; };
int run(B b) {
    int n = b.a.f(); //> f
    return n + b.p->f(); //> f
}
""",
    "members: of what a call returns": """
struct A { int f() { return 1; } }; //= f
A make() { return A(); } //= make
int run() { return make().f(); } //> make f
""",
    "members: chains of calls": """
struct A {
    A& set(int) { return *this; } //= set
    int end() { return 1; } //= end
};
int run(A a) { return a.set(1).set(2).end(); } //> set set end
""",
    "members: of the type that auto stands for": """
struct A { int f() { return 1; } }; //= f
A make() { return A(); } //= make
int run() {
    auto a = make(); //> make
    return a.f(); //> f
}
""",
    "members: of an element": """
struct A { int f() { return 1; } }; //= f
int run(A* many) {
    A row[2];
    int n = row[0].f(); //> f
    return n + many[1].f(); //> f
}
""",
    "members: an operator gives the element": """
struct A { int f() { return 1; } }; //= f
struct List { A& operator[](int) { return a; } A a; }; //= element
int run(List list) { return list[0].f(); } //> element f
""",
    "members: an arrow gives what is behind": """
struct A { int f() { return 1; } }; //= f
struct Pointer { A* operator->() { return &a; } A a; }; //= arrow
int run(Pointer p) { return p->f(); } //> arrow f
""",
    "members: of a nested class": """
struct A { struct In { int f() { return 1; } }; In in; }; //= f
int run(A a) {
    A::In one;
    int n = one.f(); //> f
    return n + a.in.f(); //> f
}
""",
    "members: a class that is defined outside of its class": """
struct A { struct In; In* in; };
struct A::In { int f() { return 1; } }; //= f
int run(A a) { return a.in->f(); } //> f
""",
    "templates: a function": """
template <typename T> T same(T t) { return t; } //= same
int run() { return same(1) + same<int>(2); } //> same same
""",
    "templates: the result is the argument": """
struct A { int f() { return 1; } }; //= f
template <typename T> T& same(T& t) { return t; } //= same
int run(A a) { return same(a).f(); } //> same f
""",
    "templates: a member of what a class holds": """
struct A { int f() { return 1; } }; //= f
template <typename T> struct Box {
    T* operator->() { return &t; } //= arrow
    T& get() { return t; } //= get
    T t;
};
int run(Box<A> box) {
    int n = box->f(); //> arrow f
    return n + box.get().f(); //> get f
}
""",
    "templates: an alias with arguments": """
struct A { int f() { return 1; } }; //= f
template <typename T> struct Box { T t; };
using BoxOfA = Box<A>;
int run(BoxOfA box) { return box.t.f(); } //> f
""",
    "types: a typedef in a class": """
struct A { int f() { return 1; } }; //= f
struct B { typedef A Part; Part part; };
int run(B b) {
    B::Part p;
    int n = p.f(); //> f
    return n + b.part.f(); //> f
}
""",
    "types: an alias is called as its class": """
struct A { //= A
    A(int) {} //= make
};
using B = A;
B run() { return B(1); } //> A make
""",
    "types: a cast": """
struct A { int f() { return 1; } }; struct B : A { int g() { return 2; } }; //= both
int run(A* a) {
    int n = static_cast<B*>(a)->g(); //> both
    return n + ((B*)a)->g(); //> both
}
""",
    "lambdas: a call in the body": """
int f() { return 1; } //= f
int run() {
    auto g = [] { return f(); }; //> f
    return g();
}
""",
    "lambdas: a captured object": """
struct A { int f() { return 1; } }; //= f
int run(A a) {
    auto g = [&a](int n) { return n + a.f(); }; //> f
    return g(1);
}
""",
    "lambdas: a variable of its own": """
struct A { //= A
    int f() { return 1; } //= f
};
int run() {
    auto g = [a = A()]() mutable { return a.f(); }; //> A f
    return g();
}
""",
    "lambdas: a parameter with a type": """
struct A { int f() { return 1; } }; //= f
int run(A a) {
    auto g = [](A& one) { return one.f(); }; //> f
    return g(a);
}
""",
    "statements: a variable of a condition": """
struct A { int f() { return 1; } }; //= f
A* find() { return nullptr; } //= find
int run() {
    if (A* a = find()) return a->f(); //> f find
    return 0;
}
""",
    "statements: a loop over elements": """
struct A { int f() { return 1; } }; //= f
int run() {
    A row[2];
    int n = 0;
    for (A& a : row) n += a.f(); //> f
    for (auto& a : row) n += a.f(); //> f
    return n;
}
""",
    "statements: a handler": """
struct Error { //= Error
    int code() { return 1; } //= code
};
int run() {
    try { throw Error(); } catch (Error& e) { return e.code(); } //> code Error
}
""",
    "preprocessor: a macro that is called": """
#define TWICE(x) ((x) + (x)) //= twice
int run() { return TWICE(1); } //> twice
""",
    "preprocessor: both branches are read": """
int f() { return 1; } //= f
int g() { return 2; } //= g
int run() {
#ifdef FAST
    return f(); //> f
#else
    return g(); //> g
#endif
}
""",
}
