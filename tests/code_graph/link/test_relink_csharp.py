"""Incremental linking of C# equals linking all: partial classes, extension methods, namespaces."""

from __future__ import annotations

import random

import pytest

from code_graph import SourceTree
from code_graph.link.linker import GraphLinker
from tests.code_graph.sources import link, relink

PATHS = ("one/A.cs", "one/B.cs", "two/C.cs", "two/D.cs", "E.cs")
TYPES = ("K", "L", "M")
MEMBERS = ("F", "G", "H")
NAMESPACES = ("N", "N.O", "P")


def _type(chance: random.Random) -> str:
    return chance.choice([*TYPES, "T", "int", "string", "List<K>", "M<L>", "N.K", "Func<K, L>"])


def _value(chance: random.Random) -> str:
    name, other = chance.choice(TYPES), chance.choice(MEMBERS)
    return chance.choice(
        [
            f"new {name}()",
            f"new {name}().{other}()",
            f"{other}()",
            f"{name}.{other}(1)",
            f"x.{other}(x)",
            f"this.{other}().{chance.choice(MEMBERS)}()",
            f"{chance.choice(MEMBERS)}",
            f"x.Select(each => each.{other}())",
            f"{other}(each => each.{chance.choice(MEMBERS)}())",
            f"N.{name}.{other}()",
            f"Far.Make().Part.{other}(1)",
        ]
    )


def _member(chance: random.Random, *, is_extending: bool) -> str:
    name, result = chance.choice(MEMBERS), _type(chance)
    if is_extending:
        return f"public static {result} {name}(this {_type(chance)} x) => {_value(chance)};"
    kind = chance.randint(0, 4)
    if kind == 0:
        return f"public {result} {name} {{ get; set; }}"
    if kind == 1:
        return f"{result} {name} = {_value(chance)};"
    word = chance.choice(["", "", "static ", "override ", "virtual "])
    parameter = chance.choice(["", f"{_type(chance)} x", f"{_type(chance)} x, int y = 1"])
    own = chance.choice(["", "", "<T>"])
    return (
        f"public {word}{result} {name}{own}({parameter}) {{ var x = {_value(chance)}; return x; }}"
    )


def _class(chance: random.Random) -> str:
    is_extending = chance.random() < 0.25
    words = "static " if is_extending else chance.choice(["", "partial ", "partial "])
    own = "" if is_extending else chance.choice(["", "", "<T>"])
    base = "" if is_extending else chance.choice(["", f" : {chance.choice(TYPES)}", " : M<K>"])
    kind = "class" if is_extending else chance.choice(["class", "class", "interface"])
    rows = [
        _member(chance, is_extending=is_extending and chance.random() < 0.8)
        for _ in range(chance.randint(1, 3))
    ]
    inside = "\n    ".join(rows)
    return f"{words}{kind} {chance.choice(TYPES)}{own}{base}\n{{\n    {inside}\n}}"


def _source(chance: random.Random) -> str:
    rows = [
        chance.choice(
            [
                f"using {chance.choice(NAMESPACES)};",
                f"using static {chance.choice(NAMESPACES)}.{chance.choice(TYPES)};",
                f"using {chance.choice(TYPES)} = N.{chance.choice(TYPES)};",
                f"global using {chance.choice(NAMESPACES)};",
            ]
        )
        for _ in range(chance.randint(0, 2))
    ]
    rows.append(chance.choice(["", f"namespace {chance.choice(NAMESPACES)};"]))
    rows += [_class(chance) for _ in range(chance.randint(1, 3))]
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("seed", range(40))
def test_linking_what_asked_about_a_change_equals_linking_all(seed: int) -> None:
    chance = random.Random(seed)
    tree = SourceTree({path: _source(chance) for path in PATHS})
    linked = link(tree)
    for _ in range(6):
        path = chance.choice(PATHS)
        text = None if chance.random() < 0.15 else _source(chance)
        tree = tree.edited(path, text)
        linked = relink(linked, tree, path)
        assert linked == link(tree)


@pytest.mark.parametrize("seed", range(40))
def test_the_order_of_linking_changes_nothing(seed: int) -> None:
    chance = random.Random(1000 + seed)
    tree = SourceTree({path: _source(chance) for path in PATHS})
    expected = link(tree)
    order = list(tree.paths())
    chance.shuffle(order)
    linker = GraphLinker(tree)
    assert {path: linker.link(path) for path in order} == expected


def test_a_type_that_appears_in_another_namespace_links_again_what_named_it() -> None:
    sources = {
        "a.cs": "namespace N.O;\nclass K { void F() { new L().G(); } }\n",
        "b.cs": "namespace N;\nclass L { public void G() { } }\n",
        "c.cs": "namespace P;\nclass X { }\n",
    }
    tree = SourceTree(sources)
    moved = tree.edited("c.cs", "namespace N.O;\nclass L { public void G() { } }\n")
    before = link(tree)
    assert relink(before, moved, "c.cs") == link(moved)
    assert relink(before, moved, "c.cs")["a.cs"] != before["a.cs"]
