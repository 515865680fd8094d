"""Small sources of C++ in which several functions may be meant, and what is sure about them."""

from __future__ import annotations

from typing import Final

CASES: Final[dict[str, tuple[dict[str, str], list[str]]]] = {
    "a function that each system's file defines": (
        {
            "env.hpp": "namespace lib { struct Env { static Env* make(); int one(); }; }\n",
            "posix.cpp": '#include "env.hpp"\n'
            "namespace lib { Env* Env::make() { return nullptr; } int Env::one() { return 1; } }\n",
            "windows.cpp": '#include "env.hpp"\n'
            "namespace lib { Env* Env::make() { return nullptr; } }\n",
            "run.cpp": '#include "env.hpp"\n'
            "int run() { lib::Env* e = lib::Env::make(); return e->one(); }\n",
        },
        [
            "posix.cpp imports env.hpp exact",
            "run calls lib::Env::make inferred",
            "run calls lib::Env::one exact",
            "run.cpp imports env.hpp exact",
            "windows.cpp imports env.hpp exact",
        ],
    ),
    "functions in no scope, told apart by types that C has not": (
        {
            "text.hpp": "#include <string>\nvoid strip(std::string* s);\n",
            "text.cpp": '#include "text.hpp"\nvoid strip(std::string* s) { s->clear(); }\n',
            "text_test.cpp": '#include "text.hpp"\n'
            "static std::string strip(std::string s) { ::strip(&s); return s; }\n"
            'void test() { strip("a"); }\n',
            "run.cpp": '#include "text.hpp"\nvoid run(std::string& s) { strip(&s); }\n',
        },
        [
            "run calls strip@text.cpp:2 exact",
            "run.cpp imports text.hpp exact",
            "strip@text_test.cpp:2 calls strip@text.cpp:2 inferred",
            # an address is not told from what stands there
            "strip@text_test.cpp:2 calls strip@text_test.cpp:2 inferred",
            "test calls strip@text_test.cpp:2 inferred",
            "text.cpp imports text.hpp exact",
            "text_test.cpp imports text.hpp exact",
        ],
    ),
    "a template beside a function of C": (
        {
            "lib.hpp": """\
extern "C" int size(unsigned* to, const unsigned* from);
template <typename T> int size(unsigned* to, const T* from);
template <typename T> int size(unsigned* to, const T* from) { return sizeof(T); } // any
""",
            "run.cpp": """\
#include "lib.hpp"
int run(unsigned* a, unsigned short* b) { return size(a, a) + size(a, 0) + size(a, nullptr); }
""",
        },
        ["run calls size@lib.hpp:1 inferred", "run.cpp imports lib.hpp exact"],
    ),
    "what arguments a template gets is no function": (
        {
            "box.hpp": """\
template <typename T> struct Box { Box(T t, int n) {} };
template <typename T> Box(T, int) -> Box<T>;
""",
            "run.cpp": '#include "box.hpp"\nvoid run() { Box b(1, 2); }\n',
        },
        ["run calls Box exact", "run calls Box::Box exact", "run.cpp imports box.hpp exact"],
    ),
    "a specialisation without arguments is another class": (
        {
            "seq.hpp": """\
struct Done { };
template <typename... Ts> struct Seq { static int f() { return 1; } };
template <> struct Seq<> : Done { static int g() { return 2; } };
""",
            "run.cpp": '#include "seq.hpp"\nstruct Rule : Seq<int> { };\n'
            "int run() { return Seq<int>::f(); }\n",
        },
        [
            "Rule inherits Seq@seq.hpp:2 exact",
            "Seq@seq.hpp:3 inherits Done exact",
            "run calls Seq::f inferred",
            "run.cpp imports seq.hpp exact",
        ],
    ),
    "a stand-in for a type of the library": (
        {
            "compat.hpp": """\
#include <type_traits>
namespace lib {
#ifdef HAS_CONJUNCTION
using std::conjunction;
#else
template <typename... Ts> struct conjunction : std::true_type { };
#endif
}
""",
            "run.cpp": """\
#include "compat.hpp"
namespace lib { template <typename T> struct Both : conjunction<T, T> { }; }
""",
        },
        ["run.cpp imports compat.hpp exact"],
    ),
    "another system's name of a function of the library": (
        {
            "util.hpp": """\
#ifdef _MSC_VER
#define snprintf _snprintf
#endif
#define TWICE(x) ((x) + (x))
class Util;
""",
            "run.cpp": """\
#include "util.hpp"
#include <cstdio>
int run(char* b) { snprintf(b, 1, "x"); return TWICE(1); }
""",
        },
        [
            "run calls TWICE exact",
            "run calls snprintf possible",
            "run references snprintf possible",
            "run.cpp imports util.hpp exact",
        ],
    ),
    "numbers of typedefs of C choose": (
        {
            "c.h": """\
#include <stddef.h>
typedef size_t c_size;
typedef float c_float;
struct view { char* name; c_size offset; c_float w[4]; struct view* next; };
""",
            "write.hpp": """\
#include "c.h"
#include <string>
namespace lib {
void put(std::string& s, size_t v);  // size
void put(std::string& s, float v);
void put(std::string& s, const char* v);
}
""",
            "run.cpp": """\
#include "write.hpp"
namespace lib {
struct Sizes { void run(std::string& s, const view& v) { put(s, v.offset); put(s, sizeof(v)); } };
}
""",
        },
        [
            "lib::Sizes::run accepts view exact",
            "lib::Sizes::run calls lib::put@write.hpp:4 inferred",
            "run.cpp imports write.hpp exact",
            "write.hpp imports c.h exact",
        ],
    ),
}
