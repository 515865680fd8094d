"""Hostile texts take bounded work, affect only their own file's facts, and never raise."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from code_graph.facts import FULL, PARTIAL, SKIPPED, STOPPED
from code_graph.languages.c import outline as c
from code_graph.treesitter import parse as treesitter_parse
from code_graph.treesitter.adapter import adapter
from code_graph.treesitter.grammar import grammar_of
from code_graph.treesitter.parse import parse
from tests.code_graph.fact_checks import check, knot
from tests.code_graph.golden_facts import SOURCES

pytestmark = pytest.mark.differential

LANGUAGES = tuple(SOURCES)
MEANINGLESS = {
    "parentheses": "(" * 3_000,
    "lines of parentheses": "".join(f"f{number}(\n" for number in range(20_000)),
    "a line of a million": "a" * 1_000_000,
    "nul": "int a;\x00int b;\n" * 50,
    "only nul": "\x00" * 500,
    "lone carriage returns": "int a;\rint b;\r" * 50,
    "form feeds": "\fint a;\f\f",
    "byte order mark": "\ufeffint a;\n",
    "lone surrogates": "int \ud800a;\udfff\n",
    "paragraph separators": "int\u2028a;\u2029\x85",
    "nothing": "",
    "a blank": " ",
    "an open string": 'x = "',
    "an open comment": "/* ",
}


def reports(language: str, text: str) -> int:
    """The number of progress reports of the parser: its work, on any machine."""
    from tree_sitter import Parser  # noqa: PLC0415 as in the program

    grammar = grammar_of(adapter_rules(language))
    assert grammar is not None
    asked = 0

    def ask(_offset: int, _has_error: bool) -> bool:  # noqa: FBT001 the parser's call
        nonlocal asked
        asked += 1
        return asked > 10_000_000

    data = memoryview(text.encode())
    Parser(grammar.language).parse(lambda offset, _point: data[offset:], progress_callback=ask)
    return asked


def adapter_rules(language: str):  # type: ignore[no-untyped-def]  # noqa: ANN201 rules are private
    return adapter(language)._rules


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("text", MEANINGLESS.values(), ids=MEANINGLESS)
def test_hostile_texts_give_valid_facts(language: str, text: str) -> None:
    check(adapter(language).facts("x", text), text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [10_000, 100_000, 1_000_000])
def test_a_statement_with_many_open_angles_is_not_parsed(
    language: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> Callable[[int, bool], bool]:
        raise AssertionError

    monkeypatch.setattr(treesitter_parse, "_stop_check", never)
    knot = "".join(f"a{number}<\n" for number in range(size // 7))
    facts = adapter(language).facts("x", knot)
    assert facts.status == STOPPED
    assert adapter(language).outline("x", knot) == ()


@pytest.mark.parametrize("language", ["csharp", "javascript", "swift", "tsx", "typescript"])
@pytest.mark.parametrize("size", [1_000, 10_000, 100_000, 1_000_000])
def test_declarations_before_many_open_angles_are_found_unless_parsing_is_stopped(
    language: str, size: int
) -> None:
    facts = adapter(language).facts("x", f"class Before {{}}\n{knot(size)}")
    assert facts.status in {STOPPED, PARTIAL}
    found = [item.name for item in facts.declarations[:1]]
    assert found == ([] if facts.status == STOPPED else ["Before"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_random_bytes_take_bounded_work(language: str) -> None:
    text = random.Random(7).randbytes(100_000).decode("latin-1")
    facts = adapter(language).facts("x", text)
    check(facts, text)
    assert facts.status in {PARTIAL, STOPPED, SKIPPED}


def test_parsing_over_budget_is_stopped_after_the_same_work() -> None:
    text = "->-" * 2_000
    language = "java"
    grammar = grammar_of(adapter_rules(language))
    assert grammar is not None
    limit = treesitter_parse._MIN_REPORTS
    assert reports(language, text) > limit
    asked = [0]
    original = treesitter_parse._stop_check

    def counting(size: int) -> Callable[[int, bool], bool]:
        fuse = original(size)

        def ask(offset: int, has_error: bool) -> bool:  # noqa: FBT001 the parser's call
            asked[0] += 1
            return fuse(offset, has_error)

        return ask

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(treesitter_parse, "_stop_check", counting)
        assert parse(grammar.language, text, text.encode()) is None
        assert asked[0] == limit


def test_a_long_line_of_macros_among_short_ones_costs_no_more_than_its_length() -> None:
    rows = "int a;\n" + "".join(f"int a{number};\n" for number in range(2_000))
    text = rows + "__init " * 100_000 + "X_API x " * 20_000 + "for_each(a) {" * 20_000
    prepared = c.prepare(text)
    assert len(prepared) == len(text)
    assert "__init" not in prepared


def test_time_is_the_last_resort(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"int a{number} = {number};\n" for number in range(5_000))
    assert adapter("c").facts("x.c", text).status == FULL
    monkeypatch.setattr(treesitter_parse, "_MEASURE_SECONDS", 0.0)
    monkeypatch.setattr(treesitter_parse, "_SECONDS", -10.0)
    assert adapter("c").facts("x.c", text).status == STOPPED


def test_memory_is_the_last_resort_and_not_granted_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"int a{number} = {number};\n" for number in range(5_000))
    most = treesitter_parse._MAX_MEMORY
    # the peak is 0, then what the parser takes, which remains the peak
    peaks = iter([0, most + 5])
    peak = 0

    def rising() -> int:
        nonlocal peak
        peak = next(peaks, peak)
        return peak

    memory = treesitter_parse._Memory
    monkeypatch.setattr(treesitter_parse, "_MEASURE_SECONDS", 0.0)
    monkeypatch.setattr(treesitter_parse, "_peak", rising)
    monkeypatch.setattr(memory, "_wasted", 0)
    monkeypatch.setattr(memory, "_measured_at", -1.0)
    assert adapter("c").facts("x.c", text).status == STOPPED
    assert memory.ceiling(memory._measured_at) == most + 5
    assert adapter("c").facts("x.c", text).status == FULL
    peaks = iter([most + 5, most + 6])
    assert adapter("c").facts("x.c", text).status == STOPPED
    assert memory.ceiling(memory._measured_at) == most + 6


@pytest.mark.parametrize("language", LANGUAGES)
def test_ordinary_text_is_far_from_the_limit(language: str) -> None:
    from tests.code_graph.golden_facts import GOLDEN  # noqa: PLC0415 one use

    text = (GOLDEN / SOURCES[language]).read_text("utf-8")
    allowed = treesitter_parse._REPORTS_PER_THOUSAND * len(text) / 1000
    assert reports(language, text) < allowed / 2


def test_a_megabyte_of_ordinary_text_is_parsed() -> None:
    text = "package p\n" + "".join(
        f"func f{number}(a, b int) int {{ return g{number}(a) + {number} }}\n"
        for number in range(20_000)
    )
    facts = adapter("go").facts("x.go", text)
    assert facts.status == FULL
    assert len(facts.declarations) == 20_001


@pytest.mark.requirement("INT-10.3-unparseable")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "text",
    ["int a;\n" * 700_000, "int a; " * 1_000, "int a;\n" * 1_000],
    ids=["too large", "one line", "all lines alike"],
)
def test_generated_text_has_no_outline(language: str, text: str) -> None:
    assert adapter(language).facts("x", text).status == SKIPPED
    assert adapter(language).outline("x", text) == ()


def test_a_long_chain_is_read_whole() -> None:
    chain = "package p\nvar x = a" + "".join(f".\nb{number}()" for number in range(5_000))
    facts = adapter("go").facts("x.go", chain)
    assert facts.status == FULL


@given(text=st.text(alphabet="ab {}()<>[];:,.=*&#\"'/\\\n\r\t@é漢\ud800", max_size=300))
@pytest.mark.parametrize("language", LANGUAGES)
def test_any_text_gives_valid_facts(language: str, text: str) -> None:
    facts = adapter(language).facts("x", text)
    check(facts, text)
    assert facts == adapter(language).facts("x", text)
