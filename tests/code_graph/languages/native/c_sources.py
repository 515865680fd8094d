"""Small sources of C with all the edges that they have, checked by hand."""

from __future__ import annotations

from typing import Final

CASES: Final[dict[str, tuple[dict[str, str], list[str]]]] = {
    "a function of the library is that of the tree where it is seen": (
        {
            "own.h": """\
#define free(p) own_free(p)
""",
            "own.c": """\
int fclose(void* f) { return 1; }
""",
            "a.c": """\
#include <stdlib.h>
void a(void* p) { free(p); fclose(p); }
""",
            "b.c": """\
#include "own.h"
void b(void* p) { free(p); }
""",
            "string.h": """\
void* memcpy(void* to, const void* from, int n);
""",
            "string.c": """\
void* memcpy(void* to, const void* from, int n) { return to; }
""",
            "c.c": """\
void c(void* p) { memcpy(p, p, 1); }
""",
        },
        [
            "b calls free exact",
            "b.c imports own.h exact",
            "c calls memcpy exact",
        ],
    ),
    "static functions of one name": (
        {
            "a.c": """\
static int f(void) { return 1; }
int a(void) { return f(); }
""",
            "b.c": """\
static int f(void) { return 2; }
int b(void) { return f(); }
""",
        },
        [
            "a calls f@a.c:1 exact",
            "b calls f@b.c:1 exact",
        ],
    ),
    "a function of another file through its header": (
        {
            "f.h": """\
int f(void);
""",
            "f.c": """\
#include "f.h"
int f(void) { return 1; }
""",
            "a.c": """\
#include "f.h"
int a(void) { return f(); }
""",
        },
        [
            "a calls f exact",
            "a.c imports f.h exact",
            "f.c imports f.h exact",
        ],
    ),
    "a function without a declaration is found by its linkage": (
        {
            "f.c": """\
int f(void) { return 1; }
""",
            "a.c": """\
int a(void) { return f(); }
""",
        },
        [
            "a calls f exact",
        ],
    ),
    "a static function of another file is not seen": (
        {
            "f.c": """\
static int f(void) { return 1; }
""",
            "a.c": """\
int a(void) { return f(); }
""",
        },
        [],
    ),
    "an inline function of a header": (
        {
            "f.h": """\
static inline int f(void) { return 1; }
""",
            "a.c": """\
#include "f.h"
int a(void) { return f(); }
""",
        },
        [
            "a calls f exact",
            "a.c imports f.h exact",
        ],
    ),
    "of two headers the included one is meant": (
        {
            "one/f.h": """\
static inline int f(void) { return 1; }
""",
            "two/f2.h": """\
static inline int f(void) { return 2; }
""",
            "a.c": """\
#include "two/f2.h"
int a(void) { return f(); }
""",
        },
        [
            "a calls f@two/f2.h:1 exact",
            "a.c imports two/f2.h exact",
        ],
    ),
    "two definitions without evidence are possible": (
        {
            "x/f.c": """\
int f(void) { return 1; }
""",
            "y/f.c": """\
int f(void) { return 2; }
""",
            "a.c": """\
int a(void) { return f(); }
""",
        },
        [
            "a calls f possible",
        ],
    ),
    "the definition of the folder is inferred": (
        {
            "x/f.c": """\
int f(void) { return 1; }
""",
            "y/f.c": """\
int f(void) { return 2; }
""",
            "y/a.c": """\
int a(void) { return f(); }
""",
        },
        [
            "a calls f inferred",
        ],
    ),
    "a table of functions": (
        {
            "o.h": """\
struct ops { int (*open)(int x); int (*close)(int x); };
""",
            "a.c": """\
#include "o.h"
static int my_open(int x) { return x; }
static int my_close(int x) { return x; }
const struct ops table = { .open = my_open, .close = &my_close };
int run(struct ops *ops) { return ops->open(1); }
""",
        },
        [
            "a.c imports o.h exact",
            "run calls my_open possible",
            "table references my_close exact",
            "table references my_open exact",
        ],
    ),
    "a table in another file": (
        {
            "o.h": """\
struct ops { int (*open)(int x); };
""",
            "a.c": """\
#include "o.h"
static int my_open(int x) { return x; }
const struct ops table = { .open = my_open };
""",
            "b.c": """\
#include "o.h"
int run(struct ops *ops) { return ops->open(1); }
""",
        },
        [
            "a.c imports o.h exact",
            "b.c imports o.h exact",
            "run calls my_open possible",
            "table references my_open exact",
        ],
    ),
    "members of one name in two types": (
        {
            "a.c": """\
struct one { int (*open)(int x); };
struct two { int (*open)(int x); };
static int f(int x) { return x; }
static int g(int x) { return x; }
struct one o = { .open = f };
struct two t = { .open = g };
int run(struct two *t) { return t->open(1); }
""",
        },
        [
            "o references f exact",
            "run calls g possible",
            "t references g exact",
        ],
    ),
    "a function that is stored in a member": (
        {
            "a.c": """\
struct ops { int (*open)(int x); };
static int f(int x) { return x; }
void set(struct ops *o) { o->open = f; }
int run(struct ops *o) { return o->open(1); }
""",
        },
        [
            "run calls f possible",
            "set references f exact",
        ],
    ),
    "a member of a member": (
        {
            "a.c": """\
struct ops { int (*open)(int x); };
struct file { struct ops *ops; };
static int f(int x) { return x; }
static struct ops all[] = { { .open = f } };
int run(struct file *file) { return file->ops->open(1); }
""",
        },
        [
            "all references f exact",
            "run calls f possible",
        ],
    ),
    "a typedef of a struct": (
        {
            "a.c": """\
typedef struct { int (*open)(int x); } ops_t;
static int f(int x) { return x; }
ops_t table = { .open = f };
int run(ops_t *o) { return o->open(1); }
""",
        },
        [
            "run calls f possible",
            "table references f exact",
        ],
    ),
    "a function as an argument is referred to": (
        {
            "a.c": """\
static void work(void) {}
void queue(void (*f)(void));
void run(void) { queue(work); }
""",
        },
        [
            "run calls queue exact",
            "run references work exact",
        ],
    ),
    "a macro that is called": (
        {
            "m.h": """\
#define MAX(a, b) ((a) > (b) ? (a) : (b))
""",
            "a.c": """\
#include "m.h"
int run(int x) { return MAX(x, 2); }
""",
        },
        [
            "a.c imports m.h exact",
            "run calls MAX exact",
        ],
    ),
    "a macro that defines a function": (
        {
            "a.c": """\
static int helper(int fd) { return fd; }
SYSCALL_DEFINE1(close, int, fd)
{
	return helper(fd);
}
""",
        },
        [
            "sys_close calls helper exact",
        ],
    ),
    "branches of the preprocessor": (
        {
            "a.c": """\
#ifdef X
int f(void) { return 1; }
#else
int f(void) { return 2; }
#endif
int a(void) { return f(); }
""",
        },
        [
            "a calls f inferred",
        ],
    ),
    "a function of each platform": (
        {
            "core.h": "int uv_open(void);\n",
            "unix.c": """\
#include "core.h"
int uv_open(void) { return 1; }
int again(void) { return uv_open(); }
""",
            "win.c": """\
#include "core.h"
int uv_open(void) { return 2; }
static int own(void) { return 3; }
int twice(void) { return uv_open() + own(); }
""",
        },
        [
            "again calls uv_open inferred",
            "twice calls own exact",
            "twice calls uv_open inferred",
            "unix.c imports core.h exact",
            "win.c imports core.h exact",
        ],
    ),
    "a local variable hides a function": (
        {
            "a.c": """\
int f(void) { return 1; }
int a(int f) { return f + 1; }
int b(void) { int f = 2; return f; }
""",
        },
        [],
    ),
    "a declared function without a definition": (
        {
            "f.h": """\
int f(void);
""",
            "a.c": """\
#include "f.h"
int a(void) { return f(); }
""",
        },
        [
            "a calls f exact",
            "a.c imports f.h exact",
        ],
    ),
    "programs have a main of their own": (
        {
            "x.c": """\
int main(void) { return 1; }
""",
            "y.c": """\
int main(void) { return 2; }
int again(void) { return main(); }
""",
        },
        [
            "again calls main@y.c:1 exact",
        ],
    ),
    "calls in arguments and conditions": (
        {
            "a.c": """\
int f(int x) { return x; }
int g(void) { return 1; }
int a(void) { if (f(g())) return f(1) + g(); while (g()) f(2); return 0; }
""",
        },
        [
            "a calls f exact",
            "a calls g exact",
        ],
    ),
    "includes": (
        {
            "include/lib/f.h": """\
int f(void);
""",
            "src/a.c": """\
#include <lib/f.h>
#include "b.h"
#include <stdio.h>
""",
            "src/b.h": """\
int b(void);
""",
        },
        [
            "src/a.c imports include/lib/f.h exact",
            "src/a.c imports src/b.h exact",
        ],
    ),
    "alternative definitions that one header declares": (
        {
            "f.h": """\
int f(void);
""",
            "one.c": """\
#include "f.h"
int f(void) { return 1; }
""",
            "two.c": """\
#include "f.h"
int f(void) { return 2; }
""",
            "a.c": """\
#include "f.h"
int a(void) { return f(); }
""",
        },
        [
            "a calls f inferred",
            "a.c imports f.h exact",
            "one.c imports f.h exact",
            "two.c imports f.h exact",
        ],
    ),
    "the body of a macro": (
        {
            "k.h": """\
void take(int lock);
void give(int lock);
#define with(lock, work) do { \\
        take(lock); \\
        work(lock, "give(x)"); \\
        give(lock); \\
    } while (0)
#define each(p) for (p = first(); p; p = p->next(p))
#define show(name) static int name##_show(int d) { return print(d, #name); }
#define twice(x) with(x, take)
""",
            "k.c": """\
#include "k.h"
void take(int lock) {}
void give(int lock) {}
static int first(void) { return 0; }
void run(int a) { twice(a); }
""",
        },
        [
            "k.c imports k.h exact",
            "run calls twice exact",
            "twice calls with exact",
            "with calls give exact",
            "with calls take exact",
        ],
    ),
}
