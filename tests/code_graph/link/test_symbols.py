"""The order of a symbol's parts in answers."""

from __future__ import annotations

from code_graph import SourceTree
from tests.code_graph.sources import link

FILES = {
    "a.h": "int f(int x);\nextern int g;\nint only(void);\n",
    "a.c": '#include "a.h"\nint later(void);\nint f(int x) { return x; }\n'
    "int later(void) { return f(only()); }\n",
}


def test_what_defines_a_name_comes_before_what_promises_it() -> None:
    linked = link(SourceTree(FILES))
    parts: dict[str, list[tuple[str, bool]]] = {}
    ids: dict[str, set[int]] = {}
    for path, file in linked.items():
        for symbol in file.symbols:
            parts.setdefault(symbol.qualified_name, []).append((path, symbol.is_primary))
            ids.setdefault(symbol.qualified_name, set()).add(symbol.id)
    assert parts["f"] == [("a.c", True), ("a.h", False)]
    assert parts["later"] == [("a.c", False), ("a.c", True)]
    assert parts["only"] == [("a.h", False)]
    assert [len(ids[name]) for name in ("f", "later", "only")] == [1, 1, 1]


OVERLOADS = {
    "a.py": (
        "import typing as t\n\nclass C:\n"
        "    @t.overload\n    def m(self, a: int) -> int: ...\n"
        "    @t.overload\n    def m(self, a: str) -> str: ...\n"
        "    def m(self, a):\n        return a\n"
    ),
    "only.pyi": (
        "from typing import overload\n"
        "@overload\ndef f(a: int) -> int: ...\n@overload\ndef f(a: str) -> str: ...\n"
    ),
    "b.ts": (
        "export function f(a: string): string;\n"
        "export function f(a: any) { return a }\n"
        "export class C {\n  m(a: string): void;\n  m(a: any) {}\n}\n"
        "export interface I { g(a: string): void; g(a: number): void }\n"
        "declare function only(a: string): void;\ndeclare function only(a: number): void;\n"
    ),
}


def test_a_body_comes_before_the_overload_signatures_that_it_implements() -> None:
    parts: dict[str, list[bool]] = {}
    for file in link(SourceTree(OVERLOADS)).values():
        for symbol in file.symbols[1:]:
            parts.setdefault(symbol.qualified_name, []).append(symbol.is_primary)
    assert parts == {
        "a.C": [True],
        "a.C.m": [False, False, True],
        "only.f": [True, False],
        "f": [False, True],
        "C": [True],
        "C.m": [False, True],
        "I": [True],
        "I.g": [True, False],
        "only": [True, False],
    }
