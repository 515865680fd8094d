"""A cursor is taken back for the arguments and the kind of place that it was made for."""

from __future__ import annotations

import pytest

from repo_mcp.errors import Problem
from repo_mcp.toolsets.kit.cursors import decode_cursor, encode_cursor

QUESTION = ["bm25", "needle", None]


def test_a_place_comes_back_as_it_was() -> None:
    cursor = encode_cursor(QUESTION, 3, ["pkg/ä.py", 7])
    assert decode_cursor(f" {cursor}\n", QUESTION, str, int) == (3, ["pkg/ä.py", 7])


@pytest.mark.parametrize(
    ("generation", "place"),
    [
        (3, []),
        (3, ["a.py"]),
        (3, ["a.py", 7, 8]),
        (3, [7, "a.py"]),
        (3, ["a.py", "7"]),
        (3, ["a.py", 7.0]),
        # a bool is an int
        (3, ["a.py", True]),
        (3, [None, 7]),
        (3, [["a.py"], 7]),
        (True, ["a.py", 7]),
    ],
)
def test_a_place_of_another_kind_is_refused(generation: int, place: list[object]) -> None:
    with pytest.raises(Problem, match="not issued by this server"):
        decode_cursor(encode_cursor(QUESTION, generation, place), QUESTION, str, int)


def test_other_arguments_are_refused() -> None:
    cursor = encode_cursor(QUESTION, 3, ["a.py", 7])
    with pytest.raises(Problem, match="belongs to other arguments"):
        decode_cursor(cursor, [*QUESTION, 1], str, int)
