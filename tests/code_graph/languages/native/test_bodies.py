"""Bodies and values of C that declare nothing are left out of what is parsed; uses are found."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from code_graph.facts import Facts
from code_graph.facts.model import FULL
from code_graph.languages.c.bodies import (
    BodilessText,
    find_bodies,
    find_uses,
    plain_bodies,
    plain_uses,
)
from code_graph.languages.c.outline import RULES
from code_graph.native import NATIVE
from code_graph.treesitter.adapter import adapter, parse_outline
from code_graph.treesitter.grammar import grammar_of

PIECES = (
    *("int f(void)", "struct s *g(int x)", "struct s __packed(4)", "x = (struct s)", 'extern "C"'),
    *("{", "}", "\n{\n", "\n}\n", "(", ")", ";", ",", "=", "==", "/*", "*/", "//", '"', "'", "\\"),
    *("\n#if A\n", "\n#else\n", "\n#endif\n", "\n# define B {\\\n", "\n#pragma c\n", "#", "\n"),
    *("return ", "typedef ", "struct s ", "enum ", "if ", "f", "g", ".a = f", "1f", "\r\f\v\t "),
    *("\n#ifndef A", "\n#define A", "\n#define f(a, ...)", " 1", " /* a */", " \\\n", "// a", "\r"),
    *("f(1)", "int g(1)", "(s){ f, g }", " = { f }", "\x00", "\x80\xff", "\\\n"),
)
CODE = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


def facts_of(text: str) -> Facts:
    return adapter("c").facts("a.c", text)


def inside(text: str) -> list[str]:
    return [text[begin:end] for begin, end in find_bodies(text.encode("latin-1"))]


@given(CODE)
def test_compiled_and_plain_code_find_the_same_bodies(text: str) -> None:
    code = text.encode("latin-1")
    found = plain_bodies(code)
    assert find_bodies(code) == found
    edges = [edge for span in found for edge in span]
    assert edges == sorted(edges)
    assert all(code[begin - 1 : begin] == b"{" and code[end] == 0x7D for begin, end in found)


@given(CODE, st.lists(st.integers(0, 400), max_size=6))
def test_compiled_and_plain_code_find_the_same_uses(text: str, edges: list[int]) -> None:
    code = text.encode("latin-1")
    cut = sorted(min(edge, len(code)) for edge in edges[: len(edges) // 2 * 2])
    spans = list(zip(cut[::2], cut[1::2], strict=True))
    names = [b"f", b"g", b"f", b"if", b"", b"s"]
    found = find_uses(code, spans, names)
    assert found == plain_uses(code, spans, names)
    assert all(names[number] in {b"f", b"g", b"if", b"s"} for number, _ in found)


def test_the_word_of_a_directive_is_no_use() -> None:
    code = b"if (f)\n#if f\n"
    assert find_uses(code, [(0, len(code))], [b"if", b"f"]) == [(0, 1), (1, 1)]
    assert plain_uses(code, [(0, len(code))], [b"if", b"f"]) == [(0, 1), (1, 1)]


@given(CODE)
def test_what_is_left_keeps_its_lines_and_columns(text: str) -> None:
    outline = BodilessText(text)
    whole, left = text.split("\n"), outline.text.split("\n")
    assert len(left) == len(whole)
    shift = outline.shifts()
    for number, row in enumerate(left):
        start = sum(len(one) + 1 for one in left[:number])
        places = [at for at, char in enumerate(row) if char not in " \n"]
        assert [whole[number][at] for at in places] == [row[at] for at in places]
        begin = sum(len(one) + 1 for one in whole[:number])
        assert [shift(start + at) for at in places] == [begin + at for at in places]


@pytest.mark.parametrize(
    "text",
    [
        "int f(void)\n{ return 1; }",
        "static struct s *f(struct s *x) { return x; }",
        "struct s f(void) { return (struct s){ 1 }; }",
        "int *f(int x) __must_check __acquires(x)\n{ return 0; }",
        'extern "C" {\nint f(void) { return 1; }\n}',
        "int (*f(int a))(int) { return 0; }",
        "SYSCALL_DEFINE1(f, int, x)\n{\n\treturn x;\n}",
        "int f(void) { return \"}\" + '}' /* } */; // }\n}",
        "int f(void)\n{\n#if A\n\tif (a) {\n#else\n\tif (b) {\n#endif\n\t}\n}",
    ],
)
def test_a_body_is_left_out(text: str) -> None:
    assert len(inside(text)) == 1
    assert facts_of(text).status == FULL


@pytest.mark.parametrize(
    "text",
    [
        "int a[] = { 1, 2 };",
        "int a[]\t=\n{ [0] = { 1 }, [1 ... 2] { 3 } };",
        "static const struct s a = {\n\t.b = &c,\n#ifdef D\n\t.d = d,\n#endif\n};",
        "struct s { int a; } b = { 1 };",
        'extern "C" {\nint a[] = { 1, 2 };\n}',
    ],
)
def test_an_initial_value_is_left_out(text: str) -> None:
    assert len(inside(text)) == 1
    assert facts_of(text).status == FULL


@pytest.mark.parametrize(
    "text",
    [
        "struct s { int a; };",
        "struct s __aligned(8) { int a; };",
        "struct __attribute__((packed)) s { int a; };",
        "struct __attribute__((packed)) { int a; } s;",
        "enum { A, B };",
        "struct s a = (struct s) { 1 };",
        "int (*a[])(int) = { b, c };",
        "int a[] __aligned(8) = { 1, 2 };",
        "int a[] = /* = */ { 1, 2 };",
        "int a[] = { sizeof(struct { int b; }), 2 };",
        "int a[] = {\n#define B 1\nB };",
        "int a[] = {\n#include <a.h>\n};",
        "int a[] = {\n{ 1\n}, 2 };",
        "f(a = { 1, 2 });",
        "int f(a) int a; { return a; }",
        "int f(void) { struct t { int b; } c; return 1; }",
        "int f(void) { enum { A } c; return 1; }",
        "int f(void) { typedef int t; return 1; }",
        "int f(void)\n{\n#define A 1\nreturn 1; }",
        "int f(void)\n{\n#include <a.h>\nreturn 1; }",
        "int f(void)\n{\n#if A\n\tif (a) {\n#endif\n\t}\n}",
        "int f(void)\n{\n\tif (a) {\n}\nreturn 1; }",
        "int f(void) { return 1;",
        "#define A(x) { x; }",
        "DEFINE(name, { return 1; });",
        "if (a) { b(); }",
    ],
)
def test_what_may_declare_something_stays(text: str) -> None:
    assert inside(text) == []


def test_declarations_inside_and_around_bodies_are_found() -> None:
    text = "int a(void)\n{\n\treturn b();\n} int b(void) { return 1 + 2 + 3 + 4; } int c;\n"
    text += "int d(void) { struct e { int f; } g; return 1; }\n"
    found = facts_of(text).declarations
    assert [(one.name, one.name_line, one.name_column, one.end_line) for one in found] == [
        ("a", 1, 4, 4),
        ("b", 4, 6, 4),
        ("c", 4, 44, 4),
        ("d", 5, 4, 5),
        ("e", 5, 21, 5),
        ("f", 5, 29, 5),
    ]


def test_uses_in_bodies_are_those_of_the_tree() -> None:
    text = """int used(int x) { return x + 1 + 2 + 3 + 4; }
