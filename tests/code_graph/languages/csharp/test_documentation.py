"""Documentation files of assemblies, which are not trusted, as declarations at their lines."""

from __future__ import annotations

import pytest

from code_graph.language import load
from code_graph.language_table import BY_NAME, DOCUMENTATION
from code_graph.languages.csharp.documentation import DocumentationAdapter

ADAPTER: DocumentationAdapter = load(f"{BY_NAME[DOCUMENTATION].adapter}:adapter")(DOCUMENTATION)


def file_of(*ids: str) -> str:
    entries = "".join(f'<member name="{one}"><summary>S.</summary></member>\n' for one in ids)
    return f"<doc><members>\n{entries}</members></doc>\n"


def declared(text: str) -> list[tuple[int, str, str]]:
    return [
        (item.start_line, item.kind, item.signature)
        for item in ADAPTER.facts("a.xml", text).declarations
        if item.kind != "namespace"
    ]


@pytest.mark.parametrize(
    ("member", "kind", "signature"),
    [
        ("M:N.C.F", "method", "F()"),
        (
            "M:N.C.F(System.Int32[],System.String@)",
            "method",
            "F(System.Int32[] p0, ref System.String p1)",
        ),
        (
            "M:N.C.G``2(``0,System.Func{``1,`0})",
            "method",
            "G<M0, M1>(M0 p0, System.Func<M1,T0> p1)",
        ),
        ("M:N.C.#ctor(System.Int32[0:,0:])", "constructor", "C(System.Int32[,] p0)"),
        ("P:N.C.Item(System.Int32)", "indexer", "this[System.Int32 p0]"),
        ("P:N.C.Size", "property", "Size"),
        ("F:N.C.Empty", "field", "Empty"),
        ("E:N.C.Changed", "event", "event dynamic Changed"),
    ],
)
def test_each_kind_of_member(member: str, kind: str, signature: str) -> None:
    rows = declared(file_of("T:N.C", member))
    assert (3, kind, signature) in rows
    assert (2, "class", "class C") in rows


@pytest.mark.parametrize(
    "member",
    [
        "M:N.C.op_Addition(N.C,N.C)",
        "M:N.C.N#I#Run",
        "M:N.C.F(System.String) { } public class Injected",
        "M:N.C.F(a b)",
        "M:N.C.F\u007b\u007d",
        "X:N.C.F",
        "M:",
        "M:N.C.",
        "M:" + "N." * 300 + "F",
        "!:N.C",
    ],
)
def test_other_ids_make_no_declaration(member: str) -> None:
    text = file_of("T:N.C", member, "F:N.C.Last")
    rows = declared(text)
    assert "Injected" not in str(rows)
    assert {row[0] for row in rows} == {2, 4}


def test_types_are_taken_up_again_where_the_file_goes_back_to_them() -> None:
    rows = declared(
        file_of("T:N.A", "F:N.A.X", "T:N.A.Inner", "F:N.A.Inner.Y", "T:N.IRun", "F:N.A.Z")
    )
    assert (3, "field", "X") in rows
    assert (5, "field", "Y") in rows
    assert (6, "interface", "interface IRun") in rows
    assert (7, "field", "Z") in rows


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE d [<!ENTITY a "b">]><doc><members/></doc>',
        "<doc><members>",
        "<project><members/></project>",
        "<doc>" + "<a>" * 100 + "</a>" * 100 + "</doc>",
        "<doc>" * 100_000,
        "plain",
        "",
        "<doc>&undefined;</doc>",
        "\0",
    ],
    ids=range(9),
)
def test_what_is_no_documentation_has_no_declarations(text: str) -> None:
    facts = ADAPTER.facts("a.xml", text)
    assert facts.status != "full"
    assert not facts.declarations
    assert ADAPTER.code("a.xml", text) is None
    assert not ADAPTER.smart_chunks("a.xml", text)


def test_an_entry_in_one_line_with_others_is_a_declaration() -> None:
    text = file_of("T:N.C", "F:N.C.X", "M:N.C.F").replace("\n", "")
    assert {row[:2] for row in declared(text)} == {(1, "class"), (1, "field"), (1, "method")}


def test_facts_and_code_have_the_same_declarations() -> None:
    text = file_of("T:N.C", "M:N.C.F(System.Int32)")
    facts = ADAPTER.facts("a.xml", text)
    code = ADAPTER.code("a.xml", text, facts)
    assert code is not None
    assert code.declarations == len(facts.declarations)
    assert [item.doc for item in facts.declarations if item.kind == "method"] == ["S."]
