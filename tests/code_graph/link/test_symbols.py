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
