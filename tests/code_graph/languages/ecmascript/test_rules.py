"""Targets of calls in TypeScript and JavaScript, and their confidence."""

from __future__ import annotations

import pytest

from code_graph import SourceTree
from code_graph.model import EdgeType
from tests.code_graph.sources import calls, edges, link

CLASSES = """
export class Seed { plant() { return 1 } }
export class Apple { eat(): Seed { return new Seed() } seed?: Seed }
export class Pear extends Apple { eat(): Seed { return super.eat() } }
"""
BASES = EdgeType.INHERITS, EdgeType.EXTENDS
BOXED = {"B", "B.constructor", "Apple", "Apple.eat"}
IMPORT = "import { Apple, Pear, Seed } from './classes'\n"


def called(text: str, source: str = "use", name: str = "main.ts") -> set[str]:
    """The callees of a function of one file, beside a file with classes."""
    found = calls({"classes.ts": CLASSES, name: IMPORT + text})
    return {row.split(" ")[2] for row in found if row.split(" ")[0] == source}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("const use = (a: Apple) => a.eat().plant()", {"Apple.eat", "Seed.plant"}),
        ("const use = (a: Apple) => a?.seed!.plant()", {"Seed.plant"}),
        ("const use = () => new Pear().eat()", {"Pear", "Pear.eat"}),
        ("const use = (a: Apple[]) => a[0].eat()", {"Apple.eat"}),
        ("const use = ([a]: Apple[]) => a.eat()", {"Apple.eat"}),
        ("const use = ({ a }: { a: Apple }) => a.eat()", {"Apple.eat"}),
        ("function use(a: Apple | undefined) { if (a) a.eat() }", {"Apple.eat"}),
        ("function use(this: Apple) { this.eat() }", {"Apple.eat"}),
        ("const use = (a: Readonly<Apple>) => a.eat()", {"Apple.eat"}),
        ("const use = (a: Record<string, Apple>) => a.x.eat()", {"Apple.eat"}),
        ("const use = (a: Map<string, Apple>) => a.get('x')?.eat()", {"Apple.eat"}),
        ("function use(a: Set<Apple>) { for (const x of a) x.eat() }", {"Apple.eat"}),
        ("const use = (a: Apple[]) => [...a].map((x) => x.eat())", {"Apple.eat"}),
        (
            "const use = (a: Apple[]) => a.reduce((n, x) => n + x.eat().plant(), 0)",
            {"Apple.eat", "Seed.plant"},
        ),
        ("async function use(a: Promise<Apple>) { (await a).eat() }", {"Apple.eat"}),
        (
            "const use = (a: Promise<Apple>) => a.then((x) => x.eat()).then((y) => y.plant())",
            {"Apple.eat", "Seed.plant"},
        ),
        (
            "type A = { get: () => Apple }\nconst use = (a: A) => a.get().eat()",
            {"A.get", "Apple.eat"},
        ),
        ("type F = (a: Apple) => void\nconst use: F = (a) => { a.eat() }", {"Apple.eat"}),
        ("const use = (a: typeof b) => a.eat()\ndeclare const b: Apple", {"Apple.eat"}),
        ("interface B { a: Apple }\nconst use = (a: B['a']) => a.eat()", {"Apple.eat"}),
        (
            "function f() { return new Apple() }\nconst use = (a: ReturnType<typeof f>) => a.eat()",
            {"Apple.eat"},
        ),
        (
            "const make = <T>(x: T) => ({ x })\nconst use = (a: Apple) => make(a).x.eat()",
            {"make", "Apple.eat"},
        ),
        ("const use = (a: unknown) => (a as Apple).eat()", {"Apple.eat"}),
        ("function use(a: Apple | string) { if (typeof a !== 'string') a.eat() }", {"Apple.eat"}),
        (
            (
                "class B { constructor(private a: Apple) {} use() { this.a.eat() } }\n"
                "const use = (b: B) => b.use()"
            ),
            {"B.use"},
        ),
        ("class B { static a = new Apple() }\nconst use = () => B.a.eat()", {"Apple.eat"}),
        (
            "class B { get a() { return new Apple() } }\nconst use = (b: B) => b.a.eat()",
            {"Apple.eat"},
        ),
        (
            "namespace N { export const a = new Apple() }\nconst use = () => N.a.eat()",
            {"Apple.eat"},
        ),
        (
            (
                "class B<T> { constructor(readonly a: T) {} }\n"
                "const use = () => new B(new Apple()).a.eat()"
            ),
            BOXED,
        ),
        (
            "class B<T> { a!: T }\nclass C extends B<Apple> {}\nconst use = (c: C) => c.a.eat()",
            {"Apple.eat"},
        ),
        (
            (
                "const is = (x: unknown): x is Apple => true\n"
                "function use(a: unknown) { if (is(a)) a.eat() }"
            ),
            {"is", "Apple.eat"},
        ),
        (
            (
                "function isApple(x: unknown): x is Apple { return true }\n"
                "function use(a: unknown) { if (isApple(a)) a.eat() }"
            ),
            {"isApple", "Apple.eat"},
        ),
        (
            (
                "type X = { k: 'a'; v: Apple } | { k: 's'; v: Seed }\n"
                "function use(x: X) { if (x.k === 'a') x.v.eat() }"
            ),
            {"Apple.eat"},
        ),
        (
            (
                "type X = { ok: true; v: Apple } | { ok: false; v: Seed }\n"
                "function use(x: X) { if (x.ok) x.v.eat(); else x.v.plant() }"
            ),
            {"Apple.eat", "Seed.plant"},
        ),
        (
            "const use = (a: Apple[]) => a.reduce<Seed | null>((s, x) => x.eat(), null)?.plant()",
            {"Apple.eat", "Seed.plant"},
        ),
        (
            (
                "type Item<T> = T extends (infer U extends Apple)[] ? U : Seed\n"
                "function use<T>(a: Item<T>) { a.eat() }"
            ),
            {"Apple.eat"},
        ),
        (
            (
                "interface Pair<A, B> { first: A; second: B }\n"
                "declare function last<A, B>(pair: Pair<A, [B, B]>): B\n"
                "const use = (a: Apple) => last({ first: 1, second: [a, a] }).eat()"
            ),
            {"last", "Apple.eat"},
        ),
        (
            (
                "declare function f(x: string): Apple\ndeclare function f(x: boolean): Seed\n"
                "const use = (a: unknown) => f(!a).plant()"
            ),
            {"f", "Seed.plant"},
        ),
        ("const f = function () {}\nconst use = () => f()", {"f"}),
        ("let use = () => {}\nuse = () => {}", set()),
        ("const use = () => { const f = () => new Apple(); f().eat() }", {"use.f", "Apple.eat"}),
    ],
)
def test_calls_lead_to_members_of_types(text: str, expected: set[str]) -> None:
    assert called(text) == expected


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        (
            {
                "a.js": "function Box() { this.x = new Inner() }\n"
                "Box.prototype.open = function () { return this.x.go() }\n"
                "class Inner { go() {} }\nmodule.exports = { Box }\n",
                "b.js": "const { Box } = require('./a')\nconst use = () => new Box().open()\n",
            },
            {"use calls Box", "use calls Box.open", "Box.open calls Inner.go", "Box calls Inner"},
        ),
        (
            {
                "a.js": "exports.f = function () {}\n",
                "b.js": "const a = require('./a')\nfunction use() { a.f() }\n",
            },
            {"use calls f"},
        ),
        (
            {
                "a.js": "module.exports = function make() { return { go() {} } }\n",
                "b.js": "const make = require('./a')\nfunction use() { make() }\n",
            },
            {"use calls exports"},
        ),
        (
            {
                "a.js": "module.exports = function (x) { return x }\n"
                "module.exports.b = () => module.exports(1)\n"
                "exports.c = () => exports.d()\nexports.d = () => 3\n",
            },
            {"b calls exports", "c calls d"},
        ),
        (
            {
                "proto.js": "module.exports = { go() {}, get body() { return 1 } }\n",
                "other.js": "const all = module.exports = { run() {} }\n",
                "app.js": "const proto = require('./proto')\nconst other = require('./other')\n"
                "class App {\n  constructor() { this.a = Object.create(proto) }\n"
                "  make() { const b = Object.create(this.a)\n    b.go(); this.a.go() }\n}\n"
                "function use() { const c = Object.create(other)\n  c.run(); c.stop() }\n",
            },
            {"App.make calls exports.go", "use calls exports.run"},
        ),
        (
            {
                "a.ts": "export default class { go() {} }\n",
                "b.ts": "export { default as A } from './a'\n",
                "c.ts": "import * as all from './b'\nconst use = (a: all.A) => a.go()\n",
            },
            {"use calls default.go"},
        ),
        (
            {
                "a.ts": "export declare namespace Link { interface Options { go(): void } }\n"
                "export class Link { run(o: Link.Options) { o.go() } }\n"
                "export function make(o: make.Options) { o.link.run(o.options) }\n"
                "export namespace make {\n"
                "  export interface Options { link: Link; options: Link.Options }\n}\n",
                "b.ts": "import { Link, make } from './a'\n"
                "interface Mine extends Link.Options { own(): void }\n"
                "function use(o: make.Options, m: Mine) { o.options.go(); m.go(); m.own() }\n",
            },
            {
                "Link.run calls Link.Options.go",
                "make calls Link.run",
                "use calls Link.Options.go",
                "use calls Mine.own",
            },
        ),
        (
            {
                "a.d.ts": "declare function make(): make.App\n"
                "declare namespace make { interface App { go(): void } }\nexport = make\n",
                "b.ts": "import make, { type App } from './a'\n"
                "function use(app: App) { app.go() }\nfunction other() { make().go() }\n",
            },
            {"use calls make.App.go", "other calls make", "other calls make.App.go"},
        ),
        (
            {
                "a.ts": "export enum E { A, B }\nexport class K { go(e: E.A) { return e } }\n",
                "b.ts": "import { E, K } from './a'\nconst use = (k: K) => k.go(E.A)\n",
            },
            {"use calls K.go"},
        ),
        (
            {
                "tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
                "src/a.ts": "export function f() {}\n",
                "src/deep/b.ts": "import { f } from '@/a'\nconst use = () => f()\n",
            },
            {"use calls f"},
        ),
        (
            {
                "tools.d.ts": "export class Tool { go(): void }\nexport function make(): Tool\n",
                "a.ts": "import tools from './tools'\nconst use = () => tools.make().go()\n",
            },
            {"use calls make", "use calls Tool.go"},
        ),
        (
            {
                "a.tsx": "import { memo, useRef, useState } from 'react'\n"
                "class Store { go() {} }\n"
                "type Props = { store: Store; onDone: (store: Store) => void }\n"
                "const Child = memo(({ store }: Props) => { store.go(); return null })\n"
                "export function App() {\n"
                "  const [store] = useState(() => new Store())\n"
                "  const ref = useRef<Store>(null)\n"
                "  ref.current?.go()\n"
                "  return <Child store={store} onDone={(done) => done.go()} />\n}\n",
            },
            {"Child calls Store.go", "App calls Store", "App calls Store.go", "App calls Child"},
        ),
    ],
)
def test_calls_between_files(sources: dict[str, str], expected: set[str]) -> None:
    assert calls(sources) == expected


