"""Prose: sections nest by the levels of their headings, and nothing else is a heading."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from code_graph.adapter import Adapter
from code_graph.facts import FULL, MODULE
from code_graph.prose.adapter import adapter

LANGUAGES = ["asciidoc", "html", "markdown", "rst"]
ROWS = st.sampled_from(
    """
# A;## B ##;### `c`;Title;=====;-----;~~~~~;```;````py;~~~;> quote;> # q;- item;  more;    code;|;
<!-- c;-->;<div>; ;\t;1. one;   ```;[x]: /u;.. note::;.. function:: f(a);   .. method:: m();.. c;
.. class:: a.;;text::;\xa0;é: ü;=;..;* * *;---;<h1>A</h1>;<h2 class="x">;b</h2>;<h3>c;<script>;
</script>;<p>d</p>;<h1>e</h1><h2>f</h2>""".replace("\n", "").split(";")
)
TEXT = st.lists(ROWS | st.text(max_size=8), max_size=30).map("\n".join)


@pytest.mark.parametrize(
    ("language", "path", "is_supported"),
    [
        ("markdown", "docs/README.MD", True),
        ("markdown", "a.mdx", True),
        ("markdown", "md", False),
        ("asciidoc", "docs/index.adoc", True),
        ("html", "docs/index.HTML", True),
        ("html", "docs/index.htm", True),
        ("notebook", "docs/a.ipynb", True),
        ("rst", "docs/index.rst", True),
        ("rst", "docs/index.md", False),
    ],
)
@pytest.mark.requirement("INT-10.1-adapters")
def test_the_extension_decides_the_markup(language: str, path: str, *, is_supported: bool) -> None:
    assert isinstance(adapter(language), Adapter)
    assert adapter(language).supports_path(path) == is_supported


@pytest.mark.requirement("INT-10.1-adapters")
def test_quoted_texts_of_a_prompt_are_hints() -> None:
    hints = adapter("markdown").symbol_hints('see `pip install` and "From source", `pip install`')
    assert list(hints) == ["pip install", "From source"]


@pytest.mark.parametrize("language", LANGUAGES)
@given(text=TEXT)
def test_any_text_gives_sections_that_nest(language: str, text: str) -> None:
    facts = adapter(language).facts("x", text)
    rows = text.split("\n")
    found = facts.declarations
    assert facts.status == FULL
    assert list(facts.cuts) == [*dict.fromkeys(one.start_line for one in found)]
    assert sorted(set(facts.cuts)) == list(facts.cuts)
    for number, one in enumerate(found):
        assert one.start_line <= one.name_line <= len(rows)
        assert one.start_line <= one.end_line <= len(rows)
        assert one.name
        assert 0 <= one.name_column < len(rows[one.name_line - 1])
        if one.parent != MODULE:
            holder = found[one.parent]
            assert one.parent < number
            # a line of HTML may have several
            assert holder.start_line + (language != "html") <= one.start_line
            assert one.end_line <= holder.end_line


@pytest.mark.parametrize("language", LANGUAGES)
@given(text=TEXT)
def test_line_ends_make_no_difference(language: str, text: str) -> None:
    text = text.replace("\r", "")
    assert adapter(language).facts("x", text) == adapter(language).facts(
        "x", text.replace("\n", "\r\n")
    )


@given(marks=st.sampled_from(["```", "~~~~", "`````"]), inner=TEXT)
def test_text_in_code_is_no_heading(marks: str, inner: str) -> None:
    code = [f"x{row}" if row.strip().startswith(marks) else row for row in inner.split("\n")]
    text = "\n".join(["# A", "", marks, *code, marks, "", "# B"])
    assert [one.name for one in adapter("markdown").outline("x", text)] == ["A", "B"]


@pytest.mark.parametrize("language", ["asciidoc", "markdown", "rst"])
@pytest.mark.parametrize(
    "part", ["#", "[", "*", "x`", "# ", "- ", "> ", "[a](", "`a <", "==\n", ":a:`"]
)
def test_a_megabyte_of_marks_takes_no_longer_than_other_text(language: str, part: str) -> None:
    text = part * (1_000_000 // len(part))
    facts = adapter(language).facts("x", f"{text}\n\n# End\n\nEnd\n===\n")
    assert all(len(one.name) <= 300 and len(one.signature) <= 300 for one in facts.declarations)
    assert facts.declarations[-1].name == "End"


@pytest.mark.parametrize("signature", ["g.", "g::", "g.\u2028", "a.~", "g.("])
def test_a_directive_describes_nothing_whose_name_ends_in_a_separator(signature: str) -> None:
    assert adapter("rst").outline("x", f".. cpp:class:: {signature}") == ()
