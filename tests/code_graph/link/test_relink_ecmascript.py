"""Linking TypeScript depends on the facts alone, and recorded questions tell what to link again."""

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

MODULES = ("a.ts", "b.tsx", "pack/index.ts", "pack/c.ts", "pack/d.js")
NAMES = ("f", "g", "h", "K", "L")
TYPES = ("K", "L", "I", "J")


def _from(chance: random.Random, path: str) -> str:
    other = chance.choice(["a", "b", "pack", "pack/c", "pack/d"])
    if not path.startswith("pack/"):
        return f"./{other}"
    return f"../{other}" if not other.startswith("pack/") else other.replace("pack/", "./")


def _import(chance: random.Random, path: str) -> str:
    other = _from(chance, path)
    name = chance.choice((*NAMES, *TYPES, "E"))
    alias = chance.choice(("E", name)) if name == "E" else chance.choice(NAMES + TYPES)
    return chance.choice(
        [
            f"import * as {alias} from '{other}'",
            f"import {{ {name} }} from '{other}'",
            f"import {{ {name} as {alias} }} from '{other}'",
            f"import {alias} from '{other}'",
            f"export * from '{other}'",
            f"export {{ {name} as {alias} }} from '{other}'",
            f"export * as {alias} from '{other}'",
        ]
    )


def _type(chance: random.Random, depth: int = 0) -> str:
    name = chance.choice(TYPES)
    if depth > 1:
        return name
    inner = _type(chance, depth + 1)
    return chance.choice(
        [
            name,
            f"{name}<{inner}>",
            f"{inner}[]",
            f"Promise<{inner}>",
            f"(x: {inner}) => {name}",
            f"{{ {chance.choice(NAMES)}: {inner} }}",
            f"{name} | {inner}",
            f"typeof {chance.choice(NAMES)}",
            f"{name}['{chance.choice(NAMES)}']",
            f"{{ [P in keyof {name}]?: {name}[P] }}",
            f"{{ [P in {name} as P['f']]: {inner} }}",
            f"({name} extends {{ {chance.choice(NAMES)}: infer R }} ? R : {inner})",
            f"({name} extends {inner} ? {name}[keyof {name}] : never)",
            f"ReturnType<{name}>",
            f"Exclude<{name}, {inner}>",
            f"{name} & {{ {chance.choice(NAMES)}?: {inner} }}",
            f"E.{chance.choice(NAMES)}",
        ]
    )


def _value(chance: random.Random, depth: int = 0) -> str:
    name, other = chance.choice(NAMES), chance.choice(NAMES)
    if depth > 2:
        return name
    inner = _value(chance, depth + 1)
    return chance.choice(
        [
            name,
            f"{name}({inner})",
            f"new {name}({inner})",
            f"{name}.{other}",
            f"{name}({inner}).{other}()",
            f"[{inner}, {name}].map((y) => y.{other}())",
            f"{{ {other}: {inner}, {name}() {{ return {inner} }} }}.{other}",
            f"({{ {other}: () => {inner}, {name}: {{ {other}() {{ return {inner} }} }} }})",
            f"{name}({{ {other}: () => {inner} }})",
            f"{inner}.then((y) => y.{other})",
            f"x.{name}({inner})",
            "this.f()",
            f"(x as {_type(chance)}).{name}()",
            f"(x instanceof {name} ? x.{other}() : {inner})",
            f"(x.{name} === E.{other} ? x.{other}() : {inner})",
            f"(x.{name} && x.{other}({inner}))",
            f"((function (y) {{ return this.{other}(y) }}) as {_type(chance)})",
        ]
    )


def _function(chance: random.Random, head: str) -> str:
    name = chance.choice(NAMES)
    annotation = chance.choice(["", f": {_type(chance)}"])
    result = chance.choice(["", "", f": {_type(chance)}"])
    generic = chance.choice(["", "", "<T>", "<T extends K>"])
    if head.startswith("export") and chance.random() < 0.3:
        others = [f"{head}{name}(x: {_type(chance)}): {_type(chance)}" for _ in range(2)]
        head = "\n".join([*others, head])
    return (
        f"{head}{name}{generic}(x{annotation}){result} {{\n"
        f"  const y = {_value(chance)}\n  return {_value(chance)}\n}}"
    )


def _class(chance: random.Random) -> str:
    base = chance.choice(["", f" extends {chance.choice(NAMES)}"])
    also = chance.choice(["", f" implements {chance.choice(TYPES)}"])
    generic = chance.choice(["", "<T>"])
    rows = [f"export class {chance.choice(('K', 'L'))}{generic}{base}{also} {{"]
    if chance.random() < 0.5:
        rows.append(f"constructor(private {chance.choice(NAMES)}: {_type(chance)}) {{}}")
    if chance.random() < 0.5:
        rows.append(f"static {chance.choice(NAMES)} = {_value(chance)}")
    rows += [_function(chance, "") for _ in range(chance.randint(0, 2))]
    return "\n".join([*rows, "}"])