def test_edges_of_heads() -> None:
    sources = {
        "a.ts": "export interface I extends J { go(): void }\nexport interface J { run(): void }\n"
        "export abstract class B { go() {} }\n",
        "b.ts": "import { B, I } from './a'\nclass C extends B implements I {\n"
        "  go() {}\n  run() {}\n}\n",
    }
    kinds = EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.EXTENDS, EdgeType.OVERRIDES
    assert edges(link(SourceTree(sources)), *kinds) == {
        "I extends J scope",
        "C inherits B import",
        "C implements I import",
        "C.go overrides B.go receiver",
        "C.go overrides I.go receiver",
        "C.run overrides J.run receiver",
    }


def test_classes_without_names_and_parts_of_namespaces_have_bases() -> None:
    sources = {
        "a.ts": "class B {}\nexport const mix = () => class extends B {}\n"
        "namespace N { export interface I {} }\nnamespace N { interface J extends I {} }\n"
    }
    found = edges(link(SourceTree(sources)), EdgeType.INHERITS, EdgeType.EXTENDS)
    assert found == {"mix inherits B scope", "N.J extends N.I scope"}


PARTS = """
interface Base<T> { data: T; busy: boolean }
interface Waiting<T> extends Base<T> { done: false; failed: false; value: T; name?: 'w' }
interface Done<T> extends Base<T> { done: true; failed: false; value: T; name?: 'd' }
interface Failed<T> extends Base<T> { done: true; failed: true; value: T; name?: 'f' }
type Task<T> = Waiting<T> | Done<T> | Failed<T>
declare function make<T>(value: T): Task<T>
"""