struct s { int (*call)(int); };
int f(struct s *s)
{
	int x = used(1), used2 = 0;
	const struct s own = { .call = used };
	int (*all[])(int) = { used, used };
	extern int used(int), other(int);
	/* used(1) */ char *text = "used(1)";
	if (s->call(1) && (used)(2) == used
			(3))
		return used (4);
	return g((struct s){ used }, used, x);
}
"""
    kept = text.replace("int f(struct s *s)\n{", "int f(struct s *s)\n{\ntypedef int t;", 1)
    found, by_tree = facts_of(text), facts_of(kept)
    assert len(inside(text)) == 2
    assert len(inside(kept)) == 1
    later = [(use.name, use.line - (use.line > 4)) for use in by_tree.uses]
    assert [(use.name, use.line) for use in found.uses] == later
    assert [line for name, line in later if name == "used"] == [5, 6, 7, 8, 10, 12, 13]
    assert [line for name, line in later if name == "call"] == [6, 10]


def test_the_symbolic_code_has_the_numbers_of_the_facts() -> None:
    text = "int a(int x)\n{\n\treturn x + 1 + 2;\n}\nint b(void)\n{\n\treturn a(1) + a(2);\n}\n"
    code, found = adapter("c").code("a.c", text), facts_of(text)
    assert code is not None
    assert code.declarations == len(found.declarations) == 2
    scopes = [scope.declaration for scope in code.code.scopes]
    assert {0, 1} <= set(scopes)


VALUED = """int used(int x) { return x + 1 + 2 + 3 + 4; }
static const struct s {
	int a;
} own[] = { { .call = used, .other = &used, }, [1] = { used }, [2 ... 3] { used, 1 },
#ifdef B
	{ used(1), MACRO(used, used, used), (struct s){ used, 0 }, "used", used + 1 },
#endif
	used
}, next = { .a = 1234567890 };
int last;
"""


def test_a_variable_has_its_initial_value_in_its_signature() -> None:
    found = {item.name: item for item in facts_of(VALUED).declarations}
    own, following, last = found["own"], found["next"], found["last"]
    shown = "own[] = { { .call = used, .other = &used, }, [1] = { used }, [2 ... 3] { used, 1 },"
    assert own.signature.startswith(f"static const struct s {shown} #ifdef B")
    assert (own.name_line, own.name_column, own.end_line, own.returns) == (4, 2, 9, "struct s")
    assert (following.name_line, following.name_column, following.end_line) == (9, 3, 9)
    assert following.signature.endswith("next = { .a = 1234567890 }")
    assert (last.start_line, last.signature) == (10, "int last")


def test_uses_in_initial_values_are_those_of_the_tree() -> None:
    kept = VALUED.replace("= { {", "= { sizeof(struct t { int g; }), {")
    found, by_tree = facts_of(VALUED), facts_of(kept)
    assert len(inside(VALUED)) == 3
    assert len(inside(kept)) == 2
    assert found.uses == by_tree.uses
    assert [tuple(use) for use in found.uses] == [
        *(("used", 4), ("used", 6), ("used", 8), ("s", 6), ("a", 9)),
    ]


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ("#if A\nint a[] = { 12345678901, 2 }\nconst ", False),
        ("int a[] = { 12345678901, 2 };\nint b c;\nint y;\n", True),
        ("int a[] = { 1234567890 %% 2 };\nint y;\n", True),
    ],
)
def test_a_value_in_an_error_is_parsed(text: str, *, left_out: bool) -> None:
    grammar = grammar_of(RULES)
    assert grammar is not None
    outline, parsed = parse_outline(RULES, grammar, text)
    assert [*BodilessText(text).value_places()] != []
    assert parsed is not None
    assert [*outline.value_places()] == [11] * left_out


@pytest.mark.skipif(NATIVE is None, reason="nothing is compiled")
@pytest.mark.parametrize("spans", [[(2, 1)], [(0, 9)], [(-1, 1)], [(1, 2), (0, 1)]])
def test_spans_outside_of_the_text_are_refused(spans: list[tuple[int, int]]) -> None:
    assert NATIVE is not None
    with pytest.raises(ValueError, match="span"):
        NATIVE.find_uses(b"f(1)", spans, [b"f"])
