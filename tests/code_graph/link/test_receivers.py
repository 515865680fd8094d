"""A method belongs to the type that its receiver names; an extension uses the type."""

from __future__ import annotations

from typing import Final

import pytest

from code_graph import SourceTree
from code_graph.model import EdgeType
from tests.code_graph.sources import edges, link

GO: Final = {
    "go.mod": "module example.com/m\n\ngo 1.22\n",
    "box.go": "package m\n\ntype T struct{ n int }\n\ntype Box[K any] struct{ k K }\n",
    "name.go": (
        "package m\n\nfunc (c *T) Name() int { return c.n }\n\nfunc (T) Same(other T) {}\n\n"
        "func (b *Box[K]) Get() K { return b.k }\n"
    ),
}
RUST: Final = {
    "Cargo.toml": '[workspace]\nmembers = ["a", "b"]\n',
    "a/Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\n',
    "a/src/lib.rs": (
        "mod other;\npub struct T;\npub struct Box<V> { v: V }\nimpl T { fn new() {} }\n"
        "impl Box<T> { fn get() {} }\n"
    ),
    "a/src/other.rs": "use crate::T;\ntrait Extra {}\nimpl Extra for T {}\n",
    "b/Cargo.toml": (
        '[package]\nname = "b"\nversion = "0.1.0"\n\n[dependencies]\na = { path = "../a" }\n'
    ),
    "b/src/lib.rs": "use a::T;\ntrait Far {}\nimpl Far for T {}\n",
}
CPP: Final = {
    "t.h": "namespace n { class T { void go(); class In { void run(); }; }; }\n",
    "t.cpp": '#include "t.h"\nvoid n::T::go() {}\nvoid n::T::In::run() {}\n',
}
SWIFT: Final = {
    "Sources/A/t.swift": "public class T {}\n",
    "Sources/A/more.swift": "extension T { func more() {} }\n",
    "Sources/B/far.swift": "import A\nextension T { func far() {} }\n",
}
KOTLIN: Final = {"t.kt": "package m\nclass T\nfun T.more() = 1\n"}
CSHARP: Final = {
    "T.cs": (
        "public partial class T {}\npublic partial class T {}\n"
        "public static class X { public static int More(this T t) => 1; }\n"
    )
}


@pytest.mark.parametrize(
    ("sources", "parts", "uses"),
    [
        (GO, ["m.Box.Get m.Box", "m.T.Name m.T", "m.T.Same m.T"], ["m.T.Same m.T"]),
        (
            RUST,
            ["a::Box a::Box", "a::T a::T", "a::other::T a::T"],
            ["a::Box a::T", "b::T a::T", "b::T b::Far", "a::other::T a::other::Extra"],
        ),
        (CPP, ["n::T::go n::T", "n::T::In::run n::T", "n::T::In::run n::T::In"],
         ["n::T::go n", "n::T::In::run n"]),
        (SWIFT, ["T T"], ["T T"]),
        (KOTLIN, [], ["m.more m.T"]),
        (CSHARP, [], ["X.More T"]),
    ],
    ids=["go", "rust", "cpp", "swift", "kotlin", "csharp"],
)  # fmt: skip
def test_the_name_in_a_receiver_is_a_part_of_its_type_and_no_use(
    sources: dict[str, str], parts: list[str], uses: list[str]
) -> None:
    linked = link(SourceTree(sources))
    found = edges(linked, EdgeType.BELONGS_TO)
    assert {line.rsplit(" ", 1)[0] for line in found} == {
        part.replace(" ", " belongs_to ") for part in parts
    }
    types = {item.id for file in linked.values() for item in file.symbols
             if item.node_type in {"class", "interface", "type", "module"}}  # fmt: skip
    names = {item.id: item.qualified_name for file in linked.values() for item in file.symbols}
    used = {
        f"{own} {names[edge.target]}"
        for file in linked.values()
        for own, edge in (
            (
                next(one.qualified_name for one in file.symbols if one.declaration == edge.source),
                edge,
            )
            for edge in file.edges
        )
        if edge.type == EdgeType.REFERENCES and edge.target in types
    }
    assert used == set(uses)
