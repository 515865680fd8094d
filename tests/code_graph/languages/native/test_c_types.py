"""References to types of C: by typedefs of structs and enums with and without tags."""

from __future__ import annotations

from code_graph import SourceTree
from code_graph.model import EdgeType
from tests.code_graph.sources import link

HEADER = """\
typedef enum { ONE, TWO } kind_t;
typedef struct { int x; } box;
typedef struct hidden hidden;
typedef unsigned char byte;
"""
SOURCE = """\
#include "a.h"
int run(kind_t kind, box *b, hidden *h, byte c) { return 1; }
"""


def references(source: str) -> set[tuple[int, str]]:
    linked = link(SourceTree({"a.h": HEADER, "a.c": source}))
    names = {
        symbol.id: symbol.qualified_name for file in linked.values() for symbol in file.symbols
    }
    return {
        (edge.column, names[edge.target])
        for edge in linked["a.c"].edges
        if edge.type == EdgeType.REFERENCES
    }


def test_types_without_tags_and_of_others_are_referred_to() -> None:
    assert references(SOURCE) == {(8, "kind_t"), (21, "box"), (29, "hidden"), (40, "byte")}


def test_types_of_parameters_without_a_body_are_referred_to() -> None:
    source = '#include "a.h"\nint run(kind_t kind, box *b, int (*g)(hidden *, byte));\n'
    assert references(source) == {(8, "kind_t"), (21, "box"), (38, "hidden"), (48, "byte")}
