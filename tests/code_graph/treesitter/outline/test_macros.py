"""Macros between declarations are left out of what is parsed, and declared as the tree has them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from code_graph.expressions import FileCode
from code_graph.facts import Facts
from code_graph.languages.c.outline import RULES
from code_graph.native import NATIVE
from code_graph.treesitter.adapter import adapter, parse_best
from code_graph.treesitter.extract import extract_code, extract_stored
from code_graph.treesitter.grammar import grammar_of
from code_graph.treesitter.outline.bodies import MACRO, NAME, NAME_END, OutlineText

DEFINITIONS = (
    *("#define A", "#define A 1", "# define A\t(1 << 2)", "  #define A 1", "#define A(x, ...) x"),
    *("#define A 1 /* one */", "#define A 1 /* one */ /* two\n */", "#define A /* one */"),
    *("#define A 1 // one", "#define A \\\n\tdo { } \\\n\twhile (0)", '#define A "/* a */"'),
    *("#define A 1 /* one */ ", "#define A ", "#define A 1 /* one */ 2", "#define A \\\n"),
    *("#define A() 1", "#define A(x", "#define A(x y) 1", "#define A\\\n 1", "#define A 1 /"),
    *("#define A \\\\", "#define int long", "#define A(x) #x", "#define A 1\r", "#define A 1\x00"),
    "#define \xdc 1",
)
OTHERS = (
    *("int a;", "int f(int x)\n{\n\treturn x + 1 + 2 + 3;\n}", "struct s {\n\tint b;\n};", "f(1)"),
    *(
        "/* about */",
        "/** more\n * about */",
        "int c; /* behind */",
        "enum e {\n#define E 1\n\tE,\n};",
    ),
    *("#include <a.h>", "#undef A", "typedef int t;", 'extern "C" {', "}", "int d =\n", "1;", "{"),
)
BRANCHES = ("#ifdef A", "#if A > 1 /* a */", "#ifndef A", "#elif B", "#else", "#endif", "#endif")
LINES = st.lists(
    st.sampled_from(DEFINITIONS) | st.sampled_from(DEFINITIONS + OTHERS) | st.sampled_from(BRANCHES)
)
TEXTS = st.tuples(LINES, st.sampled_from(("", "\n"))).map(lambda both: "\n".join(both[0]) + both[1])


def with_its_macros(text: str) -> tuple[Facts, FileCode | None]:
    """The facts and the code of a text whose macros the parser got."""
    outline = OutlineText.of(text).with_macros()
    grammar = grammar_of(RULES)
    assert grammar is not None
    parsed, whole = (parse_best(RULES, grammar, one) for one in (outline.text, text))
    assert parsed is not None
    assert whole is not None
    return extract_stored(parsed, outline), extract_code(parsed, outline, whole)


def left_out(text: str) -> list[str]:
    macros = OutlineText.of(text).macros
    return [text[begin:end] for begin, end in zip(macros[NAME::MACRO], macros[NAME_END::MACRO])]  # noqa: B905


@given(TEXTS)
def test_facts_and_code_are_those_of_the_tree(text: str) -> None:
    facts, code = with_its_macros(text)
    found = adapter("c")
    assert found.stored_facts("a.c", text) == facts
    assert found.facts("a.c", text).declarations == facts.declarations
    assert found.code("a.c", text) == code


@pytest.mark.parametrize(
    "text",
    [
        *("#define A\n", "  # define A 1\n", "#define A(x, y) x\n", "#define A(...) 1\n"),
        *("#define A 1 /* a */ /* b\n */\n", "#define A 1 // a\n", "#define A \\\n 1 \\\n 2\n"),
        *(
            "int a; \n#define A 1\n",
            'extern "C" {\n#define A 1\n}\n',
            "#if B\n#define A 1\n#endif\n",
        ),
    ],
)
def test_a_macro_is_left_out(text: str) -> None:
    assert left_out(text) == ["A"]


@pytest.mark.parametrize(
    "text",
    [
        *("#define A 1", "#define A \n", "#define A 1 /* a */ \n", "#define A /* a */ 1\n"),
        *("#define A\\\n1\n", "#define A(x y) 1\n", "#define A 1\r\n", "#define A(x)x\n"),
        *("#ifndef A\n#define A\n#endif\n", "int a\n#define A 1\n;\n", "f(1)\n#define A 1\n"),
        *("enum e {\n#define A 1\n};\n", "int a = {\n#define A 1\n};\n", "#undef A\n"),
    ],
)
def test_what_the_grammar_may_read_in_another_way_stays(text: str) -> None:
    assert left_out(text) == []


def test_few_macros_stay() -> None:
    text = "int a;\n" * 100 + "#define A 1\n"
    assert left_out(text) == []
    assert left_out(text + "#define B 1\n" * 10) == ["A", *"B" * 10]


def test_a_macro_has_the_conditions_and_the_comment_around_it() -> None:
    text = """#ifdef X
#define A 1
#else
/* two
 * lines */
#define B(x, y) \\
	(x) /* end */
#endif
#define C
"""
    assert left_out(text) == ["A", "B", "C"]
    first, second, third = adapter("c").stored_facts("a.h", text).declarations
    assert (first.decl_context, first.is_conditional, first.doc) == ("#ifdef X", True, "")
    assert (second.decl_context, second.doc) == ("#ifdef X > #else", "two\nlines")
    assert (second.start_line, second.end_line, second.parameters) == (6, 7, "(x, y)")
    assert second.signature == "#define B(x, y) \\ (x) /* end */"
    assert (third.decl_context, third.signature, third.name_column) == ("", "#define C", 8)


@pytest.mark.skipif(NATIVE is None, reason="nothing is compiled")
def test_only_bytes_are_searched() -> None:
    assert NATIVE is not None
    with pytest.raises(TypeError):
        NATIVE.find_bodies("a")  # type: ignore[arg-type]
