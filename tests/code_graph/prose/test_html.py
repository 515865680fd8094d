"""Headings of HTML: names as a browser shows them, places as they are written."""

from __future__ import annotations

import pytest

from code_graph.facts import MODULE, Declaration
from code_graph.prose.adapter import adapter

PAGE = """<!doctype html>
<html><head><title>Handbook</title>
<style>h1 { color: red } /* <h1>no</h1> */</style>
<script>document.write("<h2>no</h2>")</script></head>
<body>
<!-- <h2>no</h2> -->
<h1 id="top">Returns &amp;
  <em>pallets</em><a class="headerlink" href="#top">\u00b6</a></h1>
<div><p>Who <b>approves</b> them,
and why.</p></div>
<H2>Cranes</H2><p>Stops.</p><p>Starts.</p>
<h2><img src="x.png"></h2>
<h3>C#</h3>
<h2>Lifts
<p>Left open.
<h4>Deep</h4>
</body></html>
"""


def outline(text: str) -> list[Declaration]:
    return [*adapter("html").outline("a.html", text)]


def test_headings_nest_by_their_levels() -> None:
    found = outline(PAGE)
    assert [(one.name, one.start_line, one.end_line) for one in found] == [
        ("Returns & pallets", 7, 17),
        ("Cranes", 11, 13),
        ("C#", 13, 13),
        ("Lifts", 14, 17),
        ("Deep", 16, 17),
    ]
    parents = [MODULE if one.parent == MODULE else found[one.parent].name for one in found]
    assert parents == [MODULE, "Returns & pallets", "Cranes", "Returns & pallets", "Lifts"]


def test_a_heading_has_the_place_of_its_text_and_its_first_paragraph() -> None:
    found = outline(PAGE)
    lines = PAGE.split("\n")
    for one in found:
        assert lines[one.name_line - 1][one.name_column :].startswith(one.name.split()[0])
    assert [one.doc for one in found] == [
        "Who approves them, and why.",
        "Stops.",
        "",
        "Left open.",
        "",
    ]
    assert found[1].signature == "<h2> Cranes"


def test_several_headings_may_share_a_line() -> None:
    found = outline("<h1>A</h1><p>one</p><h2>B</h2><p>two</p><h1>C</h1>")
    assert [(one.name, one.parent, one.doc) for one in found] == [
        ("A", MODULE, "one"),
        ("B", 0, "two"),
        ("C", MODULE, ""),
    ]
    assert adapter("html").facts("a.html", "<h1>A</h1><h2>B</h2>").cuts == (1,)


def test_text_of_a_template_is_a_name_as_it_is_written() -> None:
    assert [one.name for one in outline("<h1>{{ page.title }}</h1>")] == ["{{ page.title }}"]


@pytest.mark.parametrize(
    "part",
    ["<h1>", "<h1", "<!--", "<script>", "<h1>a", "<h1><!--", "<h1>a</h1><p>b", "</h1>", "<", "<p>"],
)
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_megabyte_of_tags_takes_no_longer_than_other_text(part: str, end: str) -> None:
    text = f"<h1>Begin</h1>{(part + end) * (1_000_000 // len(part + end))}"
    found = outline(text)
    assert found[0].name == "Begin"
    assert all(len(one.name) <= 300 and len(one.doc) <= 2000 for one in found)
