"""Calls of C by chapters of its standard: `//= x` marks a declaration, `//> x` a call of it."""

from __future__ import annotations

from typing import Final

CASES: Final = {
    "names: a prototype before the definition": """
int f(void);
int run(void) { return f(); } //> f
int f(void) { return 1; } //= f
""",
    "names: a static function": """
static int f(void) { return 1; } //= f
int run(void) { return f(); } //> f
""",
    "names: a variable hides a function in its block": """
int f(void) { return 1; } //= f
int run(void) {
    { int f = 2; (void)f; }
    return f(); //> f
}
""",
    "names: a parameter hides a function": """
int f(void) { return 1; }
int run(int (*f)(void)) { return f(); } //> none
""",
    "names: a function is declared in a block": """
int run(void) {
    int f(void);
    return f(); //> f
}
int f(void) { return 1; } //= f
""",
    "names: tags and functions are apart": """
struct f { int n; };
int f(void) { return 1; } //= f
int run(struct f* x) { return f() + x->n; } //> f
""",
    "names: labels and functions are apart": """
int f(void) { return 1; } //= f
int run(void) {
    goto f;
f:
    return f(); //> f
}
""",
    "names: members and functions are apart": """
struct A { int f; };
int f(int n) { return n; } //= f
int run(struct A* a) { return f(a->f); } //> f
""",
    "names: constants and functions are apart": """
enum E { ONE };
int one(enum E e) { return e; } //= one
int run(void) { return one(ONE); } //> one
""",
    "names: a loop has a variable of its own": """
int f(void) { return 1; } //= f
int run(void) {
    for (int f = 0; f < 2; f++) { }
    return f(); //> f
}
""",
    "names: a function after a variable of an outer block": """
int g(void) { return 1; } //= g
int run(int n) {
    int a = n;
    if (n) { int g2 = a; return g2 + g(); } //> g
    return g(); //> g
}
""",
    "calls: nested": """
int f(int n) { return n; } //= f
int g(int n) { return n; } //= g
int run(void) { return f(g(f(1))); } //> f f g
""",
    "calls: in a condition": """
int f(void) { return 1; } //= f
int run(void) {
    if (f()) return 1; //> f
    while (f()) break; //> f
    do { } while (!f()); //> f
    return 0;
}
""",
    "calls: in all parts of a loop": """
int a(void) { return 1; } //= a
int b(void) { return 1; } //= b
int c(void) { return 1; } //= c
int run(void) {
    for (a(); b(); c()) { } //> a b c
    return 0;
}
""",
    "calls: in a switch": """
int f(void) { return 1; } //= f
int g(void) { return 1; } //= g
int run(void) {
    switch (f()) { //> f
    case 1: return g(); //> g
    default: return f(); //> f
    }
}
""",
    "calls: in operators": """
int f(void) { return 1; } //= f
int g(void) { return 1; } //= g
int run(int n) {
    n += f(); //> f
    n = n ? f() : g(); //> f g
    return -f() * g() + (f() && g()); //> f f g g
}
""",
    "calls: in an index": """
int f(void) { return 1; } //= f
int run(int* row) { return row[f()]; } //> f
""",
    "calls: in an initialiser": """
int f(void) { return 1; } //= f
struct A { int n, m; };
int run(void) {
    struct A a = { f(), 2 }; //> f
    struct A b = { .m = f() }; //> f
    int row[] = { f(), f() }; //> f f
    return a.n + b.m + row[0];
}
""",
    "calls: in a compound literal": """
int f(void) { return 1; } //= f
struct A { int n; };
int g(struct A a) { return a.n; } //= g
int run(void) { return g((struct A){ f() }); } //> f g
""",
    "calls: in a cast": """
int f(void) { return 1; } //= f
long run(void) { return (long)f(); } //> f
""",
    "calls: of a name in brackets": """
int f(void) { return 1; } //= f
int run(void) { return (f)(); } //> f
""",
    "calls: through a pointer to a named function": """
int f(void) { return 1; } //= f
int run(void) { return (*f)(); } //> f
""",
    "calls: with a comma": """
int f(void) { return 1; } //= f
int g(void) { return 1; } //= g
int run(void) { return (f(), g()); } //> f g
""",
    "calls: a recursion": """
int f(int n) { //= f
    return n ? f(n - 1) : 0; //> f
}
""",
    "calls: one another": """
int odd(int n);
int even(int n) { return n ? odd(n - 1) : 1; } //= even
int odd(int n) { return n ? even(n - 1) : 0; } //> even
""",
    "calls: any number of arguments": """
int f(const char* format, ...) { return *format; } //= f
int run(void) { return f("a") + f("b", 1, 2); } //> f f
""",
    "calls: what is never called is only a reference": """
int f(int n) { return n; }
int each(int (*g)(int)) { return g(1); }
int run(void) { return each(f) + each(&f); } //> each each
int each(int (*g)(int)); //= each
""",
    "calls: a result that is a pointer to a struct": """
struct A { int n; };
struct A* f(void) { return 0; } //= f
int run(void) { return f()->n; } //> f
""",
    "calls: with an old list of parameters": """
int f(a, b) int a; int b; { return a + b; } //= f
int run(void) { return f(1, 2); } //> f
""",
    "pointers: a variable": """
int f(void) { return 1; }
int run(void) {
    int (*p)(void) = f;
    return p(); //> none
}
""",
    "members: a function that is stored in a table": """
struct Ops { int (*open)(int n); };
static int my_open(int n) { return n; }
static const struct Ops ops = { .open = my_open };
int run(void) { return ops.open(1); } //> none
""",
    "members: a call in what leads to a member": """
struct A { struct A* next; int n; };
struct A* first(void) { return 0; } //= first
int run(void) { return first()->next->next->n; } //> first
""",
    "types: the function of a typedef": """
typedef int (*callback)(int);
int f(int n) { return n; } //= f
int run(callback g) { return g(1) + f(2); } //> f
""",
    "types: a struct without a tag": """
typedef struct { int n; } A;
int f(A* a) { return a->n; } //= f
int run(A a) { return f(&a); } //> f
""",
    "types: a union": """
union U { int n; float x; };
int f(union U u) { return u.n; } //= f
int run(union U u) { return f(u); } //> f
""",
    "types: a call in the size of an array": """
int f(void) { return 3; } //= f
int run(void) { int row[f()]; row[0] = 1; return row[0]; } //> f
""",
    "types: a struct in a function": """
int f(int n) { return n; } //= f
int run(void) {
    struct A { int n; } a = { 1 };
    return f(a.n); //> f
}
""",
    "types: a pointer to a pointer": """
int f(char** p) { return **p; } //= f
int run(char** p) { return f(p); } //> f
""",
    "linkage: an inline function": """
static inline int f(void) { return 1; } //= f
int run(void) { return f(); } //> f
""",
    "linkage: an extern prototype": """
extern int f(void);
int run(void) { return f(); } //> f
int f(void) { return 1; } //= f
""",
    "linkage: a function that is only declared": """
int f(void); //= f
int run(void) { return f(); } //> f
""",
    "preprocessor: a macro like a function": """
#define TWICE(x) ((x) + (x)) //= twice
int run(void) { return TWICE(1); } //> twice
""",
    "preprocessor: the argument of a macro": """
#define TWICE(x) ((x) + (x)) //= twice
int f(void) { return 1; } //= f
int run(void) { return TWICE(f()); } //> f twice
""",
    "preprocessor: both branches are read": """
int f(void) { return 1; } //= f
int g(void) { return 1; } //= g
int run(void) {
#ifdef FAST
    return f(); //> f
#else
    return g(); //> g
#endif
}
""",
    "preprocessor: a function under a condition": """
#ifdef FAST
int f(void) { return 1; }
#else
int f(void) { return 2; } //= f
#endif
int run(void) { return f(); } //> f
""",
    "preprocessor: a condition around a head": """
#ifdef FAST
int f(int n)
#else
int f(int n)
#endif
{ return n; }
int g(void) { return 1; } //= g
int run(void) { return g(); } //> g
""",
    "preprocessor: a brace under a condition": """
int g(void) { return 1; } //= g
int run(int n) {
#ifdef FAST
    if (n) {
#else
    if (!n) {
#endif
        return g(); //> g
    }
    return 0;
}
int after(void) { return g(); } //> g
""",
    "preprocessor: a condition of several lines": """
#if defined(A) && \\
    defined(B)
int f(void) { return 1; }
#endif
int g(void) { return 1; } //= g
int run(void) { return g(); } //> g
""",
    "preprocessor: a macro before a function": """
#define API_EXPORT
#define LIB_INLINE static inline
API_EXPORT int f(void) { return 1; } //= f
LIB_INLINE int g(void) { return f(); } //> f
int run(void) { return f() + g(); }
""",
    "preprocessor: a macro before a type in capitals": """
#define LIB_INLINE static inline
typedef unsigned U32;
LIB_INLINE U32 f(void) { return 1; } //= f
U32 run(void) { return f(); } //> f
""",
    "preprocessor: a macro behind a function": """
#define NORETURN
int f(void) NORETURN;
int f(void) { return 1; } //= f
int run(void) { return f(); } //> f
""",
    "preprocessor: a macro of a loop": """
#define for_each(i, n) for (int i = 0; i < (n); i++) //= each
int f(int n) { return n; } //= f
int run(void) {
    int n = 0;
    for_each(i, 3) { n += f(i); } //> f each
    return n;
}
""",
    "statements: a labelled call": """
int f(void) { return 1; } //= f
int run(int n) {
    if (n) goto out;
    n = 1;
out:
    f(); //> f
    return n;
}
""",
    "statements: nested blocks": """
int f(int n) { return n; } //= f
int run(int n) {
    {
        { n = f(n); } //> f
    }
    return n;
}
""",
    "statements: an else chain": """
int a(void) { return 1; } //= a
int b(void) { return 1; } //= b
int c(void) { return 1; } //= c
int run(int n) {
    if (n == 1) return a(); //> a
    else if (n == 2) return b(); //> b
    else return c(); //> c
}
""",
    "expressions: sizeof runs nothing but names what it measures": """
int f(void) { return 1; }
unsigned long run(void) { return sizeof(int) + sizeof(f()); }
int g(void) { return 1; } //= g
int h(void) { return g(); } //> g
""",
    "expressions: a choice by type": """
int f(int n) { return n; } //= f
int run(int n) { return f(_Generic(n, int: 1, default: 2)); } //> f
""",
    "expressions: strings next to each other": """
int f(const char* t) { return *t; } //= f
int run(void) { return f("a" "b"); } //> f
""",
    "expressions: the address of an element": """
int f(int* p) { return *p; } //= f
int run(int* row) { return f(&row[1]); } //> f
""",
    "expressions: an assignment in a call": """
int f(int n) { return n; } //= f
int run(int n) { return f(n = 2); } //> f
""",
    "expressions: a static assertion beside functions": """
_Static_assert(sizeof(int) >= 2, "size");
int f(void) { return 1; } //= f
int run(void) { return f(); } //> f
""",
}
