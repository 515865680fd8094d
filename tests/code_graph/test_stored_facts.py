"""Facts as they are stored, and the parts that are decoded."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from code_graph import Languages
from code_graph.adapter import Adapter, CodeAdapter
from code_graph.expressions import NONE, BindingKind
from code_graph.facts import Facts, declarations_of, decode, decode_for_linking, encode
from index_format.records import replace
from tests.code_graph.golden_facts import GOLDEN, SOURCES

NAMES = {**SOURCES, "python": "source.py"}


def adapter(language: str) -> Adapter:
    found = Languages().adapter_for(NAMES[language])
    assert found is not None
    return found


# a declared name is called in each of them, too
CALLS = {"c": "int f(void) { return f(); }\n", "rust": "fn f() { f() }\n"}
CALLS["cpp"] = CALLS["c"]


def source(language: str) -> str:
    if language == "python":
        return Path(__file__).read_text("utf-8")
    return CALLS.get(language, "") + (GOLDEN / NAMES[language]).read_text("utf-8")


@pytest.mark.parametrize("language", NAMES)
@given(st.data())
def test_code_is_the_same_where_facts_are_known(language: str, data: st.DataObject) -> None:
    """Of any lines, so that imports and declarations are broken and conditional."""
    path, known = NAMES[language], adapter(language)
    if not isinstance(known, CodeAdapter):
        return
    lines = [
        *source(language).splitlines(keepends=True),
        "/* a */ #include <b>\n",
        "  #include <c>\n",
    ]
    kept = data.draw(st.lists(st.integers(0, len(lines) - 1), max_size=40))
    text = "".join(lines[number] for number in kept)
    facts = decode_for_linking(encode(known.facts(path, text)))
    assert known.code(path, text, facts) == known.code(path, text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.rb", 'require "a"; require "b"\n'),
        ("a.rs", "use a::b; use c::b;\nfn f() { b::g() }\n"),
        ("a.java", "import a.*; import b.*;\nclass A { B b; }\n"),
    ],
)
def test_imports_of_one_line_that_bind_the_same_are_told_apart(path: str, text: str) -> None:
    known = Languages().code_adapter_for(path)
    assert known is not None
    facts = decode_for_linking(encode(known.facts(path, text)))
    code = known.code(path, text, facts)
    assert code == known.code(path, text)
    assert code is not None
    bindings = (item for item in code.code.bindings if item.kind == BindingKind.IMPORTED)
    assert [item.value for item in bindings] == [0, 1]


def test_an_alias_without_what_it_stands_for_costs_nothing_else() -> None:
    known = Languages().code_adapter_for("a.rb")
    assert known is not None
    code = known.code("a.rb", "class A\n  alias_method :b\n  def c = d\nend\n")
    assert code is not None
    assert [item.name for item in code.code.bindings if item.declaration != NONE] == ["A", "b", "c"]


@pytest.mark.parametrize("language", NAMES)
def test_declarations_are_stored_as_they_were(language: str) -> None:
    facts = adapter(language).facts(NAMES[language], source(language))
    declared = Facts(facts.language, facts.status, facts.declarations)
    assert facts.cuts != ()
    assert declarations_of(encode(facts)) == encode(declared)


@pytest.mark.parametrize("language", NAMES)
def test_the_linker_gets_all_but_what_is_shown(language: str) -> None:
    data = encode(adapter(language).facts(NAMES[language], source(language)))
    every = decode(data)
    hidden = [replace(item, signature="", doc="", decl_context="") for item in every.declarations]
    assert tuple(hidden) != every.declarations
    assert decode_for_linking(data) == replace(every, declarations=tuple(hidden), uses=())
