"""The lines of a declaration that are shown."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, strategies as st

from repo_mcp.bundle.choose.shown_lines import tidy_lines
from tests.repo_mcp.bundle.bundling import made, of, shown


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
