"""Opened files, hits, declarations and cuts count lines alike in every language."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import given, strategies as st

from code_graph import Languages
from code_graph.facts import Declaration, Facts
from index_format.analysis.content import lines
from repo_mcp.app import App
from repo_mcp.settings import Options
from repo_mcp.text.files import decode
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.trees import write

pytestmark = pytest.mark.differential


class Sample(NamedTuple):
    """A language's line comment, and the declaration to find."""

    path: str
    comment: str
    marker: str
    before: str = ""


SAMPLES: Final = {
    "asciidoc": Sample("a.adoc", "text {}", "= marker"),
    "c": Sample("a.c", "// {}", "int marker(void) {{ return 0; }}"),
    "cmake": Sample("a.cmake", "# {}", "project(marker)"),
    "cpp": Sample("a.cpp", "// {}", "int marker() {{ return 0; }}"),
    "csharp": Sample("a.cs", "// {}", "class marker {{ int x; }}"),
    "go": Sample("a.go", "// {}", "func marker() {{ }}", "package a"),
    "html": Sample("a.html", "<p>{}</p>", "<h1>marker</h1>"),
    "java": Sample("a.java", "// {}", "class marker {{ int x; }}"),
    "kconfig": Sample("a.kconfig", "# {}", "config marker"),
    "kotlin": Sample("a.kt", "// {}", "class marker {{ val x = 1 }}"),
    "javascript": Sample("a.js", "// {}", "function marker() {{ }}"),
    "markdown": Sample("a.md", "text {}", "# marker"),
    "php": Sample("a.php", "// {}", "function marker() {{ }}", "<?php"),
    "python": Sample("a.py", "# {}", "def marker(): pass"),
    "rst": Sample("a.rst", ".. {}", "marker"),
    "ruby": Sample("a.rb", "# {}", "def marker() = 1"),
    "rust": Sample("a.rs", "// {}", "fn marker() {{ }}"),
    "swift": Sample("a.swift", "// {}", "func marker() {{ }}"),
    "tsx": Sample("a.tsx", "// {}", "function marker() {{ }}"),
    "typescript": Sample("a.ts", "// {}", "function marker() {{ }}"),
    "dart": Sample("a.dart", "// {}", "void marker() {{ }}"),
    "docker": Sample("a.dockerfile", "# {}", "ARG marker=1"),
    "elixir": Sample("a.ex", "# {}", "def marker(), do: 1"),
    "prisma": Sample("a.prisma", "// {}", "model marker {{ }}"),
    "graphql": Sample("a.graphql", "# {}", "scalar marker"),
    "haskell": Sample("a.hs", "-- {}", "marker :: Int"),
    "julia": Sample("a.jl", "# {}", "marker() = 1"),
    "lua": Sample("a.lua", "-- {}", "function marker() end"),
    "make": Sample("a.mk", "# {}", "marker: b"),
    "objc": Sample("a.m", "// {}", "int marker(void) {{ }}"),
    "openapi": Sample("openapi.yaml", "# {}", "  marker:", "definitions:"),
    "perl": Sample("a.pl", "# {}", "sub marker {{ }}"),
    "protobuf": Sample("a.proto", "// {}", "message marker {{ }}"),
    "r": Sample("a.r", "# {}", "marker <- function() 1"),
    "scala": Sample("a.scala", "// {}", "def marker = 1"),
    "settings": Sample(".env.example", "# {}", "marker=1"),
    "shell": Sample("a.sh", "# {}", "marker() {{ :; }}"),
    "sql": Sample("a.sql", "-- {}", "create table marker (a int);"),
    "template": Sample("a.ejs", "{{# {} #}}", "{{% block marker %}}"),
    "terraform": Sample("a.tf", "# {}", 'variable "marker" {{ }}'),
    "workflow": Sample(".gitlab-ci.yml", "# {}", "marker:"),
    "vue": Sample("a.vue", "// {}", "function marker() {{ }}", "<script>"),
    "svelte": Sample("a.svelte", "// {}", "function marker() {{ }}", "<script>"),
    "astro": Sample("a.astro", "// {}", "function marker() {{ }}", "---"),
    "zig": Sample("a.zig", "// {}", "fn marker() void {{ }}"),
}
_WITH_BRACES: Final = [
    name
    for name, one in SAMPLES.items()
    if "{" in one.marker and "{{%" not in one.marker  # a mark of a template is no block
]
ODD: Final = {
    "form feed": "\x0c",
    "vertical tab": "\x0b",
    "lone CR": "\r",
    "NEL": "\x85",
    "line separator": "\u2028",
    "paragraph separator": "\u2029",
    "file separators": "\x1b",
    "tab": "\t",
    "wide": "\U0001f600",
    "BOM inside": "\ufeff",
}


def text_of(sample: Sample, odd: str, end: str) -> tuple[str, int]:
    """Odd characters inside comments, and after them the marker; its line, counted by feeds."""
    # what ends a comment for some languages begins another one here
    comment = sample.comment.format(f"odd {odd}{sample.comment.format('more')}")
    rows = [sample.before, "", comment, "", comment, comment, ""]
    marker = sample.marker.format()
    following = "======" if sample.path.endswith(".rst") else ""
    text = end.join([*rows, marker, following, "", comment, ""])
    (number,) = [at for at, row in enumerate(text.split("\n"), 1) if row.rstrip("\r") == marker]
    return text, number


def declared(facts: Facts) -> Declaration:
    (found,) = [item for item in facts.declarations if item.name.endswith("marker")]
    return found