@pytest.mark.parametrize(
    ("test", "parts"),
    [
        ("if (t.done) t.value", "Done Failed"),
        ("if (!t.done) t.value", "Waiting"),
        ("if (t.done) {} else t.value", "Waiting"),
        ("if (t.done && !t.failed) t.value", "Done"),
        ("if (t.done === true) t.value", "Done Failed"),
        ("if (t.done !== true) t.value", "Waiting"),
        ("if (t.failed === false) t.value", "Waiting Done"),
        ("if (!t.done) return\n  t.value", "Done Failed"),
        ("t.failed ? t.value : 1", "Failed"),
        ("t.failed && t.value", "Failed"),
        ("t.done || t.value", "Waiting"),
        ("if (t.busy) t.value", "Waiting Done Failed"),
        ("if (!t.name) t.value", "Waiting Done Failed"),
        ("if (t.name) t.value", "Waiting Done Failed"),
        ("if (t.none) t.value", "Waiting Done Failed"),
    ],
)
def test_a_member_that_is_true_or_false_tells_parts_of_a_union_apart(test: str, parts: str) -> None:
    text = f"{PARTS}function use() {{\n  const t = make(1)\n  {test}\n}}\n"
    found = edges(link(SourceTree({"a.ts": text})), EdgeType.REFERENCES)
    reached = {row.split(" ")[2] for row in found if row.startswith("use") and ".value" in row}
    assert reached == {f"{part}.value" for part in parts.split()}


