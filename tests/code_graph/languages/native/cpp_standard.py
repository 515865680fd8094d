"""More calls of C++ by clauses of its standard, marked as those of `cpp_calls`.

`//^` names what a declaration inherits or overrides, `//~` what a pointer may hold.
"""

from __future__ import annotations

from typing import Final

CASES: Final = {
    "basic.scope: the variable of a loop ends with it": """
int f() { return 1; } //= f
int run() {
    for (int f = 0; f < 2; ++f) { }
    return f(); //> f
}
""",
    "basic.scope: a variable of an if hides in both branches": """
int f() { return 1; } //= f
int run() {
    if (int f = 1) { (void)f; } else { (void)f; }
    return f(); //> f
}
""",
    "basic.scope: an enumerator of a scoped enum hides no function": """
enum class Kind { open };
int open(Kind) { return 1; } //= open
int run() { return open(Kind::open); } //> open
""",
    "basic.scope: a class and a function of one name": """
struct stat { int n; };
int stat(struct stat*) { return 1; } //= function
int run(struct stat* s) { return stat(s); } //> function
""",
    "basic.lookup: an outer block's declaration is hidden by that of an inner block": """
namespace a { int f() { return 1; } } //= a
namespace b { int f() { return 2; } } //= b
int run() {
    using a::f;
    { using b::f; return f(); } //> b
}
""",
    "basic.lookup: a namespace that is reopened": """
namespace a { int f() { return 1; } } //= f
namespace b { }
namespace a { int run() { return f(); } } //> f
""",
    "basic.lookup: an inline namespace beside its versions": """
namespace a {
namespace v1 { int f() { return 1; } }
inline namespace v2 { int f() { return 2; } } //= new
}
int run() { return a::f(); } //> new
""",
    "basic.lookup: a version that is named": """
namespace a {
namespace v1 { int f() { return 1; } } //= old
inline namespace v2 { int f() { return 2; } }
}
int run() { return a::v1::f(); } //> old
""",
    "basic.lookup: a using directive reaches through another": """
namespace a { int f() { return 1; } } //= f
namespace b { using namespace a; }
int run() { return b::f(); } //> f
""",
    "basic.lookup: the namespace's own name precedes what its directive brings": """
namespace a { int f() { return 1; } }
namespace b { using namespace a; int f() { return 2; } } //= own
int run() { return b::f(); } //> own
""",
    "basic.lookup: arguments bring no function where a variable is found": """
namespace a { struct T {}; int f(T) { return 1; } }
int run(a::T t, int (*f)(a::T)) { return f(t); } //> none
""",
    "basic.lookup: brackets end the lookup by arguments": """
namespace a { struct T {}; int f(T) { return 1; } }
int f(a::T, int = 0) { return 2; } //= here
int run(a::T t) { return (f)(t); } //> here
""",
    "basic.lookup: a friend that is found by its argument": """
namespace a {
struct T { friend int f(T) { return 1; } }; //= f
}
int run(a::T t) { return f(t); } //> f
""",
    "basic.lookup: the namespace of a base": """
namespace a { struct T {}; int f(const T&) { return 1; } } //= T f
struct U : a::T {}; //^ T
int run(U u) { return f(u); } //> f
""",
    "basic.lookup: a body outside of its class is in the scope of its class": """
namespace a {
struct T { int g(); int f(); };
int f() { return 0; }
}
int a::T::g() { return f(); } //> member
int a::T::f() { return 1; } //= member
""",
    "basic.lookup: a nested class sees the static functions around": """
struct A {
    static int f() { return 1; } //= f
    struct In { int run() { return f(); } }; //> f
};
""",
    "basic.lookup: default arguments are read in the class": """
struct A {
    static int f() { return 1; } //= f
    int g(int n = f()) { return n; } //> f
};
""",
    "basic.lookup: a global function behind a member of its name": """
int close(int) { return 1; } //= global
struct File {
    int close() { return ::close(2); } //> global
};
""",
    "class.mem: a static data member is set outside": """
struct A {
    static int make() { return 1; } //= make
    static int n;
};
int A::n = make(); //> make
""",
    "class.mem: an initializer of a member": """
int make() { return 1; } //= make
struct A { int n = make(); }; //> make
""",
    "class.this: the object in brackets": """
struct A {
    int f() { return 1; } //= f
    int run() { return (*this).f(); } //> f
};
""",
    "class.qual: a const object has the const function": """
struct A {
    int f() { return 1; } //= plain
    int f() const { return 2; } //= fixed
};
int run(A& a, const A& b) {
    int n = a.f(); //> plain
    return n + b.f(); //> fixed
}
""",
    "class.qual: functions for objects that may be moved": """
struct A { //= A
    int f() & { return 1; } //= kept
    int f() && { return 2; } //= moved
};
int run(A a) {
    int n = a.f(); //> kept
    return n + A().f(); //> moved A
}
""",
    "class.derived: bases of several kinds": """
struct A {}; //= A
struct B {}; //= B
class C : public A, virtual private B {}; //^ A B
""",
    "class.derived: a base that is a specialised template": """
template <typename T> struct A { int f() { return 1; } }; //= A f
struct B : public A<int> { int g() { return this->f(); } }; //> f
""",
    "class.derived: the base of a template": """
struct A { int f() { return 1; } }; //= A f
template <typename T> struct B : A { //^ A
    int g() { return f(); } //> f
};
int run(B<int> b) { return b.f(); } //> f
""",
    "class.derived: a diamond": """
struct A { int f() { return 1; } }; //= A f
struct B : virtual A {}; //= B //^ A
struct C : virtual A {}; //= C //^ A
struct D : B, C {}; //^ B C
int run(D d) { return d.f(); } //> f
""",
    "class.derived: a base by an alias": """
struct A { int f() { return 1; } }; //= A f
struct B : A { using Super = A; int g() { return Super::f(); } }; //> f
""",
    "class.virtual: what overrides": """
struct A { virtual int f() { return 1; } virtual int g(int) { return 2; } };
struct B : A {
    int f() override { return 3; } //= mine
    int h() { return f(); } //> mine
};
""",
    "class.virtual: overrides of the nearest and of those above": """
struct A {
    virtual int f() = 0; //= top
};
struct B : A { int g() { return 1; } };
struct C : B {
    int f() final { return 2; } //^ top
};
""",
    "class.virtual: other parameters override nothing": """
struct A {
    virtual int f(int) { return 1; }
};
struct B : A {
    int f(const char*) { return 2; } //^ none
};
""",
    "class.virtual: what is not virtual is not overridden": """
struct A {
    int f() { return 1; }
};
struct B : A {
    int f() { return 2; } //^ none
};
""",
    "class.virtual: virtual without a word, and through a base that does not say it": """
struct A {
    virtual int f() { return 1; } //= top
};
struct B : A {
    int f() { return 2; } //= middle //^ top
};
struct C : B {
    int f() { return 3; } //^ middle
};
""",
    "class.ctor: a default constructor by new": """
struct A { //= A
    A() {} //= make
};
A* run() { return new A; } //> A make
""",
    "class.ctor: of an inherited constructor": """
struct A {
    A(int) {} //= base
};
struct B : A { using A::A; }; //= B
B run() { return B(1); } //> B base
""",
    "class.ctor: the constructor of a template by its argument": """
template <typename T> struct Box { //= Box
    Box(T) {} //= make
};
void run() { Box box(1); } //> Box make
""",
    "class.ctor: an explicit type argument": """
template <typename T> struct Box { //= Box
    Box(T, int) {} //= make
};
void run() { auto box = Box<int>(1, 2); } //> Box make
""",
    "class.ctor: braces with a list of values": """
#include <initializer_list>
struct A { //= A
    A(std::initializer_list<int>) {} //= list
    A(int, int) {} //= two
};
void run() {
    A a{1, 2}; //> A list
    A b(1, 2); //> A two
}
""",
    "class.ctor: an aggregate has none": """
struct A { int n; int f() { return n; } }; //= A f
int run() { return A{1}.f(); } //> A f
""",
    "class.dtor: one that is called by its name": """
struct A {
    ~A() {} //= end
};
void run(A* a) { a->~A(); } //> end
""",
    "class.conv: an argument that is converted": """
namespace n {
struct A { A(int) {} };
struct B {};
int f(A) { return 1; } //= a
int f(B) { return 2; }
int run() { return f(1); } //> a
}
""",
    "class.conv: a function that converts": """
namespace n {
struct A { operator int() const { return 1; } };
int f(int) { return 1; } //= whole
int f(const char*) { return 2; }
int run(A a) { return f(a); } //> whole
}
""",
    "class.friend: a function beside the class": """
struct A { friend int peek(A&); private: int n = 0; };
int peek(A& a) { return a.n; } //= peek
int run(A& a) { return peek(a); } //> peek
""",
    "class.local: a local class hides one outside": """
struct A { int f() { return 1; } };
int run() {
    struct A { int f() { return 2; } }; //= inner
    A a;
    return a.f(); //> inner
}
""",
    "class.union: a function of a union": """
union U { int n; float x; int f() { return n; } }; //= f
int run(U u) { return u.f(); } //> f
""",
    "class.union: members of a union without a name": """
struct A { int f() { return 1; } }; //= f
struct B { union { A* a; int n; }; };
int run(B b) { return b.a->f(); } //> f
""",
    "class.bit: a struct without a name": """
struct { int f() { return 1; } } one; //= f
int run() { return one.f(); } //> f
""",
    "over.match: an exact argument before a promotion": """
namespace n {
int f(int) { return 1; } //= whole
int f(short) { return 2; } //= small
int run(short s, char c) {
    int n = f(s); //> small
    return n + f(c); //> whole
}
}
""",
    "over.match: a promotion before a conversion": """
namespace n {
int f(int) { return 1; }
int f(double) { return 2; } //= part
int run(float x) { return f(x); } //> part
}
""",
    "over.match: a pointer before bool": """
namespace n {
struct A {};
int f(bool) { return 1; } //= flag
int f(const A*) { return 2; } //= pointer
int run(A* a, bool b) {
    int n = f(a); //> pointer
    return n + f(b); //> flag
}
}
""",
    "over.match: nullptr": """
namespace n {
int f(int) { return 1; } //= whole
int f(const char*) { return 2; } //= pointer
int run() {
    int n = f(0); //> whole
    return n + f(nullptr); //> pointer
}
}
""",
    "over.match: any arguments come last": """
namespace n {
int f(...) { return 1; } //= any
int f(int) { return 2; } //= whole
struct A {};
int run(A* a) {
    int n = f(1); //> whole
    return n + f(a); //> any
}
}
""",
    "over.match: a function before a template": """
namespace n {
template <typename T> int f(T) { return 1; } //= every
int f(int) { return 2; } //= whole
int run() {
    int n = f(1); //> whole
    n += f("a"); //> every
    return n + f<>(1); //> every
}
}
""",
    "over.match: the more special template": """
namespace n {
template <typename T> int f(T) { return 1; } //= every
template <typename T> int f(T*) { return 2; } //= pointer
int run(int i, int* p) {
    int n = f(i); //> every
    return n + f(p); //> pointer
}
}
""",
    "over.match: the nearer base": """
namespace n {
struct A {}; struct B : A {}; struct C : B {};
int f(A*) { return 1; } //= far
int f(B*) { return 2; } //= near
int run(A* a, C* c) {
    int n = f(a); //> far
    return n + f(c); //> near
}
}
""",
    "over.match: references to what is fixed": """
namespace n {
struct A {};
int f(A&) { return 1; } //= plain
int f(const A&) { return 2; } //= fixed
int run(A& a, const A& b) {
    int n = f(a); //> plain
    return n + f(b); //> fixed
}
}
""",
    "over.match: a deleted function is chosen and no other": """
namespace n {
int f(double) { return 1; } //= part
int f(int) = delete;
int run() { return f(1.5); } //> part
}
""",
    "over.match: a static member before those of the namespace": """
int f(int) { return 1; }
struct A {
    static int f(double) { return 2; } //= member
    int run() { return f(1); } //> member
};
""",
    "over.match: an overload by the type of a pointer": """
int f(int) { return 1; } //= whole
int f(double) { return 2; }
int run() {
    int (*p)(int) = f;
    return p(1); //> none //~ whole
}
""",
    "over.oper: an operator that is called by its name": """
struct A {
    int operator+(int n) const { return n; } //= plus
};
int run(A a) { return a.operator+(1); } //> plus
""",
    "over.call: an object that is called": """
struct A {
    int operator()(int n) const { return n; } //= called
    int f() const { return 1; } //= f
};
int run(A a) { return a(1) + a.f(); } //> called f
""",
    "over.ref: arrows one behind another": """
struct A { int f() { return 1; } }; //= f
struct P { A* operator->() { return &a; } A a; }; //= last
struct Q { P operator->() { return P(); } }; //= first
int run(Q q) { return q->f(); } //> first last f
""",
    "over.unary: a star gives what is behind": """
struct A { int f() { return 1; } }; //= f
struct P { A& operator*() { return a; } A a; }; //= star
int run(P p) { return (*p).f(); } //> star f
""",
    "over.binary: the sum of two objects": """
struct A { int f() { return 1; } }; //= f
A operator+(A a, A) { return a; } //= sum
int run(A a, A b) { return (a + b).f(); } //> sum f
""",
    "temp.class: a function outside of its template": """
template <typename T> struct A { int f(); int g(); };
template <typename T> int A<T>::f() { return g(); } //> g
template <typename T> int A<T>::g() { return 1; } //= g
""",
    "temp.class: a specialisation has its functions": """
template <typename T> struct A { int f() { return 1; } }; //= every
template <> struct A<int> { int f() { return 2; } }; //= whole
int run(A<char> c, A<int> i) {
    int n = c.f(); //> every
    return n + i.f(); //> whole
}
""",
    "temp.class: a partial specialisation": """
template <typename T> struct A { int f() { return 1; } }; //= every
template <typename T> struct A<T*> { int f() { return 2; } }; //= pointer
int run(A<char> c, A<int*> p) {
    int n = c.f(); //> every
    return n + p.f(); //> pointer
}
""",
    "temp.mem: a template in a class": """
struct A { template <typename T> int f(T) { return 1; } }; //= f
int run(A a) {
    int n = a.f(1); //> f
    return n + a.f<char>('a'); //> f
}
""",
    "temp.dep: a class that knows what derives from it": """
template <typename D> struct Base {
    int all() { return static_cast<D*>(this)->one(); } //> one
};
struct Own : Base<Own> {
    int one() { return 1; } //= one
};
""",
    "temp.variadic: the rest of the arguments": """
int sum() { return 0; } //= end
template <typename T, typename... Ts> int sum(T t, Ts... ts) { return t + sum(ts...); }
template <typename... Ts> int one(Ts... ts) { return 1; } //= one
int run() { return one(1, 2, 3) + sum(); } //> one end
""",
    "temp.param: an argument that is a default": """
struct A { int f() { return 1; } }; //= f
template <typename T = A> struct Box { T t; };
int run(Box<> box) { return box.t.f(); } //> f
""",
    "temp.param: an argument that is a number": """
template <int N> struct Row { int size() { return N; } }; //= size
int run(Row<3> row) { return row.size(); } //> size
""",
    "temp.param: an argument that is a template": """
struct A { int f() { return 1; } }; //= f
template <typename T> struct Box { T t; };
template <template <typename> class B> struct Held { B<A> box; };
int run(Held<Box> held) { return held.box.t.f(); } //> f
""",
    "temp.constr: by what a type can do": """
namespace n {
template <typename T> concept Sized = requires(T t) { t.size(); };
template <typename T> int f(T) { return 1; } //= every
template <Sized T> int f(T t) { return 2; } //= sized
struct A { int size() { return 1; } };
int run(A a) {
    int n = f(1); //> every
    return n + f(a); //> sized
}
}
""",
    "temp.res: a type that depends on an argument": """
struct A { int f() { return 1; } }; //= f
struct Traits { using Item = A; };
template <typename T> typename T::Item take() { return {}; } //= take
int run() { return take<Traits>().f(); } //> take f
""",
    "expr.prim.lambda: one that is called at once": """
int f() { return 1; } //= f
int run() { return [] { return f(); }(); } //> f
""",
    "expr.prim.lambda: the object around": """
struct A {
    int f() { return 1; } //= f
    int run() { return [this] { return f(); }(); } //> f
};
""",
    "expr.prim.lambda: what it returns": """
struct A { int f() { return 1; } }; //= A f
int run() {
    auto make = [] { return A(); }; //> A
    return make().f(); //> f
}
""",
    "expr.prim.lambda: a result that is written": """
struct A { int f() { return 1; } }; //= f
int run(A* all) {
    auto at = [all](int n) -> A& { return all[n]; };
    return at(1).f(); //> f
}
""",
    "expr.prim.lambda: one in another": """
int f() { return 1; } //= f
int run() {
    auto outer = [] {
        auto inner = [] { return f(); }; //> f
        return inner();
    };
    return outer();
}
""",
    "expr.prim.lambda: a variable of its own hides a function": """
int f() { return 1; }
int run() { return [f = [] { return 2; }] { return f(); }(); } //> none
""",
    "expr.call: a pointer to a function": """
int f() { return 1; } //= f
int run() {
    int (*p)() = &f;
    return p(); //> none //~ f
}
""",
    "expr.call: the result of a choice": """
struct A { int f() { return 1; } }; //= f
int run(bool b, A one, A two) { return (b ? one : two).f(); } //> f
""",
    "expr.call: behind a comma": """
struct A { int f() { return 1; } }; //= f
int g() { return 1; } //= g
int run(A a) { return (g(), a).f(); } //> g f
""",
    "expr.cast: a type that is checked at run time": """
struct A { virtual ~A() {} };
struct B : A { int f() { return 1; } }; //= f
int run(A& a) { return dynamic_cast<B&>(a).f(); } //> f
""",
    "expr.sizeof: nothing runs in it": """
int f() { return 1; } //= f
int g(int n) { return n; } //= g
int run() { return g(sizeof(int)) + f(); } //> g f
""",
    "expr.new: a row of objects": """
struct A { int f() { return 1; } }; //= A f
int run() {
    A* row = new A[3]; //> A
    return row[1].f(); //> f
}
""",
    "stmt.select: a statement before the condition": """
int open() { return 1; } //= open
int test(int n) { return n; } //= test
int run() {
    if (int n = open(); test(n)) return 1; //> open test
    return 0;
}
""",
    "stmt.return: a list in braces": """
struct A { A(int) {} int f() { return 1; } }; //= f
A make() { return {1}; } //= make
int run() { return make().f(); } //> make f
""",
    "dcl.struct.bind: names for parts": """
struct A { int f() { return 1; } }; //= f
struct B { int g() { return 1; } }; //= g
struct Two { A a; B b; };
int run(Two two) {
    auto& [x, y] = two;
    return x.f() + y.g(); //> f g
}
""",
    "dcl.spec.auto: the result of a function": """
struct A { int f() { return 1; } }; //= A f
auto make() { return A(); } //= make
int run() { return make().f(); } //> make f
""",
    "dcl.fct: the result is behind the parameters": """
struct A { int f() { return 1; } }; //= f
auto take(A& a) -> A& { return a; } //= take
int run(A a) { return take(a).f(); } //> take f
""",
    "dcl.type: a type that is that of an expression": """
struct A { int f() { return 1; } }; //= f
int run(A a) {
    decltype(a) b = a;
    return b.f(); //> f
}
""",
    "dcl.typedef: of a pointer to a class": """
struct A { int f() { return 1; } }; //= f
typedef A* Handle;
int run(Handle h) { return h->f(); } //> f
""",
    "dcl.link: functions of C": """
extern "C" {
int f(int n) { return n; } //= f
}
extern "C" int g() { return f(1); } //= g //> f
int run() { return g(); } //> g
""",
    "dcl.enum: a using declaration of enumerators": """
namespace n {
enum class Kind { one };
int f(Kind) { return 1; } //= kind
int f(int) { return 2; } //= whole
int run() {
    int n = f(Kind::one); //> kind
    return n + f(1); //> whole
}
}
""",
    "except: what is thrown is made": """
struct Error { //= Error
    Error(int) {} //= make
};
int run() { throw Error(1); } //> Error make
""",
    "except: a body that is a try": """
int f() { return 1; } //= f
int g() { return 2; } //= g
int run() try {
    return f(); //> f
} catch (...) {
    return g(); //> g
}
""",
    "cpp.replace: a macro in another": """
#define ONE(x) (x) //= one
#define TWO(x) ONE(x) //= two
int f() { return 1; } //= f
int run() { return TWO(f()); } //> two f
""",
    "cpp.replace: the name of a macro without brackets": """
int f() { return 1; } //= f
#define CALL(x) x()
int g() { return 2; } //= g
int run() { return f() + g(); } //> f g
""",
    "cpp.cond: what is defined under a condition": """
#if defined(FAST)
int f() { return 1; }
#endif
int g() { return 2; } //= g
int run() { return g(); } //> g
""",
}

