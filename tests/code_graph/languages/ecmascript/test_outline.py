"""Declarations, uses and imports of TypeScript, TSX and JavaScript."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from code_graph.facts import FULL, Declaration, Use
from code_graph.treesitter.adapter import adapter

LANGUAGES = ("typescript", "tsx", "javascript")
NAMES = st.sampled_from(["x", "veryLongName", "größe", "名前", "$", "_a1"])


def declared(language: str, text: str) -> dict[str, Declaration]:
    return {one.name: one for one in adapter(language).outline("x", text)}


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.ts", "typescript"),
        ("a.d.mts", "typescript"),
        ("a.cts", "typescript"),
        ("A.TSX", "tsx"),
        ("a.jsx", "javascript"),
        ("a.mjs", "javascript"),
        ("a.cjs", "javascript"),
        ("a.json", ""),
    ],
)
@pytest.mark.requirement("INT-10.1-adapters")
def test_the_extension_decides(path: str, language: str) -> None:
    assert [each for each in LANGUAGES if adapter(each).supports_path(path)] == [language] * bool(
        language
    )


@given(name=NAMES, pad=st.integers(0, 3))
def test_columns_count_characters(name: str, pad: int) -> None:
    text = f"/* é名 */ function {name}() {{}}\n{' ' * pad}{name}();\n"
    facts = adapter("typescript").facts("x", text)
    assert facts.declarations[0].name == name
    assert facts.declarations[0].name_column == len("/* é名 */ function ")
    assert facts.uses == (Use(name, 2),)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("export const Panel = () => <b/>;", "function"),
        ("const Panel: FC<P> = function (props) { return <b/>; };", "function"),
        ("const Panel = React.memo(forwarded((props) => <b/>));", "constant"),
        ("const Panel = React.memo((props) => <b/>);", "function"),
        ("function Panel() { return <b/>; }", "function"),
        ("class Panel extends Component {}", "class"),
    ],
)
def test_components_are_declared_like_anything_else(text: str, kind: str) -> None:
    assert declared("tsx", text)["Panel"].kind == kind


def test_what_a_file_declares_is_used_by_elements_types_members_and_shorthands() -> None:
    text = (
        "import { used } from 'm';\nexport const LIMIT = 1;\ninterface C { e: number }\n"
        "function A(a: C) {\n  g(LIMIT, used, other, a.e);\n  return { LIMIT };\n}\n"
        "const B = () => <A><A.x/><div></div></A>;\n"
    )
    facts = adapter("tsx").facts("x", text)
    assert facts.uses == (Use("LIMIT", 5), Use("LIMIT", 6), Use("C", 4), Use("e", 5), Use("A", 8))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("interface A {\n  a: B\n  <T>(x: T): C\n  d: E\n}\ninterface F { g: 1 }", "A a d F g"),
        ("interface A<in out T extends B, out U extends C> {\n  a: T\n}", "A a"),
        ("export type * from './a';\nexport class B {}", "B"),
        ("interface A {\n  a: B\n  /** c */\n  (x: T): C\n}\nconst d = 1", "A a d"),
        ("interface A {\n  // b\n  <T>(x: T): C\n  // d(e)\n  /* f */\n  <T>(x: T): G\n}", "A"),
        ("type A<in out T> = (x: T) => T;\ntype B<out T, in U> = C;\nlet d;", "A B d"),
        ("let a: import('./b').C<D>;\nexport let e: import(\"./b\").f.G<typeof a>;", "a e"),
    ],
)
def test_syntax_that_the_grammar_lacks_loses_no_declarations(text: str, names: str) -> None:
    facts = adapter("typescript").facts("x", text)
    assert facts.status == FULL
    assert [one.name for one in facts.declarations] == names.split()


def test_flow_types_are_parsed() -> None:
    text = (
        "// @flow\nimport typeof A from './a';\nimport type {B} from './b';\n"
        "export type C = {|+d: ?string, ...|};\nopaque type E = string;\n"
        "export function f(g: ?B, h: {...}): ?C { return i(g); }\n"
    )
    facts = adapter("javascript").facts("x.js", text)
    assert (facts.language, facts.status) == ("javascript", FULL)
    assert [one.name for one in facts.declarations] == ["C", "d", "E", "f"]
    assert facts.declarations[3].returns == "?C"
    assert facts.declarations[3].parameters == "(g: ?B, h: {...})"
    assert [(one.module, one.alias) for one in facts.imports] == [("./a", "A"), ("./b", "B")]


def test_names_in_functions_without_a_name_are_local() -> None:
    text = "describe('a', () => { const b = 1; function c() {} });\nconst d = 1;"
    assert [one.name for one in adapter("javascript").outline("x", text)] == ["a", "c", "d"]


def paths(language: str, text: str) -> set[str]:
    """The kinds and qualified names of the declarations of a text."""
    rows = adapter(language).outline("x", text)
    found = set()
    for one in rows:
        names, parent = [one.name], one.parent
        while parent >= 0:
            names.insert(0, rows[parent].name)
            parent = rows[parent].parent
        found.add(f"{one.kind} {'.'.join(names)}")
    return found


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("const a = { b() {}, c: () => 1, d: 2 };", "object a, method a.b, method a.c"),
        ("const a = { b: { c: { d() {} } }, e: { f: 1 } };", "object a.b.c, method a.b.c.d"),
        ("export default { a: { b() {} } };", "object default.a, method default.a.b"),
        ("const a = make({ b() {}, c: { d: () => 1 } });", "object a, method a.b, method a.c.d"),
        ("export default make({ a() {} });", "object default, method default.a"),
        ("class A { b = { c() {} } }", "field A.b, method A.b.c"),
        ("function f() { return { a() {}, b: () => 1 } }", "method f.a, method f.b"),
        ("const f = () => ({ a() {} });", "function f, method f.a"),
        (
            "function f() { const a = { b() {} }; const c = { d: 1 } }",
            "function f, object f.a, method f.a.b",
        ),
        ("use({ a: () => 1, 'b-c'() {}, ['d']: () => 2 });", "method a, method b-c, method d"),
        ("a.b = { c() {} };", "object a.b, method a.b.c"),
        ("const a = { get b() { return 1 } };", "object a, getter a.b"),
        (
            "const a = { b: (() => { const c = { d() {} } })() };",
            "object a, property a.b, object a.c, method a.c.d",
        ),
    ],
)
def test_functions_in_objects_are_members_of_what_names_the_object(
    language: str, text: str, expected: str
) -> None:
    found = paths(language, text)
    assert set(expected.split(", ")) <= found
    assert not {one for one in found if one.endswith(("f.c", "f.d"))}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "export const a = { b: 1, 'c-d': [2], e: { f: 3 }, g: x, h() {}, [i]: 4, 5: 6, j };",
            "object a, property a.b, property a.c-d, object a.e, property a.g, method a.h",
        ),
        (
            "export default { a: 1, b() {} };",
            "object default, property default.a, method default.b",
        ),
        ("const a = { b: { c() {}, d: 1 } };", "object a, object a.b, method a.b.c"),
        ("function f() { const a = { b: 1 } }", "function f"),
        ("use({ a: 1 }); const b = use({ c: 1 });", "constant b"),
        ("let a = b || { c: 1 };", "variable a"),
    ],
)
def test_values_of_objects_outside_of_functions_are_members_of_what_names_the_object(
    language: str, text: str, expected: str
) -> None:
    assert paths(language, text) == set(expected.split(", "))


@pytest.mark.parametrize(("count", "found"), [(100, 101), (101, 1)])
def test_objects_with_many_values_are_data(count: int, found: int) -> None:
    values = ", ".join(f"k{number}: {number}" for number in range(count))
    assert len(paths("typescript", f"export const a = {{ {values} }} as const;")) == found


def test_objects_without_functions_that_nothing_declares_are_no_declarations() -> None:
    text = "const a = { b: { c: 1 } };\nuse({ d: { e: [1] } });\nx.y = { z: {} };"
    assert paths("typescript", text) == {"object a", "object a.b"}


def test_a_file_has_few_members_of_objects_in_functions() -> None:
    rows = "".join(f"use({{ a{number}: () => {number} }});\n" for number in range(3_000))
    assert len(paths("typescript", f"function f() {{\n{rows}}}")) == 501
    assert len(paths("typescript", rows)) == 3_000


def test_objects_deep_in_each_other_are_few() -> None:
    depth = 3_000
    text = "const a = " + "".join(f"{{ b{number}:\n" for number in range(depth))
    rows = adapter("typescript").outline("x", text + "{ c() {} }" + " }\n" * depth)
    assert [one.kind for one in rows].count("object") == 8
    assert rows[-1].name == "c"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_function_that_is_given_members_is_no_object(language: str) -> None:
    given = "export const canonical = Object.assign(function () {}, { reset() {} });\n"
    made = "export const store = createStore({ reset() {} });\n"
    assert declared(language, given)["canonical"].kind == "constant"
    assert declared(language, made)["store"].kind == "object"
