"""Functions in members are shared by the tag of the type, as far as their file tells it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from code_graph import SourceTree
from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import Code
from code_graph.link.linker import GraphLinker
from code_graph.link.shared_names import names_of
from code_graph.model import EdgeType
from tests.code_graph.link.relinking import relink
from tests.code_graph.sources import link

TYPES = """\
struct ops { int (*open)(int x); };
struct other { int (*open)(int x); };
typedef struct ops ops_t;
struct device { struct ops ops; };
"""
INCLUDED = '#include "types.h"\nstatic int f(int x) { return x; }\n'
CALL = '#include "types.h"\nint run(struct ops *o) { return o->open(1); }\n'

# statements that store a function in `open`, and the name under which that is shared
STORES = {
    "a parameter": ("void set(struct ops *o) { o->open = f; }", "ops.open stored"),
    "a variable of a function": (
        "void set(void) { struct ops o; o.open = f; }",
        "ops.open stored",
    ),
    "a variable of the file": (
        "static struct ops o;\nvoid set(void) { o.open = f; }",
        "ops.open stored",
    ),
    "an element": ("void set(struct ops *o[]) { o[1]->open = &f; }", "ops.open stored"),
    "a cast": ("void set(void *o) { ((struct ops *)o)->open = f; }", "ops.open stored"),
    "a table": ("struct ops o = { .open = f };", "ops.open stored"),
    "a member of a type of the file": (
        "struct own { struct ops in; };\nvoid set(struct own *o) { o->in.open = f; }",
        "ops.open stored",
    ),
    "a member of a type of another file": (
        "void set(struct device *o) { o->ops.open = f; }",
        "open stored",
    ),
    "a typedef": ("void set(ops_t *o) { o->open = f; }", "open stored"),
    "variables of two types": (
        "#if A\nstruct ops o;\n#else\nstruct other o;\n#endif\nvoid g(void) { o.open = f; }",
        "open stored",
    ),
}


def stored_names(text: str) -> list[str]:
    """The names under which a file shares what it stores in members."""
    tree = SourceTree({"a.c": text})
    facts = tree.facts("a.c")
    assert facts is not None
    names = names_of(SourceFile("a.c", facts, tree.code("a.c"), b""))
    return [name for name in names if name.endswith(" stored")]


@pytest.mark.parametrize(("text", "name"), STORES.values(), ids=STORES)
def test_a_stored_function_is_shared_by_the_tag_that_its_file_tells(text: str, name: str) -> None:
    assert stored_names(INCLUDED + text) == [name]


@pytest.mark.parametrize("text", [text for text, _ in STORES.values()], ids=STORES)
def test_a_call_through_a_member_finds_what_another_file_stores(text: str) -> None:
    tree = SourceTree({"types.h": TYPES, "a.c": INCLUDED + text, "b.c": CALL})
    calls = [edge for edge in GraphLinker(tree).link("b.c").edges if edge.type == EdgeType.CALLS]
    assert len(calls) == 1


def test_a_struct_of_the_file_is_no_stored_function() -> None:
    text = "static struct ops data;\nvoid set(struct ops *o) { o->open = &data; o->shut = f; }"
    assert stored_names(INCLUDED + text) == ["ops.shut stored"]


class ReadingTree(SourceTree):
    """A tree that tells the files whose code was read."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        super().__init__(texts)
        self.declared("c", "")  # reads all files for their names
        self.read: set[str] = set()

    def code(self, path: str) -> Code | None:
        """The symbolic code of a text."""
        if hasattr(self, "read"):
            self.read.add(path)
        return super().code(path)


def test_a_file_that_stores_in_another_type_is_not_read_for_a_call() -> None:
    other = INCLUDED + "void set(struct other *o) { o->open = f; }"
    tree = ReadingTree({"types.h": TYPES, "a.c": other, "b.c": CALL})
    GraphLinker(tree).link("b.c")
    assert tree.read == {"b.c", "types.h"}


def test_another_type_of_the_variable_links_the_calls_again() -> None:
    text = INCLUDED + "void set(struct other *o) { o->open = f; }"
    tree = SourceTree({"types.h": TYPES, "a.c": text, "b.c": CALL})
    edited = tree.edited("a.c", text.replace("struct other", "struct ops"))
    linked, again = relink(link(tree), edited, "a.c")
    assert linked == link(edited)
    assert again == 1