# cases that differ from the compiler so far, and why
GAPS: Final = {
    "basic.lookup: a using directive reaches through another": "directives of a named one end",
    "basic.lookup: a friend that is found by its argument": "friends with a body are members here",
    "class.mem: a static data member is set outside": "an initializer is read outside of its class",
    "class.qual: a const object has the const function": "const of the object chooses nothing",
    "class.qual: functions for objects that may be moved": "`&&` of the object chooses nothing",
    "class.ctor: of an inherited constructor": "inherited constructors are not looked for",
    "class.ctor: braces with a list of values": "a constructor for lists is not preferred",
    "class.dtor: one that is called by its name": "calls of destructors are not read",
    "class.conv: an argument that is converted": "constructors of one argument convert nothing",
    "class.conv: a function that converts": "functions that convert are not tried",
    "over.match: nullptr": "nullptr has no type of its own",
    "over.match: any arguments come last": "an ellipsis takes no pointer",
    "over.match: a function before a template": "empty arguments don't ask for a template",
    "over.match: the more special template": "templates are not ordered",
    "over.match: references to what is fixed": "const of the argument chooses nothing",
    "over.match: an overload by the type of a pointer": "types of pointers choose nothing",
    "over.oper: an operator that is called by its name": "operators have no calls by name",
    "temp.class: a specialisation has its functions": "arguments choose no special one",
    "temp.class: a partial specialisation": "arguments choose no special one",
    "temp.dep: a class that knows what derives from it": "a parameter is of no class",
    "temp.param: an argument that is a template": "templates are no arguments",
    "temp.constr: by what a type can do": "constraints are not checked",
    "temp.res: a type that depends on an argument": "members of type parameters are not followed",
    "expr.call: a pointer to a function": "local pointers to functions are not followed",
    "dcl.struct.bind: names for parts": "fields are not bound in their order",
    "dcl.spec.auto: the result of a function": "the result of a body is not inferred",
    "dcl.type: a type that is that of an expression": "decltype is not evaluated",
}
