"""The lines of a hit that are shown: signature, lines around the best ones, marks between."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from index_format.records import replace
from repo_mcp.answers.lines import NumberedLines
from repo_mcp.model import SearchAnswer, SearchHit
from repo_mcp.search import shown_lines
from repo_mcp.search.passage.showing import FEWER_LINES, FIRST_HITS, MOST_LINES, is_import_block
from repo_mcp.search.ranked.engine import RankedEngine
from tests.repo_mcp.trees import FOREVER, Services, served, write

LATER = FIRST_HITS


def shown_text(found: SearchHit, rank: int) -> str:
    return str(NumberedLines(shown_lines(found, rank)))


def hit(rows: list[str], *terms: str, start: int = 1) -> SearchHit:
    end = start + len(rows) - 1
    return SearchHit("a.py", start, end, 1.0, terms, "\n".join(rows), stale=False)


BODY = [
    "def fetch(url):",
    '    """Fetches from a cache.',
    "",
    "    A cache may be a cache of a cache; the cache is old.",
    '    """',
    "    first = 1",
    "    second = 2",
    "    third = 3",
    "    found = cache[url]",
    "    fourth = 4",
    "    fifth = 5",
]


def test_missing_lines_are_marked() -> None:
    assert shown_text(hit(BODY, "found", "cache"), LATER).split("\n") == [
        *("1: def fetch(url):", "…", "8:     third = 3", "9:     found = cache[url]"),
        *("10:     fourth = 4", "…"),
    ]


def test_documentation_does_not_crowd_out_the_line_that_decides() -> None:
    shown = shown_lines(hit(BODY, "cache"), LATER)
    assert 9 in [line.number for line in shown]


def test_a_signature_before_the_passage_is_shown_with_a_mark_between() -> None:
    found = replace(
        hit(["    found = cache[url]"], "cache", start=40),
        first_line=10,
        last_line=60,
        signature="def fetch(url):",
    )
    assert shown_text(found, 0) == "10: def fetch(url):\n…\n40:     found = cache[url]\n…"
    assert found.whole == (10, 60)


def test_a_short_hit_is_shown_whole_and_without_marks() -> None:
    assert shown_text(hit(BODY[5:8]), 0) == "1:     first = 1\n2:     second = 2\n3:     third = 3"


def test_blank_lines_are_not_shown_as_missing() -> None:
    rows = ["one = 1", "", "two = cache", "", "three = 3", "four = 4"]
    assert "…" not in shown_text(hit(rows, "cache"), LATER)


ROWS = st.lists(st.sampled_from(["", "cache", "x = 1", "import cache", "}", "# cache"]), min_size=1)


@given(ROWS, st.integers(0, LATER + 1), st.integers(1, 50))
def test_shown_lines_are_lines_of_the_hit_and_exactly_its_gaps_are_marked(
    rows: list[str], rank: int, start: int
) -> None:
    found = hit(rows, "cache", start=start)
    shown = shown_lines(found, rank)
    most = MOST_LINES if rank < FIRST_HITS else FEWER_LINES
    assert 0 < len(shown) <= most
    numbers = [line.number for line in shown]
    assert numbers == sorted(set(numbers))
    assert all(line.text == rows[line.number - start] for line in shown)
    before = start
    for line in shown:
        between = rows[before - start : line.number - start]
        assert line.after_gap == any(row.strip() for row in between)
        before = line.number + 1
    assert shown[-1].before_gap == any(row.strip() for row in rows[before - start :])


@pytest.mark.parametrize(
    "text",
    [
        "import os\nimport sys",
        "from a import (\n    b,\n    c as d,\n)",
        "import { a, b } from 'c'\n\n// and\nimport d from \"e\"",
        "const a = require('a')",
        "#include <a.h>\n#include <b.h>",
        "use std::fmt;\nuse a::{\n    b,\n    c,\n};",
        "export { a } from './a'",
        "using System.Linq;",
    ],
)
def test_lines_that_import_are_an_import_block(text: str) -> None:
    assert is_import_block(text)


@pytest.mark.parametrize(
    "text",
    ["import os\nx = 1", "imported = 1", "usable = use_it()", "# import", "", "export const a = 1"],
)
def test_other_lines_are_no_import_block(text: str) -> None:
    assert not is_import_block(text)


TREE: dict[str, str | bytes] = {
    "app/user.py": "import retry\nimport backoff\nfrom retry import backoff, policy\n\n\n"
    + "def unrelated(value):\n    return value\n" * 3,
    "app/work.py": "import os\nfrom retry import backoff\n\n\ndef again(value):\n"
    + "    value += 1\n" * 60
    + "    retry(backoff, policy)\n",
    "app/only.py": "import soloist\n",
}


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Services:
    folder: Path = tmp_path_factory.mktemp("shown")
    found = served(write(folder / "root", TREE), folder / "data")
    found.manager.refresh(FOREVER, force=False)
    return found


def ask(services: Services, query: str) -> SearchAnswer:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    engine = RankedEngine(services.sandbox, services.languages)
    return engine.search(snapshot, query, 10, None, FOREVER)


def test_passages_that_only_import_come_after_those_that_do_something(services: Services) -> None:
    hits = ask(services, "retry backoff policy").hits
    assert hits[0].path == "app/work.py"
    assert [is_import_block(hit.snippet) for hit in hits] == [False, True, True]


def test_imports_are_hits_where_the_query_imports(services: Services) -> None:
    assert ask(services, "from retry import backoff policy").hits[0].path == "app/user.py"


def test_imports_are_hits_where_nothing_else_matches(services: Services) -> None:
    assert [hit.path for hit in ask(services, "soloist").hits] == ["app/only.py"]


def test_a_part_of_a_declaration_has_its_lines_and_signature(services: Services) -> None:
    (found,) = [hit for hit in ask(services, "retry backoff policy").hits if hit.symbol]
    assert found.whole == (5, 66)
    assert found.signature == "def again(value):"
    assert shown_text(found, 0).startswith("5: def again(value):\n…\n")


def test_of_a_very_long_declaration_the_lines_of_the_passage_are_named() -> None:
    part = hit(BODY, "cache", start=20)
    found = replace(part, first_line=3, last_line=90, signature="class Long:")
    assert found.shown == found.whole == (3, 90)
    assert shown_lines(found, LATER)[0].text == "class Long:"
    long = replace(found, last_line=6_000)
    assert long.shown == (long.start_line, long.end_line)
    assert "class Long:" not in [line.text for line in shown_lines(long, LATER)]
    assert all(long.start_line <= line.number <= long.end_line for line in shown_lines(long, LATER))
