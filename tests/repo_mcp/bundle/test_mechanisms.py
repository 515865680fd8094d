"""Ways from the words of a prompt to code with other words: constants, fields, synonyms, names."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.bundle.choose.shown_lines import tidy_lines
from repo_mcp.bundle.find.paths import files_named_after
from repo_mcp.bundle.prompt.word_forms import add_synonyms
from repo_mcp.languages.registry import Languages
from repo_mcp.search.ranked.term_matcher import TermMatcher
from tests.repo_mcp.bundle.bundling import made, of, shown

VALVES = """#include "valves.h"

#define MOST_TURNS 7
#define UNUSED_TURNS 9

static int limit = MOST_TURNS;

int close_valve(struct valve *v)
{
\tif (v->turns_closed_max > limit)
\t\treturn -1;
\treturn turn_once(v);
}
"""
HEADER = """struct valve {
\tint angle;
\tint colour;
\tint turns_closed_max;
\tint owner;
\tint weight;
};
"""


def test_constants_that_shown_lines_use_come_along_and_no_others(tmp_path: Path) -> None:
    text = shown(made(tmp_path, {"valves.c": VALVES}).ask("why does `close_valve` fail"))[
        "valves.c"
    ]
    assert "static int limit" in text
    assert "UNUSED_TURNS" not in text


def test_a_field_that_shown_lines_use_is_declared(tmp_path: Path) -> None:
    shop = made(tmp_path, {"src/valves.c": VALVES, "include/pipes.h": HEADER})
    found = shop.ask("`close_valve`: max of closed turns", max_total_lines=60)
    assert "int turns_closed_max;" in shown(found)["include/pipes.h"]
    reasons = [item.rationale for item in found.excerpts if item.path == "include/pipes.h"]
    assert any("turns_closed_max" in reason for reason in reasons)


def test_a_method_is_shown_with_the_line_that_names_its_class(tmp_path: Path) -> None:
    steps = "".join(f"    def step_{at}(self):\n        return {at}\n\n" for at in range(40))
    tree: dict[str, str | bytes] = {
        "a.py": f"class Pump:\n{steps}    def drain(self):\n        return 0\n"
    }
    item = of(made(tmp_path, tree).ask("`Pump.drain`"), "Pump.drain")
    assert item.lines[0].text == "class Pump:"


def test_a_licence_is_no_answer(tmp_path: Path) -> None:
    head = "# Copyright the turbine authors\n# licence: turbine\n\nimport os\n\n"
    tree: dict[str, str | bytes] = {"a.py": head + "def start_turbine():\n    return os.name\n"}
    text = shown(made(tmp_path, tree).ask("how does the turbine start"))["a.py"]
    assert "start_turbine" in text
    assert "Copyright" not in text


def test_other_words_of_the_same_meaning_are_looked_for_and_count_less() -> None:
    weights = add_synonyms(TermMatcher({"remove": 4.0, "pump": 3.0})).weights
    assert 0 < weights["delete"] < weights["remove"] == 4.0
    assert weights["pump"] == 3.0


@given(st.dictionaries(st.text(max_size=12), st.floats(0.1, 50), max_size=8))
def test_synonyms_do_not_lower_the_weight_of_words(weights: dict[str, float]) -> None:
    assert add_synonyms(TermMatcher(weights)).weights.items() >= weights.items()


@pytest.mark.parametrize(
    ("prompt", "named"),
    [
        ("load average too high", {"loadavg": ["kernel/loadavg.c"]}),
        ("pump control", {"pump_control": ["src/pump_control.c", "src/pump_control.h"]}),
        ("pump", {"pump": ["lib/pump/__init__.py"]}),
        ("high", {}),
    ],
)
def test_files_are_known_by_words_that_make_up_their_names(
    prompt: str, named: dict[str, list[str]], tmp_path: Path
) -> None:
    paths = ("kernel/loadavg.c", "src/pump_control.c", "src/pump_control.h", "tests/pump_test.c")
    tree: dict[str, str | bytes] = dict.fromkeys(paths, "int nothing;\n")
    tree["lib/pump/__init__.py"] = "NOTHING = 1\n"
    words = prompt.split()
    found = files_named_after(
        made(tmp_path, tree).snapshot, Languages(), words, dict.fromkeys(words, 1.0)
    )
    assert found == named


COMMENTED = ["int f()", "{", "\t/*", "\t * one", "\t * two", "\t */", "\tg();", "", "\th();", "}"]


def test_a_stretch_does_not_begin_in_the_middle_of_a_comment() -> None:
    assert tidy_lines(COMMENTED, 11, [15, 16, 17], 9) == [13, 14, 15, 16, 17]


def test_a_piece_of_a_comment_that_finds_no_room_is_left_out() -> None:
    assert tidy_lines(COMMENTED, 11, [11, 12, 14], 3) == [11, 12]


@given(st.sets(st.integers(11, 20), min_size=1), st.integers(0, 10))
def test_no_stretch_ends_blank_and_no_limit_is_exceeded(lines: set[int], more: int) -> None:
    limit = len(lines) + more
    found = tidy_lines(COMMENTED, 11, sorted(lines), limit)
    assert found
    assert len(found) <= limit
    assert set(found) <= set(range(11, 21))
