"""Rectangles of a treemap: areas as the sizes, within the box, and none over another."""

from __future__ import annotations

import math
from itertools import combinations

from hypothesis import given, strategies as st

from repo_mcp.repository import Cell
from repo_mcp.web.pages.status import picture
from repo_mcp.web.treemap import Rectangle, squarify

SIZES = st.lists(st.integers(1, 10**12), max_size=40)
BOX = st.builds(
    Rectangle, st.floats(-100, 100), st.floats(-100, 100), st.floats(1, 2000), st.floats(1, 2000)
)


@given(SIZES, BOX)
def test_areas_are_as_the_sizes_and_fill_the_box(sizes: list[int], box: Rectangle) -> None:
    boxes = squarify(sizes, box)
    assert len(boxes) == len(sizes)
    for size, placed in zip(sizes, boxes, strict=True):
        expected = box.area * size / sum(sizes)
        assert math.isclose(placed.area, expected, rel_tol=1e-6, abs_tol=1e-6 * box.area)
    if sizes:
        assert math.isclose(sum(placed.area for placed in boxes), box.area, rel_tol=1e-6)


@given(SIZES, BOX)
def test_none_leaves_the_box_or_covers_another(sizes: list[int], box: Rectangle) -> None:
    boxes = squarify(sizes, box)
    slack = 1e-6 * max(box.width, box.height)
    for placed in boxes:
        assert placed.x >= box.x - slack
        assert placed.y >= box.y - slack
        assert placed.x + placed.width <= box.x + box.width + slack
        assert placed.y + placed.height <= box.y + box.height + slack
    for one, two in combinations(boxes, 2):
        wide = min(one.x + one.width, two.x + two.width) - max(one.x, two.x)
        high = min(one.y + one.height, two.y + two.height) - max(one.y, two.y)
        assert min(wide, high) <= slack


def test_equal_sizes_make_squares_where_they_can() -> None:
    assert squarify([1, 1, 1, 1], Rectangle(0, 0, 2, 2)) == [
        Rectangle(0, 0, 1, 1),
        Rectangle(0, 1, 1, 1),
        Rectangle(1, 0, 1, 1),
        Rectangle(1, 1, 1, 1),
    ]


def test_a_box_without_room_gives_empty_rectangles() -> None:
    assert squarify([1, 2], Rectangle(3, 4, 0, 5)) == [Rectangle(3, 4, 0, 0)] * 2


@given(
    st.dictionaries(
        st.tuples(st.text(max_size=5), st.sampled_from(["python", "go", "c"])),
        st.integers(0, 10**9),
        max_size=60,
    )
)
def test_the_picture_has_all_bytes_of_all_folders(sizes: dict[tuple[str, str], int]) -> None:
    cells = [Cell(folder, language, size) for (folder, language), size in sorted(sizes.items())]
    groups = list(picture(cells, {"python": 0, "go": 1}))
    assert len(groups) <= 25
    total = sum(sizes.values())
    if total:
        area = sum(group.box.area for group in groups)
        assert math.isclose(area, 960 * 300, rel_tol=1e-6)
    for group in groups:
        for tile in group.tiles:
            assert tile.box.x >= group.box.x - 1e-6
            assert tile.box.x + tile.box.width <= group.box.x + group.box.width + 1e-6
