"""Boxes of pictures: few, with tests in one of them; and matrices of what would be too many."""

from __future__ import annotations

from hypothesis import given, strategies as st

from repo_mcp.web.grouping import (
    MOST_BOXES,
    BoxGroup,
    Neighbour,
    gather,
    share_room,
    without_tests,
)
from repo_mcp.web.matrix import uses_matrix

COUNTS = st.integers(0, 60)
PATHS = st.sampled_from(["", "a.py", "src/a.py", "src/b/c.py", "lib/d/e/f.py", "tests/test_a.py"])


def neighbour(number: int, path: str, holder: str = "") -> Neighbour:
    return Neighbour(str(number), f"name{number}", path, holder)


def labels(groups: list[BoxGroup]) -> list[str]:
    return [group.label or group.members[0].name for group in groups]


@given(COUNTS, COUNTS)
def test_both_sides_have_room_and_one_has_what_the_other_leaves(left: int, right: int) -> None:
    first, second = share_room(left, right)
    assert first <= left
    assert second <= right
    assert first + second == min(left + right, MOST_BOXES - 1)
    assert min(first, second) >= min(left, right, 5)


@given(st.lists(st.tuples(PATHS, st.sampled_from(["", "A", "B", "C"])), max_size=40), st.booleans())
def test_each_neighbour_is_in_one_box_and_there_are_no_more_than_fit(
    places: list[tuple[str, str]],
    in_tests: bool,  # noqa: FBT001 Hypothesis gives it
) -> None:
    neighbours = [neighbour(at, path, holder) for at, (path, holder) in enumerate(places)]
    groups = gather(neighbours, 5, in_tests=in_tests)
    assert len(groups) <= 5
    assert sorted(item.key for group in groups for item in group.members) == sorted(
        item.key for item in neighbours
    )
    assert all(group.label for group in groups if len(group.members) > 1)
    if len(without_tests(neighbours, in_tests=in_tests)) <= 5:
        assert {len(group.members) for group in groups if group.label} <= {
            sum(path.startswith("tests/") for path, _ in places)
        }


def test_thirteen_tests_are_one_box_beside_the_code() -> None:
    tests = [neighbour(at, f"tests/test_{at}.py") for at in range(13)]
    groups = gather([*tests, neighbour(99, "src/a.py")], 11, in_tests=False)
    assert labels(groups) == ["name99", "13 tests"]
    assert groups[1].title.startswith("name0, name1, ")
    assert len(gather(tests[:3], 11, in_tests=True)) == 3


def test_what_does_not_fit_is_grouped_by_class_then_by_folder_then_counted() -> None:
    of_class = [neighbour(at, "src/a.py", "A") for at in range(4)]
    apart = [neighbour(9, "src/z.py", "Z")]
    assert labels(gather([*of_class, *apart], 3, in_tests=False)) == ["A (4)", "name9"]
    deep = [neighbour(at, f"src/{at % 2}/{at}/a.py", f"H{at}") for at in range(12)]
    assert labels(gather(deep, 3, in_tests=False)) == ["src/0 (6)", "src/1 (6)"]
    wide = [neighbour(at, f"{at}/a.py", f"H{at}") for at in range(12)]
    assert labels(gather(wide, 3, in_tests=False)) == ["name0", "name1", "+ 10 more"]


def test_a_matrix_has_users_above_what_they_use() -> None:
    uses = {("app", "disk"): 16, ("app", "words"): 4, ("disk", "words"): 1}
    rows = uses_matrix(["words", "disk", "app"], uses)
    assert [(row.number, row.name) for row in rows] == [(1, "app"), (2, "disk"), (3, "words")]
    assert [[cell.times for cell in row.cells] for row in rows] == [[0, 16, 4], [0, 0, 1], [0] * 3]
    assert [[cell.is_own for cell in row.cells].index(True) for row in rows] == [0, 1, 2]
    shades = {cell.times: cell.shade for row in rows for cell in row.cells}
    assert shades == {0: 0, 1: 2, 4: 3, 16: 4}


def test_a_cycle_stands_below_the_diagonal_of_a_matrix() -> None:
    rows = uses_matrix(["a", "b"], {("a", "b"): 20_500, ("b", "a"): 1})
    below = rows[1].cells[0]
    above = rows[0].cells[1]
    assert {below.text, above.text} == {"20k", "1"}