def facts_of(path: str, text: str) -> Facts:
    adapter = Languages().adapter_for(path)
    assert adapter is not None
    return adapter.facts(path, text)


def test_every_language_has_a_sample() -> None:
    # a notebook is JSON: its lines are those that a test of its own has
    assert set(Languages().names()) == {*SAMPLES, "notebook"}
    assert all(Languages().language_of(item.path) == name for name, item in SAMPLES.items())


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("odd", [*ODD.values(), "".join(ODD.values())], ids=[*ODD, "all"])
@pytest.mark.parametrize("language", SAMPLES)
def test_a_declaration_has_the_right_line(language: str, odd: str, end: str) -> None:
    sample = SAMPLES[language]
    text, number = text_of(sample, odd, end)
    facts = facts_of(sample.path, text)
    found = declared(facts)
    assert (found.start_line, found.name_line) == (number, number)
    row = text.split("\n")[number - 1]
    assert row[found.name_column :].startswith("marker")
    count = len(lines(text))
    assert found.start_line <= found.end_line <= count
    assert all(1 <= line <= count for line in facts.cuts)


@pytest.mark.parametrize("language", SAMPLES)
def test_a_declaration_in_the_last_line_without_an_end(language: str) -> None:
    sample = SAMPLES[language]
    rows = [sample.before, "", sample.comment.format("x\r\x0c"), "", sample.marker.format()]
    if language == "rst":
        rows.append("======")
    found = declared(facts_of(sample.path, "\n".join(rows)))
    assert (found.start_line, found.end_line) == (5, len(rows))


@pytest.mark.parametrize(
    "language",
    [
        name
        for name, one in SAMPLES.items()
        if one.marker.rstrip().endswith("}}") and "{{%" not in one.marker
    ],
)
@pytest.mark.parametrize("odd", ["\r", "\x0c", "\u2028", "\x85", "\x0b"], ids=repr)
def test_lines_inside_a_declaration_are_counted(language: str, odd: str) -> None:
    """Its last line is right, whatever line ends the parser sees in its body."""
    sample = SAMPLES[language]
    head, _, tail = sample.marker.format().partition("{")
    inside = sample.comment.format(f"odd {odd}{sample.comment.format('more')}")
    text = "\n".join([sample.before, head + "{", inside, inside, tail, ""])
    found = declared(facts_of(sample.path, text))
    assert (found.start_line, found.end_line) == (2, 5)


PYTHON_ODD = st.sampled_from(["\n", "\r\n", "\r", "\x0c", "\u2028", "\x85", "# c", "x = 1", ""])


@given(st.lists(PYTHON_ODD, max_size=12).map("".join))
def test_python_after_anything(before: str) -> None:
    """Python's own lines end at lone carriage returns as well."""
    text = f"'''{before}'''\ndef marker(): pass\n"
    assert declared(facts_of("a.py", text)).start_line == text.count("\n", 0, text.index("def")) + 1


Call = Callable[..., dict[str, Any]]


def asked(root: Path, data: Path) -> Call:
    app = App(Options(str(root), str(data), watch=False), Clock())

    def call(name: str, **arguments: object) -> dict[str, Any]:
        envelope = app.call(name, arguments, lambda: False)["structuredContent"]
        assert envelope["ok"], envelope
        result: dict[str, Any] = envelope["result"]
        return result

    return call


ENCODINGS: Final = {
    "utf-8": "all",
    "utf-8-sig": "all",
    "utf-16": "all",
    "utf-16-be": "all",
    "latin-1": "some",
}


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_opened_files_hits_and_declarations_agree(tmp_path: Path, encoding: str, end: str) -> None:
    odd = "".join(ODD.values()) if ENCODINGS[encoding] == "all" else "\x0c\té\r"
    files: dict[str, str | bytes] = {}
    expected: dict[str, int] = {}
    for number, sample in enumerate(SAMPLES.values()):
        text, expected[sample.path] = text_of(sample, odd, end)
        text += end * number  # of equal files one would be shown
        mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
        files[sample.path] = mark + text.encode(encoding)
    call = asked(write(tmp_path / "root", files), tmp_path / "data")
    hits = call("repo.search", query="marker", top_k=50, max_chars=40000)["hits"]
    assert {hit["path"] for hit in hits} == set(expected)
    for hit in hits:
        number = expected[hit["path"]]
        shown = dict(row.split(": ", 1) for row in hit["snippet"].split("\n"))
        assert hit["start_line"] <= number <= hit["end_line"]
        assert "marker" in shown[str(number)]
        opened = call("repo.open_file", path=hit["path"], start_line=number, end_line=number)
        shown_number, _, row = opened["text"].partition(": ")
        assert (int(shown_number), opened["start_line"], opened["end_line"]) == (number,) * 3
        assert row == shown[shown_number]
        data = files[hit["path"]]
        assert isinstance(data, bytes)
        content = decode(data)
        assert content is not None
        found = declared(facts_of(hit["path"], content.content))
        assert found.start_line == number
        assert row[found.name_column :].startswith("marker")


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_an_opened_file_has_as_many_lines_as_line_feeds(tmp_path: Path, odd: str) -> None:
    text = f"one{odd}\r\ntwo\n{odd}three"
    call = asked(write(tmp_path / "root", {"a.txt": text}), tmp_path / "data")
    opened = call("repo.open_file", path="a.txt")
    assert opened["total_lines"] == 3
    assert opened["text"] == f"1: one{odd}\n2: two\n3: {odd}three"
