"""Lines of answers: as values, as text, and cut into pieces without loss."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, strategies as st

from repo_mcp.answers.lines import AnswerLine, NumberedLines
from repo_mcp.budget import Budget
from repo_mcp.text.cutting import read_numbered
from repo_mcp.web.highlight import highlight
from repo_mcp.web.lines import NumberedLine, dress, no_marks, page_lines

ROW = st.text(st.characters(exclude_characters="\n"), max_size=30)
SPANS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=5)
PATH = st.sampled_from(["a.py", "a.c", "a.html", "a.md", "a.yaml", "a.unknown", "Makefile"])


@given(st.lists(st.tuples(ROW, st.booleans()), min_size=1, max_size=8), st.integers(1, 10**6))
def test_numbered_lines_are_read_as_they_were_written(
    rows: list[tuple[str, bool]], first: int
) -> None:
    lines = NumberedLines(
        AnswerLine(number, text, around, None if number > first else "Box.open")
        for number, (text, around) in enumerate(rows, first)
    )
    expected = [(number, *row) for number, row in enumerate(rows, first)]
    assert list(read_numbered(str(lines))) == expected
    found = list(page_lines(lines))
    assert [(line.number, line.text, line.around) for line in found] == expected
    assert [line.heading for line in found] == ["Box.open", *[""] * (len(rows) - 1)]
    assert not any(line.apart for line in found[1:])


@given(st.lists(ROW, max_size=6), PATH, SPANS)
def test_pieces_join_to_the_line(rows: list[str], path: str, spans: list[tuple[int, int]]) -> None:
    lines = [NumberedLine(number, text) for number, text in enumerate(rows, 1)]
    inside = [(start, end) for start, end in spans if start <= end]
    dressed = dress(lines, path, lambda row: [s for s in inside if s[1] <= len(row)], Budget())
    for line in dressed:
        assert "".join(piece.text for piece in line.pieces) == line.text
        marked = {at for start, end in inside if end <= len(line.text) for at in range(start, end)}
        at = 0
        for piece in line.pieces:
            columns = set(range(at, at + len(piece.text)))
            assert not columns & marked or piece.marked or not _disjoint(inside)
            at += len(piece.text)


def _disjoint(spans: list[tuple[int, int]]) -> bool:
    ordered = sorted(spans)
    return all(one[1] <= two[0] for one, two in pairwise(ordered))


def test_a_line_between_matches_is_not_marked() -> None:
    lines = [NumberedLine(1, "needle", around=True), NumberedLine(2, "needle")]
    dressed = dress(lines, "a.txt", lambda _: [(0, 6)], Budget())
    assert [[piece.marked for piece in line.pieces] for line in dressed] == [[False], [True]]


def test_known_languages_are_coloured() -> None:
    (spans,) = highlight(["def f(): return 'x'  # y"], "a.py", Budget())
    assert [span.style for span in spans] == ["tk", "tf", "tk", "ts", "ts", "ts", "tc"]


def test_text_of_no_known_language_stays_plain() -> None:
    assert highlight(["def f(): pass"], "a.unknown", Budget()) == [[]]


def test_long_lines_stay_plain_among_others() -> None:
    found = highlight(["def f(): pass", f"x = '{'x' * 400}'", "def g(): pass"], "a.py", Budget())
    assert [bool(spans) for spans in found] == [True, False, True]


def test_all_parts_of_a_long_text_are_coloured_alike() -> None:
    found = highlight(["def f(): pass"] * 10_000, "a.py", Budget())
    assert found == [found[0]] * 10_000


def test_the_lines_that_are_looked_at_are_coloured_first() -> None:
    ticks = iter(range(10**6))
    rows = ["def f(): pass"] * 20_000
    budget = Budget(250.0, clock=lambda: next(ticks) / 100)
    found = highlight(rows, "a.py", budget, near=15_000)
    assert found[15_000]
    assert found[0] == found[-1] == []


def test_what_takes_too_long_stays_plain() -> None:
    ticks = iter(range(10**6))
    rows = ["def f(): pass"] * 100
    found = highlight(rows, "a.py", Budget(0.2, clock=lambda: next(ticks) / 100))
    assert found[0]
    assert found[-1] == []


def test_nothing_is_marked_by_default() -> None:
    assert list(no_marks("needle")) == []