def _interface(chance: random.Random) -> str:
    base = chance.choice(["", f" extends {chance.choice(TYPES)}"])
    name = chance.choice(TYPES)
    rows = [
        f"{chance.choice(NAMES)}: {_type(chance)}",
        f"{chance.choice(NAMES)}{chance.choice(('', '?'))}(): {_type(chance)}",
        f"{chance.choice(NAMES)}?: {_type(chance)}",
    ]
    if chance.random() < 0.2:
        members = (f"{each} = '{chance.choice(NAMES)}'" for each in chance.sample(NAMES, 3))
        return f"export enum E {{ {', '.join(members)} }}"
    if chance.random() < 0.4:
        return f"export type {name}<T> = {_type(chance)}"
    return f"export interface {name}<T>{base} {{ {'; '.join(rows)} }}"


def _source(chance: random.Random, path: str) -> str:
    rows = [_import(chance, path) for _ in range(chance.randint(0, 3))]
    for _ in range(chance.randint(1, 4)):
        kind = chance.random()
        if kind < 0.3:
            rows.append(_class(chance))
        elif kind < 0.5:
            rows.append(_interface(chance))
        else:
            rows.append(_function(chance, chance.choice(["export function ", "function "])))
    name = chance.choice(NAMES)
    rows += [f"export const {name} = {_value(chance)}" for _ in range(chance.randint(0, 2))]
    if chance.random() < 0.4:
        rows.append(f"export default {_value(chance)}")
    if path.endswith(".js") and chance.random() < 0.5:
        rows = [f"module.exports = {{ f: {_value(chance)}, {name} }}", *rows[-2:]]
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


@pytest.mark.parametrize("seed", range(30))
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
        "a.ts": "import { f } from './b'\nexport const use = () => f().go()\n",
        "b.ts": "export class L { go() { return 1 } }\nexport function f(): L { return new L() }\n",
    }
    tree = SourceTree(sources)
    moved = tree.edited("b.ts", "// a comment\n\n\n" + sources["b.ts"])
    again, count = relink(link(tree), moved, "b.ts")
    assert count == 0
    assert again == link(moved)


def test_a_reexport_that_leads_elsewhere_links_again_what_uses_the_name() -> None:
    sources = {
        "a.ts": "import { f } from './all'\nexport const use = () => f()\n",
        "all.ts": "export * from './b'\n",
        "b.ts": "export function f() {}\n",
        "c.ts": "export function f() {}\n",
        "d.ts": "export const d = 1\n",
    }
    tree = SourceTree(sources)
    moved = tree.edited("all.ts", "export * from './c'\n")
    again, count = relink(link(tree), moved, "all.ts")
    assert count == 1
    assert again == link(moved)


def test_a_long_chain_of_reexports_gives_the_same_from_each_of_its_modules() -> None:
    chain = {f"m{n}.ts": f'export {{ f }} from "./m{n + 1}";\n' for n in range(40)}
    tree = SourceTree({**chain, "m40.ts": "export function f() {}\n"})
    assert link(tree) == {path: GraphLinker(tree).link(path) for path in tree.paths()}


@pytest.mark.parametrize(
    "edited",
    [
        "export const options = { again: 1, limit: 2 } as const\n",
        "export const options = { limit: 2, retry: 1, more: 3 }\n",
        "export const options = { retry() {}, limit: { deep: 1 } }\n",
        "\n\nexport const options = { [name]: 1 }\n",
        "export const other = { retry: 1 }\nexport const options = { ...other }\n",
        "export const options = 1\n",
    ],
)
def test_an_edit_of_the_values_of_an_object_links_again_what_refers_to_them(edited: str) -> None:
    sources = {
        "a.ts": "export const options = { retry: 1, limit: 2 }\nexport default { top: 1 }\n",
        "b.ts": "export { options as shared } from './a'\n",
        "c.ts": "import { shared } from './b'\nconst f = () => shared.retry + shared.limit\n",
        "d.ts": "import whole, { options } from './a'\nwhole.top\nconst { limit } = options\n",
    }
    before = link(SourceTree(sources))
    for text, earlier in (
        (edited, before),
        (sources["a.ts"], link(SourceTree({**sources, "a.ts": edited}))),
    ):
        tree = SourceTree({**sources, "a.ts": text})
        assert relink(earlier, tree, "a.ts")[0] == link(tree)
