"""Treemaps: rectangles whose areas are as the sizes that they stand for.

Squarified (Bruls, Huizing, van Wijk 2000): rows are filled along the shorter side, as long as that
brings the rectangles nearer to squares.
"""

from __future__ import annotations

from collections.abc import Sequence

from index_format.tuples import NamedTuple


class Rectangle(NamedTuple):
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float

    @property
    def area(self) -> float:
        """The area."""
        return self.width * self.height

    def inner(self, top: float, border: float) -> Rectangle:
        """The rectangle within a border, and below a heading."""
        left, above = min(border, self.width / 2), min(top, self.height)
        below = min(border, self.height - above)
        return Rectangle(
            self.x + left, self.y + above, self.width - 2 * left, self.height - above - below
        )


def squarify(sizes: Sequence[float], box: Rectangle) -> list[Rectangle]:
    """A rectangle for each size, in their order; they fill the box.

    Sizes are positive, the largest first for the best shapes.
    """
    if not sizes or box.area <= 0:
        return [Rectangle(box.x, box.y, 0.0, 0.0) for _ in sizes]
    scale = box.area / sum(sizes)
    areas = [size * scale for size in sizes]
    placed: list[Rectangle] = []
    while len(placed) < len(areas):
        rest = areas[len(placed) :]
        row = _row(rest, min(box.width, box.height))
        boxes, box = _place(row, box, is_last=len(row) == len(rest))
        placed += boxes
    return placed


def _row(areas: Sequence[float], side: float) -> Sequence[float]:
    """The areas that make the best row along a side."""
    count, total, best = 0, 0.0, 0.0
    for area in areas:
        total += area
        least = min(areas[: count + 1])
        most = max(areas[: count + 1])
        worst = max(side * side * most / (total * total), total * total / (side * side * least))
        if count and worst > best:
            break
        count, best = count + 1, worst
    return areas[:count]


def _place(
    row: Sequence[float], box: Rectangle, *, is_last: bool
) -> tuple[list[Rectangle], Rectangle]:
    """The boxes of a row at the left or the top of a box, and what is left of that."""
    total = sum(row)
    across = box.width >= box.height
    side = box.height if across else box.width
    deep = (box.width if across else box.height) if is_last else total / side
    boxes: list[Rectangle] = []
    done = 0.0
    for area in row:
        # from sums: rounding must not make neighbours overlap
        start = side * (done / total)
        done = min(done + area, total)
        length = side * (done / total) - start
        if across:
            boxes.append(Rectangle(box.x, box.y + start, deep, length))
        else:
            boxes.append(Rectangle(box.x + start, box.y, length, deep))
    if across:
        return boxes, Rectangle(box.x + deep, box.y, max(box.width - deep, 0.0), box.height)
    return boxes, Rectangle(box.x, box.y + deep, box.width, max(box.height - deep, 0.0))
