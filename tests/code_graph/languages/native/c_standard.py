"""More calls of C by clauses of its standard, marked as those of `c_calls`.

`//~` names what a pointer may hold, which is called but not by name.
"""

from __future__ import annotations

from typing import Final

CASES: Final = {
    "6.2.1: a block in a block": """
int f(void) { return 1; } //= f
int run(void) {
    { int f = 1; { (void)f; } }
    return f(); //> f
}
""",
    "6.2.1: the variable of a loop ends with it": """
int f(void) { return 1; } //= f
int run(void) {
    for (int f = 0; f < 2; f++) { }
    return f(); //> f
}
""",
    "6.2.1: the scope of a variable begins behind its declarator": """
int f(void) { return 1; } //= f
int run(void) {
    int n = f(), f = 2; //> f
    return n + f;
}
""",
    "6.2.1: parameters of a prototype end with it": """
int f(void) { return 1; } //= f
int g(int f);
int run(void) { return f(); } //> f
""",
    "6.2.1: a prototype in an inner block behind a variable": """
int f(void) { return 1; } //= f
int run(void) {
    int f = 2;
    { extern int f(void); return f(); } //> f
}
""",
    "6.2.1: an enumerator of a block hides a function": """
int f(void) { return 1; } //= f
int run(void) {
    { enum { f = 3 }; (void)f; }
    return f(); //> f
}
""",
    "6.2.1: a typedef of a block hides a function": """
int f(void) { return 1; } //= f
int run(void) {
    { typedef int f; f n = 1; (void)n; }
    return f(); //> f
}
""",
    "6.2.2: declared as external behind static": """
static int f(void);
extern int f(void);
int run(void) { return f(); } //> f
static int f(void) { return 1; } //= f
""",
    "6.2.2: a static function and a variable of a function": """
static int count(void) { return 1; } //= count
int run(void) {
    static int n;
    n += count(); //> count
    return n;
}
""",
    "6.2.3: a member, a tag, a label and a function of one name": """
struct x { int x; };
static int x(void) { return 1; } //= x
int run(struct x* p) {
    goto x;
x:
    return p->x + x(); //> x
}
""",
    "6.2.7: a struct that is completed later": """
struct A;
int g(struct A* a);
struct A { int (*f)(void); };
int g(struct A* a) { return 1; } //= g
int run(struct A* a) { return g(a); } //> g
""",
    "6.5.1: a choice by a type": """
int whole(int n) { return n; } //= whole
int part(double x) { return 1; } //= part
#define PICK(x) _Generic((x), int: whole, double: part)(x)
int run(void) { return whole(1) + part(2.0); } //> whole part
""",
    "6.5.2: the star of a function": """
int f(void) { return 1; } //= f
int run(void) { return (*f)(); } //> f
""",
    "6.5.2: the address of a function": """
int f(void) { return 1; } //= f
int run(void) { return (&f)(); } //> f
""",
    "6.5.2: a pointer that is set where it is declared": """
int f(void) { return 1; } //= f
int run(void) {
    int (*p)(void) = f;
    return p(); //> none //~ f
}
""",
    "6.5.2: a pointer that is set later": """
int f(void) { return 1; } //= f
int run(void) {
    int (*p)(void);
    p = &f;
    return p(); //> none //~ f
}
""",
    "6.5.2: a pointer of the file": """
static int f(void) { return 1; } //= f
static int (*const p)(void) = f;
int run(void) { return p(); } //> none //~ f
""",
    "6.5.2: a pointer by a typedef": """
typedef int (*Handler)(void);
static int f(void) { return 1; } //= f
int run(void) {
    Handler p = f;
    return p(); //> none //~ f
}
""",
    "6.5.2: a row of pointers": """
static int f(void) { return 1; } //= f
static int g(void) { return 2; } //= g
static int (*const row[])(void) = { f, g };
int run(int n) { return row[n](); } //> none //~ f g
""",
    "6.5.2: a table of structs": """
struct Row { const char* name; int (*run)(void); };
static int f(void) { return 1; } //= f
static int g(void) { return 2; } //= g
static const struct Row rows[] = { { "f", f }, { "g", g } };
int run(int n) { return rows[n].run(); } //> none //~ f g
""",
    "6.5.2: members that are named": """
struct Ops { int (*open)(void); int (*close)(void); };
static int f(void) { return 1; } //= f
static int g(void) { return 2; } //= g
static const struct Ops ops = { .close = g, .open = f };
int run(void) {
    int n = ops.open(); //> none //~ f
    return n + ops.close(); //> none //~ g
}
""",
    "6.5.2: members in their order": """
struct Ops { int (*open)(void); int (*close)(void); };
static int f(void) { return 1; } //= f
static int g(void) { return 2; } //= g
static const struct Ops ops = { f, g };
int run(void) {
    int n = ops.open(); //> none //~ f
    return n + ops.close(); //> none //~ g
}
""",
    "6.5.2: a member through a pointer": """
struct Ops { int (*open)(int); };
static int f(int n) { return n; } //= f
static struct Ops ops = { .open = f };
int run(struct Ops* o) { return (*o->open)(1); } //> none //~ f
""",
    "6.5.2: a member of a member": """
struct Ops { int (*open)(void); };
struct File { const struct Ops* ops; };
static int f(void) { return 1; } //= f
static const struct Ops own = { .open = f };
int run(struct File* file) { return file->ops->open(); } //> none //~ f
""",
    "6.5.2: what a call returns is called": """
static int f(void) { return 1; } //= f
static int (*find(void))(void) { return f; } //= find
int run(void) { return find()(); } //> find //~ f
""",
    "6.5.2: a result by a typedef is called": """
typedef int (*Handler)(void);
static int f(void) { return 1; } //= f
static Handler find(void) { return f; } //= find
int run(void) { return find()(); } //> find //~ f
""",
    "6.5.2: a call as an argument of itself": """
int f(int n) { return n; } //= f
int run(void) { return f(f(f(1))); } //> f f f
""",
    "6.5.2: a postfix of a result": """
struct A { int n; };
struct A* make(void) { return 0; } //= make
int run(void) { return make()->n++; } //> make
""",
    "6.5.3: sizeof of a call": """
int f(void) { return 1; } //= f
int g(int n) { return n; } //= g
int run(void) { return g(sizeof(long)) + f(); } //> g f
""",
    "6.5.3: an alignment": """
int f(int n) { return n; } //= f
int run(void) { return f(_Alignof(int)); } //> f
""",
    "6.5.3: not and minus": """
int f(void) { return 1; } //= f
int run(void) { return !f() + -f() + ~f(); } //> f f f
""",
    "6.5.4: a cast before a call": """
int f(void) { return 1; } //= f
long run(void) { return (long)f(); } //> f
""",
    "6.5.4: a function that is cast is called": """
int f(int n) { return n; } //= f
int run(void) { return ((int (*)(int))f)(1); } //> none //~ f
""",
    "6.5.4: a type in brackets is no call": """
typedef int size;
int f(void) { return 1; } //= f
int run(void) { return (size)(f()); } //> f
""",
    "6.5.13: both sides of a condition": """
int f(void) { return 1; } //= f
int g(void) { return 2; } //= g
int run(void) { return f() && g() || f(); } //> f g f
""",
    "6.5.15: a choice between functions": """
int f(void) { return 1; } //= f
int g(void) { return 2; } //= g
int run(int b) { return (b ? f : g)(); } //> f g
""",
    "6.5.15: a choice between calls": """
int f(void) { return 1; } //= f
int g(void) { return 2; } //= g
int run(int b) { return b ? f() : g(); } //> f g
""",
    "6.5.16: the result is assigned": """
int f(void) { return 1; } //= f
int run(int* n) {
    *n = f(); //> f
    n[f()] += f(); //> f f
    return 0;
}
""",
    "6.6: a constant of an enum": """
static int f(int n) { return n; } //= f
enum { SIZE = sizeof(int) * 2 };
int run(void) { return f(SIZE); } //> f
""",
    "6.7: several declarators": """
int f(void) { return 1; } //= f
int run(void) {
    int a = f(), *b = 0, c[2] = { f() }; //> f f
    return a + c[0] + (b != 0);
}
""",
    "6.7.2: a bit field": """
struct A { unsigned n : 3; };
static int f(struct A a) { return a.n; } //= f
int run(struct A a) { return f(a); } //> f
""",
    "6.7.2: a struct in a struct without a name": """
struct A { struct { int (*f)(void); }; };
static int g(void) { return 1; } //= g
int run(struct A* a) { return a->f() + g(); } //> g
""",
    "6.7.3: qualifiers before and behind": """
static const int* volatile f(void) { return 0; } //= f
int run(void) { return f() != 0; } //> f
""",
    "6.7.4: inline and extern": """
inline int f(void) { return 1; }
extern inline int f(void); //= f
int run(void) { return f(); } //> f
""",
    "6.7.4: one that does not return": """
_Noreturn void stop(void) { for (;;) { } } //= stop
int run(void) { stop(); } //> stop
""",
    "6.7.6: a pointer to a row": """
int (*f(void))[3] { return 0; } //= f
int run(void) { return (*f())[0]; } //> f
""",
    "6.7.6: a parameter that is a function": """
static int one(void) { return 1; }
static int call(int f(void)) { return f(); } //= call //> none
int run(void) { return call(one); } //> call
""",
    "6.7.6: a static size of a parameter": """
static int f(int row[static 3]) { return row[0]; } //= f
int run(int* row) { return f(row); } //> f
""",
    "6.7.6: a row of a length that is called": """
static int f(void) { return 3; } //= f
int run(void) {
    int row[f()]; //> f
    return sizeof row;
}
""",
    "6.7.8: a typedef of a function": """
typedef int Call(int);
Call f;
int run(void) { return f(1); } //> f
int f(int n) { return n; } //= f
""",
    "6.7.9: a row with places": """
static int f(void) { return 1; } //= f
static int (*const row[4])(void) = { [2] = f };
int run(void) { return row[2](); } //> none //~ f
""",
    "6.7.9: a value of a block": """
static int f(void) { return 1; } //= f
struct A { int n; };
int run(void) {
    struct A a = { .n = f() }; //> f
    return a.n;
}
""",
    "6.7.9: a literal of a struct with a pointer": """
struct Ops { int (*open)(void); };
static int f(void) { return 1; } //= f
int run(void) { return (&(struct Ops){ .open = f })->open(); } //> none //~ f
""",
    "6.7.10: an assertion at compile time": """
_Static_assert(sizeof(int) >= 2, "small");
static int f(void) { return 1; } //= f
int run(void) { return f(); } //> f
""",
    "6.8: a loop with its test behind": """
int f(void) { return 0; } //= f
int g(void) { return 0; } //= g
void run(void) {
    do {
        g(); //> g
    } while (f()); //> f
}
""",
    "6.8: the label of a case": """
int f(void) { return 1; } //= f
int run(int n) {
    switch (n) {
    case 1: return f(); //> f
    case 2: case 3: { return f(); } //> f
    default: break;
    }
    return 0;
}
""",
    "6.8: an empty loop": """
int f(void) { return 0; } //= f
void run(void) { while (f()) ; } //> f
""",
    "6.9: a tentative definition": """
static int (*hook)(void);
static int f(void) { return 1; } //= f
void set(void) { hook = f; }
int run(void) { return hook(); } //> none //~ f
""",
    "6.9: a function that takes any number": """
#include <stdarg.h>
static int sum(int n, ...) { va_list all; va_start(all, n); va_end(all); return n; } //= sum
int run(void) { return sum(2, 1, 2); } //> sum
""",
    "6.9: a head of several lines": """
static
int
f(int a,
  int b) { return a + b; }
int g(void) { return 1; } //= g
int run(void) { return g(); } //> g
""",
    "6.10: a macro that stands for a function": """
static int real(int n) { return n; }
#define f real //= f
int run(void) { return f(1); } //> f
""",
    "6.10: a macro with any number of arguments": """
static int show(const char* text, ...) { return 1; } //= show
#define SHOW(...) show(__VA_ARGS__) //= SHOW
int f(void) { return 1; } //= f
int run(void) { return SHOW("a", f()); } //> SHOW f
""",
    "6.10: a macro of several lines": """
int f(void) { return 1; } //= f
#define BOTH(a, b) /* //= BOTH */ \\
    do { \\
        (a); \\
        (b); \\
    } while (0)
void run(void) { BOTH(f(), f()); } //> BOTH f f
""",
    "6.10: a macro that is undefined": """
int f(void) { return 1; } //= f
#define f() 2
#undef f
int run(void) { return f(); } //> f
""",
    "6.10: brackets keep a macro off": """
static int (f)(void) { return 1; } //= f
int run(void) { return (f)(); } //> f
""",
    "6.10: a function of each branch": """
#ifdef WIDE
static int f(void) { return 1; } //= wide
#else
static int f(void) { return 2; } //= narrow
#endif
int g(void) { return 3; } //= g
int run(void) { return g(); } //> g
""",
    "6.10: a branch that is never read": """
int f(void) { return 1; } //= f
#if 0
this is no C at all: f(
#endif
int run(void) { return f(); } //> f
""",
    "6.10: lines and pragmas": """
#pragma once
int f(void) { return 1; } //= f
_Pragma("GCC diagnostic push")
int run(void) { return f(); } //> f
""",
    "extensions: statements with a value": """
int f(void) { return 1; } //= f
int run(void) { return ({ int n = f(); n; }); } //> f
""",
    "extensions: attributes before and behind": """
static int f(void) __attribute__((unused));
__attribute__((noinline)) static int f(void) { return 1; } //= f
int run(void) { return f(); } //> f
""",
    "extensions: the type of an expression": """
int f(void) { return 1; } //= f
int run(void) { __typeof__(f()) n = f(); return n; } //> f
""",
    "extensions: a range of cases": """
int f(void) { return 1; } //= f
int run(int n) {
    switch (n) { case 1 ... 5: return f(); } //> f
    return 0;
}
""",
    "extensions: a choice without its middle": """
int f(void) { return 1; } //= f
int g(void) { return 1; } //= g
int run(void) { return f() ?: g(); } //> f g
""",
}

_POINTER: Final = "only members of structs are asked for what they hold"
# cases that differ from the compiler so far, and why
GAPS: Final = {
    "6.2.1: a prototype in an inner block behind a variable": "it hides no variable",
    "6.5.2: a pointer that is set where it is declared": _POINTER,
    "6.5.2: a pointer that is set later": _POINTER,
    "6.5.2: a pointer of the file": _POINTER,
    "6.5.2: a pointer by a typedef": _POINTER,
    "6.5.2: a row of pointers": _POINTER,
    "6.5.2: a table of structs": "members without names in a row of structs hold nothing",
    "6.5.2: members in their order": "members without names hold nothing",
    "6.5.2: what a call returns is called": _POINTER,
    "6.5.2: a result by a typedef is called": _POINTER,
    "6.5.4: a function that is cast is called": _POINTER,
    "6.7.8: a typedef of a function": "a prototype by a typedef is a variable",
    "6.7.9: a row with places": _POINTER,
    "6.9: a tentative definition": _POINTER,
    "6.10: a branch that is never read": "what stands under `#if 0` is read",
}
