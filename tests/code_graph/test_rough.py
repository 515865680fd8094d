"""The rough outline finds plain declarations in any text, in one pass."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from code_graph import rough_declarations
from code_graph.facts import MODULE

LANGUAGES = [
    "c", "cpp", "csharp", "go", "java", "javascript", "php", "python", "rust", "swift", "tsx",
    "typescript", "ruby",
]  # fmt: skip
SOURCES = {
    "c": (
        (
            "#define LIMIT 10\n\nstruct point {\n\tint x;\n};\n\n"
            "static int area(struct point *it)\n{\n\tif (it)\n"
            "\t\treturn call(it);\n\treturn 0;\n}\n"
            "int prototype(void);\nint *made_by(int a,\n\tint b) {\n}\n"
        ),
        ["macro LIMIT 1-1", "struct point 3-5", "function area 7-13", "function made_by 14-16"],
    ),
    "cpp": (
        (
            "namespace ns {\n  class Widget : public Base {\n"
            "    int size() const { return 1; }\n  };\n}\n"
            "Widget::~Widget() {\n}\n"
        ),
        ["namespace ns 1-5", "class Widget 2-5", "method size 3-5", "function ~Widget 6-7"],
    ),
    "csharp": (
        (
            "namespace A.B;\npublic sealed class C : D\n{\n    public C(int a) { }\n"
            "    protected override async Task<int> Run<T>(T a)\n        => await a;\n"
            "    int field = call();\n}\n"
        ),
        ["class C 2-8", "method C 4-4", "method Run 5-8"],
    ),
    "go": (
        "type T struct {\n\ta int\n}\nfunc (t *T) Run(a int) {\n}\nfunc main() {\n}\n",
        ["type T 1-3", "function Run 4-5", "function main 6-7"],
    ),
    "java": (
        (
            "@Deprecated\npublic final class A<T> extends B {\n  private int f = g(1);\n"
            "  @Override public int size() {\n    return call();\n  }\n  interface I { }\n}\n"
        ),
        ["class A 2-8", "method size 4-6", "interface I 7-8"],
    ),
    "javascript": (
        (
            "export default class A extends B {\n}\nexport async function* load(a) {\n}\n"
            "const add = (a, b) => a + b;\nconst plain = 1;\nlet old = function () {\n};\n"
        ),
        ["class A 1-2", "function load 3-4", "function add 5-6", "function old 7-8"],
    ),
    "python": (
        (
            "class A(B):\n    '''class of its own'''\n    async def run(self):\n"
            "        def inner(): ...\n\n\ndef outer(\n    a,\n): ...\n"
        ),
        ["class A 1-4", "method run 3-4", "function inner 4-4", "function outer 7-9"],
    ),
    "rust": (
        (
            "pub(crate) struct S<T> {\n}\nimpl<T> Show for S<T> {\n"
            "    pub fn show(&self) {\n    }\n}\n"
            "macro_rules! say {\n}\n"
        ),
        ["struct S 1-2", "impl S 3-8", "method show 4-8", "macro say 7-7"],
    ),
    "swift": (
        (
            "public final class A: B {\n  @objc private func run() async {\n  }\n}\n"
            "extension A where T == Int {\n}\ntypealias F = Int\n"
        ),
        ["class A 1-4", "method run 2-4", "extension A 5-6", "type F 7-7"],
    ),
    "typescript": (
        (
            "declare namespace N {\n  export interface I<T> extends J {\n  }\n}\n"
            "export type U = 1 | 2;\nabstract class A {\n  private run(): void {\n  }\n}\n"
        ),
        ["namespace N 1-4", "interface I 2-4", "type U 5-5", "class A 6-9", "method run 7-9"],
    ),
    "ruby": (
        "module M\n  class A\n    def run!\n    end\n  end\nend\n",
        ["module M 1-6", "class A 2-6", "method run! 3-6"],
    ),
}
WORDS = st.sampled_from(
    [
        "class ",
        "struct ",
        "def ",
        "func ",
        "fn ",
        "function ",
        "impl ",
        "#define ",
        "public ",
        "static ",
        "const ",
        "type ",
        "x",
        "Foo",
        "(",
        ")",
        "{",
        "}",
        "=>",
        "=",
        " ",
        ";",
        ",",
        "<",
        ">",
        ":",
        "\n",
        "\n    ",
        "\t",
        "\n\n",
        "\\",
        '"',
        "'",
        "é",
    ]
)


@pytest.mark.parametrize("language", SOURCES)
def test_plain_declarations_are_found(language: str) -> None:
    text, expected = SOURCES[language]
    found = rough_declarations(language, text)
    assert [f"{one.kind} {one.name} {one.start_line}-{one.end_line}" for one in found] == expected


@pytest.mark.parametrize("language", LANGUAGES)
@given(text=st.lists(WORDS, max_size=40).map("".join))
def test_names_are_at_their_positions_and_declarations_nest(language: str, text: str) -> None:
    rows = text.split("\n")
    found = rough_declarations(language, text)
    for number, one in enumerate(found):
        assert one.start_line == one.name_line <= one.end_line <= len(rows)
        assert rows[one.name_line - 1].startswith(one.name, one.name_column)
        if one.parent != MODULE:
            assert one.parent < number
            assert found[one.parent].start_line < one.start_line
            assert one.end_line <= found[one.parent].end_line
    assert [one.start_line for one in found] == sorted({one.start_line for one in found})


def test_a_method_knows_the_class_around_it() -> None:
    a, run, inner = rough_declarations("python", "class A:\n  def run(self):\n    def inner(): 1\n")
    assert (run.kind, run.scope_kind, run.decl_context) == ("method", "class", "class A")
    assert (inner.kind, inner.scope_kind) == ("function", "function")
    assert inner.decl_context == "class A > method run"
    assert (a.signature, run.signature) == ("class A", "def run(self)")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "part", [" ", "(", "a ", "a<", "public ", "@a(", "\t\n", "impl<", "const a=(", "a*", "func ("]
)
def test_a_megabyte_of_anything_is_read_once(language: str, part: str) -> None:
    text = part * (1_000_000 // len(part))
    found = rough_declarations(
        language, f"{text}\nclass Last {{\ndef Last():\ntype Last [\nstruct Last {{\n"
    )
    assert "Last" in {one.name for one in found}
    assert all(len(one.signature) <= 300 and len(one.name) <= 300 for one in found)