def test_a_function_without_a_name_shows_the_type_of_what_it_keeps() -> None:
    text = (
        "class Apple { eat() {} }\n"
        "const use = (all: unknown[]) => all.filter((x): x is Apple => true).map((x) => x.eat())\n"
    )
    found = edges(link(SourceTree({"a.ts": text})), EdgeType.CALLS)
    assert found == {"use calls Apple.eat generic"}


def test_what_is_followed_to_is_not_exact() -> None:
    sources = {
        "a.ts": "class A { go() {} }\nfunction f() {}\nfunction g() {}\n"
        "const make = () => new A()\nconst pick = Math.random() > 1 ? f : g\n"
        "function use(a: A) { a.go(); make().go(); pick() }\n"
    }
    found = edges(link(SourceTree(sources)), EdgeType.CALLS)
    assert {row for row in found if row.startswith("use")} == {
        "use calls A.go declared",
        "use calls A.go result",
        "use calls make scope",
        "use calls f override",
        "use calls pick scope",
        "use calls g override",
    }


def test_functions_of_one_name_in_different_callbacks_differ() -> None:
    sources = {
        "a.ts": "declare function it(f: () => void): void\n"
        "it(() => { function page() { one() }\n page() })\n"
        "it(() => { function page() { two() }\n page() })\n"
        "function one() {}\nfunction two() {}\n"
    }
    file = link(SourceTree(sources))["a.ts"]
    pages = {item.id for item in file.symbols if item.qualified_name == "page"}
    reached = {edge.target for edge in file.edges if edge.type == EdgeType.CALLS}
    assert len(pages) == 2
    assert pages <= reached


OBJECTS = {
    "a.ts": "export function help() {}\n"
    "export const api = {\n"
    "  get() { help() }, post: () => api.get(), put: function () { this.get() },\n"
    "  deep: { er: { x: () => help() } },\n"
    "}\n"
    "export function make() {\n"
    "  const inner = { p() { help() } }\n"
    "  return { a() { inner.p() }, 'b-c': () => help(), d: { e() {} } }\n"
    "}\n"
    "export const made = wrap({ run() { help() } })\n"
    "declare function wrap<T>(value: T): T\n",
    "b.ts": "import { api, made, make } from './a'\n"
    "function use() {\n"
    "  api.post(); api.deep.er.x(); make().a(); make().d.e(); made.run(); show(api.deep)\n"
    "  const { get } = api\n  get()\n"
    "}\n",
}


def test_functions_in_objects_call_and_are_called() -> None:
    assert calls(OBJECTS) == {
        "api.get calls help",
        "api.post calls api.get",
        "api.put calls api.get",
        "api.deep.er.x calls help",
        "make.inner.p calls help",
        "make.a calls make.inner.p",
        "make.b-c calls help",
        "a.ts calls wrap",
        "made.run calls help",
        "use calls api.post",
        "use calls api.deep.er.x",
        "use calls make",
        "use calls make.a",
        "use calls make.d.e",
        "use calls made.run",
        "use calls api.get",
    }
    found = edges(link(SourceTree(OBJECTS)), EdgeType.REFERENCES)
    assert {"use references api.deep flow", "use references api import"} <= found


