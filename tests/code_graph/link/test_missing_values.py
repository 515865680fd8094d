"""A member of none, null or nil is a use whose target is unknown: the value is put in later."""

from __future__ import annotations

from typing import Final

import pytest

from code_graph import SourceTree
from tests.code_graph.sources import edges, link

PYTHON: Final = """\
class Proxy:
    def run(self): ...

class Layer:
    conn = None

    def __init__(self):
        self.x = None

    def go(self):
        self.conn.send()
        self.x.put()

def choose(flag):
    v = None
    if flag:
        v = Proxy()
    v.run()

def give() -> None: ...

def more():
    give().later()
    w = None
    w()
"""
SMALL: Final = {
    "a.ts": "export function f() { let x = null; x.foo(); let y; y = undefined; y.bar() }\n",
    "A.java": "class A { void f() { var x = null; x.foo(); } }\n",
    "A.cs": "class A { void F() { var x = null; x.Foo(); } }\n",
    "a.go": "package m\nfunc f() { x := nil; x.Foo() }\n",
    "a.kt": "fun f() { val x = null; x.foo() }\n",
    "a.swift": "func f() { let x = nil; x.foo() }\n",
    "a.php": "<?php\nfunction f() { $x = null; $x->foo(); }\n",
    "a.cpp": "void f() { auto x = nullptr; x->foo(); }\n",
}


def test_what_may_be_none_is_no_symbol_of_python() -> None:
    linked = link(SourceTree({"a.py": PYTHON}))
    assert linked["a.py"].external == ()
    names = {item.name for item in linked["a.py"].unresolved}
    assert names == {"send", "put", "later", "w"}
    assert "a.choose calls a.Proxy.run flow" in edges(linked)


@pytest.mark.parametrize("path", SMALL)
def test_a_member_of_a_missing_value_is_not_resolved(path: str) -> None:
    (file,) = link(SourceTree({path: SMALL[path]})).values()
    assert file.external == ()
    assert {item.name.lower() for item in file.unresolved} <= {"foo", "bar"}
    assert file.unresolved
