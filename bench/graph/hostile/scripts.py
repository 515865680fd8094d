"""Shapes of sources in Python, TypeScript and JavaScript that are made to cost the linker much."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bench.graph.hostile.writing import Shape, each, many_files, nested, one_file

SHAPES: Final[Mapping[str, Shape]] = {
    "python: star imports": many_files(
        "m{n}.py",
        "def f{n}(): pass",
        lambda n: {"a.py": each(n, "from m{n} import *") + "\n" + each(n, "f{n}()") + "\n"},
    ),
    "python: star imports of one name": many_files(
        "m{n}.py",
        "def f(): pass",
        lambda n: {"a.py": each(n, "from m{n} import *") + "\n" + each(n, "f()") + "\n"},
    ),
    "python: star imports of nothing": one_file(
        "a.py", ("from nothing{n} import *", 1), ("f{n}()", 1)
    ),
    "python: star imports in a chain": many_files(
        "m{n}.py",
        "from m{m} import *\ndef f{n}(): pass",
        lambda n: {"a.py": "from m0 import *\n" + each(n, "f{n}()") + "\n"},
    ),
    "python: star imports in a ring": many_files(
        "m{n}.py", "from m{m} import *\ndef f{n}(): f{m}()\nf{m}()\ng()", ring=True
    ),
    "python: one star import often": many_files(
        "m{n}.py",
        "def f{n}(): pass",
        lambda n: {"a.py": each(n, "from m0 import *") + "\n" + each(n, "f{n}()") + "\n"},
    ),
    "python: stores in one member": one_file(
        "a.py", "class A: pass\na = A()", ("def f{n}(): pass\na.b = f{n}; a.b()", 1)
    ),
    "python: stores in members of modules": one_file("a.py", "import os", ("os.b = f; os.b()", 1)),
    "python: stores in members of functions": one_file(
        "a.py", "def f(): pass\ndef g(): pass", ("f.b = g; f.b()", 1)
    ),
    "python: stores in members of self": one_file(
        "a.py", "class A:\n  def m(self):", ("    self.b = f{n}; self.b()", 1)
    ),
    "python: stores in members of unknown": one_file("a.py", ("a.b = f; a.b()", 1)),
    "python: stores in members of parameters": one_file(
        "a.py", "def g(a):", ("  a.b = f; a.b()", 1)
    ),
    "python: stores in elements": one_file(
        "a.py", "a = {}\ndef f(): pass", ("a['b'] = f; a['b']()", 1)
    ),
    "python: appends": one_file("a.py", "a = []\ndef f(): pass", ("a.append(f); a[0]()", 1)),
    "python: assignments": one_file("a.py", ("def f{n}(): pass\nx = f{n}; x()", 1)),
    "python: conditional assignments": one_file(
        "a.py", ("def f{n}(): pass\nif c: x = f{n}\nx()", 1)
    ),
    "python: conditional functions": one_file("a.py", ("if c{n}:\n  def f(): pass\nf()", 1)),
    "python: functions of one name": one_file("a.py", ("def f(): pass\nf()", 1)),
    "python: classes of one name": one_file(
        "a.py", ("class A(A):\n  def f(self): self.f()\nA().f()", 1)
    ),
    "python: a chain of bases": one_file(
        "a.py",
        "class C0:\n  def f(self): pass",
        ("class C{m}(C{n}):\n  def g{n}(self): self.f()", 1),
    ),
    "python: a chain of overrides": one_file(
        "a.py",
        "class C0:\n  def f(self): pass",
        ("class C{m}(C{n}):\n  def f(self): super().f()", 1),
    ),
    "python: many bases": one_file(
        "a.py",
        ("class B{n}:\n  def f{n}(self): pass", 1),
        "class A(B0",
        (", B{n}", 1),
        "):\n  pass",
        ("A().f{n}()", 1),
    ),
    "python: diamonds": one_file(
        "a.py",
        "class C0:\n  def f(self): pass\nclass D0: pass",
        ("class C{m}(C{n}, D{n}):\n  def f(self): self.f()\nclass D{m}(C{n}, D{n}): pass", 1),
    ),
    "python: classes in classes": lambda n: {
        "a.py": "".join(
            " " * k + f"class C{k}:\n" + " " * k + f" def f{k}(self): self.f{k}(); f0()\n"
            for k in range(min(n, 90))
        )
    },
    "python: functions in functions": lambda n: {
        "a.py": "".join(" " * k + f"def f{k}():\n" for k in range(min(n, 90)))
        + " " * 90
        + "pass\n"
        + "".join(" " * (min(n, 90) - k) + f"f{k}(); f0()\n" for k in range(min(n, 90)))
    },
    "python: a chain of calls": one_file(
        "a.py", "class A:\n  def m(self): return self\nA()\\", (".m()\\", 1), ".m()"
    ),
    "python: calls of one function": one_file(
        "a.py", "def f(x): return x()", ("def g{n}(): pass\nf(g{n})", 1)
    ),
    "python: calls of one method": one_file(
        "a.py",
        "class A:\n  def __init__(self, x): self.x = x\n  def m(self): return self.x()",
        ("def g{n}(): pass\nA(g{n}).m()", 1),
    ),
    "python: decorators": one_file("a.py", "def d(f): return f", ("@d", 1), "def g(): pass\ng()"),
    "python: returns": one_file(
        "a.py", ("def g{n}(): pass", 1), "def f(x):", ("  if x: return g{n}", 1), ("f(1)()", 1)
    ),
    "python: __all__": one_file("a.py", ("def g{n}(): pass\n__all__ += ['g{n}']", 1)),
    "python: imports of one name": many_files(
        "m{n}.py", "def f(): pass", lambda n: {"a.py": each(n, "from m{n} import f\nf()") + "\n"}
    ),
    "python: __getattr__": one_file(
        "a.py", "class A:\n  def __getattr__(self, n): return self", ("A().x{n}.y{n}()", 1)
    ),
    "python: unresolved": one_file("a.py", ("def f{n}(x): x.m{n}(); x.n(); y.n()", 1)),
    "python: isinstance": one_file(
        "a.py",
        ("class A{n}:\n  def f(self): pass", 1),
        "def g(x):",
        ("  if isinstance(x, A{n}): x.f()", 1),
    ),
    "python: walrus and unions": one_file(
        "a.py",
        ("class A{n}:\n  def f(self): pass", 1),
        "def g(x: A0",
        (" | A{n}", 1),
        "):\n  pass",
        ("  x.f()", 1),
    ),
    "typescript: overloads": one_file(
        "a.ts",
        ("function f(x: A{n}): void;", 1),
        "function f(x: any) {}\nfunction g() {",
        ("f({n});", 1),
        "}",
    ),
    "typescript: overloads of classes": one_file(
        "a.ts",
        ("class A{n} { a{n} = 1 }\nfunction f(x: A{n}): A{n};", 1),
        "function f(x: any) {}",
        ("f(new A{n}()).a{n};", 1),
    ),
    "typescript: exports in a chain": many_files(
        "m{n}.ts",
        'export * from "./m{m}";\nexport function f{n}() {}',
        lambda n: {
            "a.ts": "import { "
            + each(n, "f{n}", ", ")
            + ' } from "./m0";\n'
            + each(n, "f{n}();")
            + "\n"
        },
    ),
    "typescript: exports in a ring": many_files(
        "m{n}.ts",
        'export * from "./m{m}";\n'
        "export function f{n}() {}\n"
        'import { f{m}, g } from "./m{m}";\n'
        "f{m}(); g();",
        ring=True,
    ),
    "typescript: exports of many": many_files(
        "m{n}.ts",
        "export function f{n}() {}",
        lambda n: {
            "i.ts": each(n, 'export * from "./m{n}";') + "\n",
            "a.ts": 'import * as i from "./i";\n' + each(n, "i.f{n}(); i.g{n}();") + "\n",
        },
    ),
    "typescript: exports of one name": many_files(
        "m{n}.ts",
        'export { f } from "./m{m}";',
        lambda n: {
            f"m{n}.ts": "export function f() {}\n",
            "a.ts": 'import { f } from "./m0";\n' + each(n, "f();") + "\n",
        },
    ),
    "typescript: interfaces of one name": one_file(
        "a.ts", ("interface I { f{n}(): I; }", 1), "function g(i: I) {", ("i.f{n}();", 1), "}"
    ),
    "typescript: members of one name": one_file(
        "a.ts",
        "interface I {",
        ("f(x: A{n}): B{n};", 1),
        "}\nfunction g(i: I) {",
        ("i.f({n});", 1),
        "}",
    ),
    "typescript: a chain of bases": one_file(
        "a.ts", "class C0 { f() {} }", ("class C{m} extends C{n} { g{n}() { this.f(); } }", 1)
    ),
    "typescript: diamonds": one_file(
        "a.ts",
        "interface I0 { f(): void }\ninterface J0 {}",
        (
            (
                "interface I{m} extends I{n}, J{n} {}\n"
                "interface J{m} extends I{n}, J{n} {}\n"
                "function g{n}(i: I{m}) { i.f(); }"
            ),
            1,
        ),
    ),
    "typescript: many interfaces": one_file(
        "a.ts",
        ("interface I{n} { f{n}(): void; g(): void }", 1),
        "class A implements I0",
        (", I{n}", 1),
        "{ g() {}",
        ("f{n}() { this.f{m}(); }", 1),
        "}",
    ),
    "typescript: unions": one_file(
        "a.ts",
        ("class A{n} { f() {} }", 1),
        "type U = A0",
        ("| A{n}", 1),
        "; function g(u: U) {",
        ("u.f();", 1),
        "}",
    ),
    "typescript: intersections": one_file(
        "a.ts",
        ("interface A{n} { f{n}(): void }", 1),
        "type U = A0",
        ("& A{n}", 1),
        "; function g(u: U) {",
        ("u.f{n}();", 1),
        "}",
    ),
    "typescript: aliases": one_file(
        "a.ts",
        "class A0 { f() {} }\ntype T0 = A0;",
        ("type T{m} = T{n}; function g{n}(t: T{m}) { t.f(); }", 1),
    ),
    "typescript: conditional types": one_file(
        "a.ts",
        "type T0<X> = X extends string ? number : X;",
        (
            (
                "type T{m}<X> = X extends T{n}<X> ? T{n}<X> : never; declare const "
                "v{n}: T{m}<string>; v{n}.f();"
            ),
            1,
        ),
    ),
    "typescript: mapped types": one_file(
        "a.ts",
        "type M = {",
        ("a{n}: () => void;", 1),
        "};\ntype P = { [K in keyof M]: M[K] };\nfunction g(p: P) {",
        ("p.a{n}();", 1),
        "}",
    ),
    "typescript: an object": one_file(
        "a.ts", "const o = {", ("a{n}() { return this.a{m}(); },", 1), "};", ("o.a{n}();", 1)
    ),
    "typescript: spreads": one_file(
        "a.ts", "const o0 = { f() {} };", ("const o{m} = { ...o{n}, g{n}() {} }; o{m}.f();", 1)
    ),
    "typescript: assignments": one_file(
        "a.ts", "let x: any;", ("function f{n}() {}\nx = f{n}; x();", 1)
    ),
    "typescript: namespaces": one_file(
        "a.ts", ("namespace N { export function f{n}() { f{n}(); } }", 1), ("N.f{n}();", 1)
    ),
    "typescript: nested functions": nested(
        "a.ts", "function f{n}() { f{n}(); f0(); g();\n", "", "}"
    ),
    "typescript: a chain of calls": one_file(
        "a.ts", "class A { f(): A { return this; } }\nnew A()", (".f()", 1)
    ),
    "typescript: inferred calls": one_file(
        "a.ts",
        "function f<T>(x: T): T { return x }\nconst x0 = { g() {} };",
        ("const x{m} = f(x{n}); x{m}.g();", 1),
    ),
    "javascript: assignments": one_file(
        "a.js", "var x;", ("function f{n}() {}\nx = f{n}; x();", 1)
    ),
    "javascript: stores in one member": one_file(
        "a.js", "var a = {};", ("a.b = function() {}; a.b();", 1)
    ),
    "javascript: stores in exports": one_file(
        "a.js", ("exports.f{n} = function() { exports.f{m}(); };", 1)
    ),
    "javascript: one export": one_file(
        "a.js", ("module.exports = function() {}; module.exports();", 1)
    ),
    "javascript: prototypes": one_file(
        "a.js", "function A() {}", ("A.prototype.f{n} = function() { this.f{m}(); this.f0(); };", 1)
    ),
    "javascript: stores in this": one_file(
        "a.js", "function A() {", ("this.f = function() {}; this.f();", 1), "}"
    ),
    "javascript: functions of one name": one_file("a.js", ("function f() {} f();", 1)),
    "javascript: promises": one_file("a.js", "p", (".then(x => x)", 1)),
    "javascript: parameters": one_file(
        "a.js", "function f(g) { g(); }", ("f(function() { f(); });", 1)
    ),
}