def test_members_of_one_name_in_different_objects_differ() -> None:
    text = (
        "use({ go() { one() } })\nuse({ go() { two() } })\nfunction one() {}\nfunction two() {}\n"
    )
    file = link(SourceTree({"a.ts": text}))["a.ts"]
    assert len({item.id for item in file.symbols if item.qualified_name == "go"}) == 2


@pytest.mark.parametrize(
    "text",
    [
        "import { a } from 'm'; class A { #x = a; f() { a.#x(); a.#x.#y((b) => b) } }",
        "class A extends A<A> { a: A['a'] }",
        "type A = B; type B = A; const a: A = a.b.c()",
        "type A<T> = A<A<T>>; function f(a: A<A<string>>) { a.b() }",
        "interface A extends A, B {} interface B extends A {} declare const a: A; a.x.y()",
        "const f = (x = f(x)) => f(f)(x); f(f)",
        "const a = { ...a, b() { return this.b().a } }; a.b().b()",
        "function f<T extends T>(t: T): T { return f(f(t)).x }",
        "export * from './main'; import { a } from './main'; a()",
        "export { a as b, b as a } from './main'; import { a } from './main'; a()",
        "const a: { [k: string]: typeof a } = a; a.b.c.d()",
        "x." + "a.".join("b" for _ in range(200)) + "()",
        "const [a, [b = a, ...c]] = [b, [a, c]]; a(b(c))",
    ],
)
def test_circles_end(text: str) -> None:
    assert link(SourceTree({"main.ts": text}))["main.ts"].symbols


COMPONENTS = """
import React, { Component, forwardRef, memo as remember, lazy } from 'react'
import * as R from 'react'
import { observer } from 'mobx-react'
import { Other } from './other'
export function Card(props: { title: string }) { return <div>{props.title}</div> }
export const Arrow = () => <Card title="a" />
export const Either = (p: any) => (p.a ? null : p.b && <Card title="b" />)
export const Named = () => { const body = <p />; return body }
export const Called = () => { function draw() { return <p /> } return draw() }
export const Fragment = () => <><Card title="c" /></>
export const Memo = React.memo(function (props) { return <b /> })
export const Twice = remember(forwardRef((props, ref) => <b />))
export const Wrapped = remember(Other)
export const Later = lazy(() => import('./other'))
export const Watched = observer(() => <b />)
export class Old extends Component<{}> { render() { return this.props.children } }
export class Older extends R.PureComponent { }
export class Drawn extends Base { render() { return <b /> } }
export default () => <Arrow />
export function helper() { return <b /> }
export function Plain() { return Other.make() }
export const Value = make(3)
export class Store { get() { return <b /> } Render() { return <b /> } }
export interface Shape { a: 1 }
"""


def test_components_are_what_gives_elements() -> None:
    rows = link(SourceTree({"a.tsx": COMPONENTS}))["a.tsx"].symbols
    names = {row.qualified_name for row in rows if row.node_type == "component"}
    assert names == {
        *("Card", "Arrow", "Either", "Named", "Called", "Fragment", "Memo", "Twice", "Wrapped"),
        *("Later", "Watched", "Old", "Older", "Drawn", "default"),
    }


def test_elements_are_calls_of_components() -> None:
    sources = {
        "a.tsx": COMPONENTS,
        "b.jsx": "import { Card, Old } from './a'\n"
        "const App = () => <Old><Card title='x' /></Old>\n",
    }
    found = {row for row in calls(sources) if row.startswith("App ")}
    assert found == {"App calls Card", "App calls Old"}


def test_javascript_has_components_without_jsx() -> None:
    sources = {
        "a.js": "import React from 'react'\nexport const A = () => React.createElement('b')\n",
        "b.js": "export function Point() { return Vector({ x: 1 }) }\n",
        "c.jsx": "export function C() { return <D x={1} /> }\nexport const d = () => <b />\n",
        "d.ts": "import { createElement as h } from 'react'\nexport const E = () => h('b')\n",
    }
    linked = link(SourceTree(sources))
    rows = [row for file in linked.values() for row in file.symbols]
    names = {row.qualified_name for row in rows if row.node_type == "component"}
    assert names == {"A", "C", "E"}


