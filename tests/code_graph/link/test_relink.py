"""Linking depends on the facts alone, and recorded dependencies tell which files to link again."""

from __future__ import annotations

import random

import pytest

from code_graph import SourceTree
from code_graph.link.linker import GraphLinker
from tests.code_graph.link.relinking import (
    check_random_edits,
    draw_limits,
    link_each_alone,
    link_in_some_order,
    relink,
)
from tests.code_graph.sources import link

MODULES = ("a.py", "b.py", "pack/__init__.py", "pack/c.py", "pack/d.py")
NAMES = ("f", "g", "h", "K", "L")


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _import(chance: random.Random, path: str) -> str:
    other = _module(chance.choice(MODULES))
    return chance.choice(
        [
            f"import {other}",
            f"from {other} import {chance.choice(NAMES)}",
            f"from {other} import {chance.choice(NAMES)} as {chance.choice(NAMES)}",
            f"from {other} import *",
            "from . import c, d" if path.startswith("pack/") else "from pack import c",
        ]
    )


def _value(chance: random.Random) -> str:
    name = chance.choice(NAMES)
    other = _module(chance.choice(MODULES))
    return chance.choice(
        [
            f"{name}()",
            f"{name}",
            f"{other}.{name}()",
            f"{name}().{chance.choice(NAMES)}()",
            f"[{name}, {chance.choice(NAMES)}][0]()",
            f"{name}({chance.choice(NAMES)})",
            f"x.{name}()",
            "x",
        ]
    )


def _function(chance: random.Random, indent: str, first: str) -> str:
    name = chance.choice(NAMES)
    annotation = chance.choice(["", "", f": {chance.choice(NAMES)}"])
    result = chance.choice(["", "", f" -> {chance.choice(NAMES)}"])
    head = f"{indent}def {name}({first}x{annotation}=None){result}:"
    body = [f"{indent}    y = {_value(chance)}", f"{indent}    return {_value(chance)}"]
    decorator = [f"{indent}@{chance.choice(NAMES)}"] if chance.random() < 0.15 else []
    return "\n".join([*decorator, head, *body])


def _class(chance: random.Random) -> str:
    base = chance.choice(["", f"({chance.choice(NAMES)})"])
    rows = [f"class {chance.choice(NAMES)}{base}:"]
    rows += [_function(chance, "    ", "self, ") for _ in range(chance.randint(1, 3))]
    if chance.random() < 0.5:
        rows.append(f"    def __init__(self):\n        self.{chance.choice(NAMES)} = f()")
    return "\n".join(rows)


def _source(chance: random.Random, path: str) -> str:
    rows = [_import(chance, path) for _ in range(chance.randint(0, 3))]
    rows += [
        _class(chance) if chance.random() < 0.4 else _function(chance, "", "")
        for _ in range(chance.randint(1, 4))
    ]
    rows += [f"z = {_value(chance)}" for _ in range(chance.randint(0, 2))]
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("seed", range(40))
def test_linking_what_asked_about_a_change_equals_linking_all(seed: int) -> None:
    chance = random.Random(seed)
    tree = SourceTree({path: _source(chance, path) for path in MODULES})
    check_random_edits(tree, MODULES, _source, chance)


@pytest.mark.parametrize("seed", range(40))
def test_the_order_of_linking_changes_nothing(seed: int) -> None:
    chance = random.Random(1000 + seed)
    tree = SourceTree({path: _source(chance, path) for path in MODULES})
    expected = link(tree)
    order = list(tree.paths())
    chance.shuffle(order)
    linker = GraphLinker(tree)
    assert {path: linker.link(path) for path in order} == expected


@pytest.mark.parametrize("seed", range(60))
def test_limits_are_met_alike_in_any_order(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(2000 + seed)
    draw_limits(chance, monkeypatch)
    tree = SourceTree({path: _source(chance, path) for path in MODULES})
    expected = link(tree)
    assert link_each_alone(tree) == link_in_some_order(tree, chance) == expected
    path = chance.choice(MODULES)
    tree = tree.edited(path, _source(chance, path))
    assert relink(expected, tree, path)[0] == link(tree)


def test_an_edit_that_moves_code_links_nothing_else_again() -> None:
    sources = {
        "a.py": "from b import f\nclass K(f()):\n    pass\ndef use():\n    return f().go()\n",
        "b.py": "class L:\n    def go(self):\n        return 1\ndef f():\n    return L()\n",
    }
    tree = SourceTree(sources)
    linked = link(tree)
    moved = tree.edited("b.py", "# a comment\n\n\n" + sources["b.py"])
    again, count = relink(linked, moved, "b.py")
    assert count == 0
    assert again == link(moved)


def test_a_function_that_gives_something_else_links_again_what_uses_its_result() -> None:
    sources = {
        "a.py": "from b import f\ndef use():\n    return f().go()\n",
        "b.py": "from c import L\ndef f():\n    return L()\n",
        "c.py": "class L:\n    def go(self):\n        return 1\n",
        "d.py": "import b\n",
    }
    tree = SourceTree(sources)
    moved = tree.edited("c.py", sources["c.py"].replace("go", "stay"))
    again, count = relink(link(tree), moved, "c.py")
    assert count == 1
    assert again == link(moved)
