"""The engine of all tree-sitter languages: positions, statuses, lazy loading."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest

from code_graph.adapter import Adapter
from code_graph.facts import FULL, NO_GRAMMAR, PARTIAL, STOPPED, Use
from code_graph.treesitter import grammar as treesitter_grammar
from code_graph.treesitter.adapter import adapter
from code_graph.treesitter.grammar import load_grammar
from code_graph.treesitter.source import Source, without_blanks
from tests.code_graph.golden_facts import SOURCES

LANGUAGES = tuple(SOURCES)


@pytest.mark.requirement("INT-10.1-adapters")
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_is_an_adapter_for_its_names(language: str) -> None:
    found = adapter(language)
    assert isinstance(found, Adapter)
    assert found.name == language
    assert found.supports_path(f"src/{SOURCES[language]}")
    assert found.supports_path(f"SRC/{SOURCES[language].upper()}")
    assert not found.supports_path("readme.md")


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match="Empty module name"):
        adapter("cobol")


@pytest.mark.servers
def test_no_parser_is_loaded_before_a_file_is_read() -> None:
    script = (
        "import sys\n"
        "from code_graph.treesitter.adapter import adapter\n"
        f"found = [adapter(name) for name in {LANGUAGES!r}]\n"
        "found[0].supports_path('a.c')\n"
        "print([name for name in sys.modules if name.startswith('tree_sitter')])\n"
        "found[0].facts('a.c', 'int a;')\n"
        "print(sorted(name for name in sys.modules if name.startswith('tree_sitter_')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    first, second = done.stdout.splitlines()
    assert first == "[]"
    assert second == "['tree_sitter_c', 'tree_sitter_c._binding']"


def test_columns_count_characters_and_lines_end_at_line_feeds() -> None:
    text = '/* é漢😀 */ int größe;\r\n\f/* \u2028 */ int b; int c\r= b("é"), e;\n'
    facts = adapter("c").facts("x.c", text)
    rows = text.split("\n")
    assert [one.name for one in facts.declarations] == ["größe", "b", "c", "e"]
    for one in facts.declarations:
        assert rows[one.name_line - 1].startswith(one.name, one.name_column)
    assert facts.uses == (Use("b", 2),)
    assert facts.declarations[2].signature == 'int c = b("é"), e'


@pytest.mark.parametrize("text", ["a\u00a0b", "é\ufeff", "\ud800", "plain", "", "漢" * 1000])
def test_the_parser_sees_one_byte_for_each_character(text: str) -> None:
    source = Source(text)
    assert len(source.data) == len(text)
    assert [byte == 32 for byte in source.data] == [c.isspace() or c == "\ufeff" for c in text]


@pytest.mark.requirement("INT-10.3-unparseable")
def test_without_a_grammar_there_are_no_declarations(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_go", None)
    load_grammar.cache_clear()
    try:
        facts = adapter("go").facts("x.go", "package p\nfunc found() {}\n")
    finally:
        load_grammar.cache_clear()
    assert facts.status == NO_GRAMMAR
    assert facts.declarations == ()
    assert facts.uses == ()


@pytest.mark.requirement("INT-10.3-unparseable")
def test_a_stopped_parse_shows_nothing() -> None:
    text = "".join(f"void f{number}() {{ a<\n" for number in range(2)) + "b<c<\n" * 600
    facts = adapter("java").facts("X.java", text)
    assert facts.status == STOPPED
    assert adapter("java").outline("X.java", text) == ()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("go", "package p\n\nfunc a() {}\n\nfunc b() { x := ) + }\n\nfunc c() {}\n"),
        ("c", "int a;\nvoid b(void) { x = ) + ; }\nMACRO_ALONE int c;\n"),
        ("java", "class a { void b() { x = ) + ; } int c; }\n"),
    ],
)
def test_an_error_in_a_body_costs_no_declaration(language: str, text: str) -> None:
    facts = adapter(language).facts("x", text)
    assert facts.status == FULL
    assert [one.name for one in facts.declarations][-3:] == ["a", "b", "c"]


def test_declarations_around_an_error_are_kept() -> None:
    text = "package p\n\nfunc a() {}\n\nfunc ) b ( {}\n\nfunc c() {}\n"
    facts = adapter("go").facts("x.go", text)
    assert facts.status == PARTIAL
    assert {"a", "c"} <= {one.name for one in facts.declarations}
    assert adapter("go").outline("x.go", text) == facts.declarations


@pytest.mark.parametrize("was_on", [True, False])
def test_garbage_collection_is_left_as_it_was(was_on: bool) -> None:  # noqa: FBT001 a parameter
    before = gc.isenabled()
    try:
        (gc.enable if was_on else gc.disable)()
        adapter("go").facts("x.go", "package p\n")
        assert gc.isenabled() == was_on
    finally:
        (gc.enable if before else gc.disable)()


@pytest.mark.requirement("INT-10.3-outline-v2")
@pytest.mark.parametrize("language", LANGUAGES)
def test_declarations_are_in_the_documented_order(language: str) -> None:
    text = "".join(f"int a{number}; int b; int a;\n" for number in range(3))
    shown = adapter(language).outline("x", text)
    keys = [(one.start_line, -one.end_line, one.name) for one in shown]
    assert keys == sorted(keys)


def test_units_begin_with_their_comments_and_attributes() -> None:
    text = "package p\n\n// About a.\n//go:noinline\nfunc a() {\n\tvar b int\n}\n\nvar c int\n"
    assert adapter("go").smart_chunks("x.go", text) == (1, 3, 9)


def test_a_header_with_cpp_is_parsed_as_cpp() -> None:
    text = "namespace n {\nclass A { int x; };\n}\n"
    assert adapter("c").facts("x.h", text).language == "cpp"
    assert adapter("c").facts("x.c", text).language == "c"
    plain = adapter("c").facts("x.h", "struct a { int class; };\n")
    assert (plain.language, plain.status) == ("c", FULL)


def test_a_long_qualifier_keeps_its_end() -> None:
    assert without_blanks("a . b\n") == "a.b"
    assert without_blanks("x" * 5000 + ".last") == "…" + "x" * 114 + ".last"


@pytest.mark.parametrize(
    "pattern",
    ["(identifier) @nothing", "(call_expression function: (_) @use arguments: (_) @import)"],
)
def test_a_pattern_must_have_one_anchor(pattern: str) -> None:
    from tree_sitter import Query  # noqa: PLC0415 as in the program

    grammar = load_grammar("tree_sitter_go", "language", "(identifier) @use")
    assert grammar is not None
    with pytest.raises(ValueError, match="must have one anchor"):
        list(treesitter_grammar._anchors(Query(grammar.language, pattern), pattern))


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("How does `parse` work?", ("parse",)),
        ("why is Parser.parse_file slow", ("Parser.parse_file", "parse_file")),
        ("fix snake_case and camelCase", ("snake_case", "camelCase")),
        ("call start() first", ("start",)),
        ("std::vector and a->b or `i`", ("std::vector", "vector", "i")),
        ("what about plain words, e.g. these, or HTTP", ()),
        ("How is the Adapter closed? Never. Or is it", ("Adapter",)),
        ("`a`, `a` and `b::c`", ("a", "b::c", "c")),
        ("", ()),
    ],
)
def test_names_are_found_in_a_prompt(prompt: str, expected: tuple[str, ...]) -> None:
    assert adapter("go").symbol_hints(prompt) == expected