def test_a_value_of_an_object_is_found_by_references() -> None:
    sources = {
        "options.ts": (
            "export const defaults = { retry: 3, 'max-age': 1, hooks: { limit: 2 }, stop() {} }\n"
            "export const fixed = { json: 'a' } as const\n"
            "export const last = { retry: 1, ...defaults }\n"
            "export default { top: 1 }\n"
        ),
        "use.ts": (
            "import whole, { defaults, fixed, last } from './options'\n"
            "function use() {\n"
            "  const { retry } = defaults\n"
            "  defaults.stop()\n"
            "  return [defaults.retry, defaults.hooks.limit, fixed.json, whole.top]\n"
            "}\n"
            "const spread = () => last.retry\n"
        ),
    }
    linked = link(SourceTree(sources))
    found = edges(linked, EdgeType.REFERENCES, EdgeType.CALLS)
    uses = {row for row in found if "." in row.split(" ")[2]}
    assert uses == {
        "use references defaults.retry flow",
        "use references defaults.hooks flow",
        "use references fixed.json flow",
        "use references default.top flow",
        "use calls defaults.stop flow",
        "spread references last.retry flow",
        "spread references defaults.retry flow",
    }


@pytest.mark.parametrize(
    ("text", "primary"),
    [
        ("function f<T>(a: T): T\nfunction f<T, U>(a: T, b: U): U\nfunction f(): any {}", 2),
        ("namespace A { const b = 1 }\nclass A<T> { go() {} }\ninterface A<T> {}", 1),
        ("interface P {}\nconst P = {}", 0),
        ("type U = 1\nfunction U() {}", 1),
        ("enum E { a }\nnamespace E { const b = 1 }", 0),
    ],
)
def test_declarations_of_one_name_in_a_scope_are_one_symbol(text: str, primary: int) -> None:
    (file,) = link(SourceTree({"a.ts": text})).values()
    name = text.split()[1][:1]
    parts = [item for item in file.symbols if item.qualified_name == name]
    assert len(parts) > 1
    assert len({item.id for item in parts}) == 1
    assert [item.is_primary for item in parts].index(True) == primary
    assert sum(item.is_primary for item in parts) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("const kinds = { A }\nclass B extends kinds.A {}", {"B inherits A"}),
        (
            "interface Made { new (): A }\ndeclare const M: Made\nclass B extends M {}",
            {"B inherits A"},
        ),
        (
            (
                "type Made<T> = new (...a: any[]) => T\n"
                "const mix = <T extends Made<A>>(base: T) => { class B extends base {} return B }"
            ),
            {"mix.B inherits A"},
        ),
        (
            (
                "namespace N { interface Own {} export type { Own as Other } }\n"
                "interface B extends N.Other {}"
            ),
            {"B extends N.Own"},
        ),
        (
            "namespace N { export interface Own {} }\nimport M = N.Own\ninterface B extends M {}",
            {"B extends N.Own"},
        ),
        ("const mix = (base: typeof A) => class extends base {}", {"mix inherits A"}),
    ],
)
def test_a_base_is_what_constructs_it_or_what_a_namespace_calls_it(
    text: str, expected: set[str]
) -> None:
    found = edges(link(SourceTree({"a.ts": f"class A {{ go() {{}} }}\n{text}\n"})), *BASES)
    assert {row.rpartition(" ")[0] for row in found} == expected


def test_members_of_a_mixin_are_those_of_what_its_parameter_constructs() -> None:
    text = (
        "class A { go() {} }\ntype Made = new (...a: any[]) => A\n"
        "function mix<T extends Made>(base: T) {\n"
        "  class B extends base { run() { this.go(); super.go() } }\n  return B\n}\n"
    )
    found = calls({"a.ts": text})
    assert {row.split(" ")[2] for row in found if row.startswith("mix.B.run ")} == {"A.go"}


@pytest.mark.parametrize(
    ("module", "asked"),
    [
        ("import { inject } from '@angular/core'", "inject(Apple)"),
        ("import { inject } from '@angular/core'", "inject<Apple>(TOKEN, { optional: true })"),
        ("import { TestBed } from '@angular/core/testing'", "TestBed.inject(Apple)"),
        ("import { container } from 'tsyringe'", "container.resolve(Apple)"),
    ],
)
def test_a_container_gives_an_object_of_the_class_it_is_asked_for(module: str, asked: str) -> None:
    text = f"{module}\nclass Shop {{ private apple = {asked}\n  use() {{ this.apple.eat() }} }}"
    assert called(text, "Shop.use") == {"Apple.eat"}


def test_what_is_declared_by_a_parameter_of_a_constructor_has_its_type() -> None:
    text = "class Shop { constructor(private apple: Apple) {}\n  use() { this.apple.eat() } }"
    assert called(text, "Shop.use") == {"Apple.eat"}
