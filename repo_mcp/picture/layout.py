"""Coordinates of boxes and arrows: layers from top to bottom, or from left to right if it is wide.

Along the main axis layers follow each other; across it the boxes of a layer stand side by side, in
the order with few crossings, as near to their neighbours as they can be without an overlap. Long
arrows pass through bends, for which layers leave room as for boxes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final
from unicodedata import east_asian_width

from index_format.tuples import NamedTuple
from repo_mcp.picture.layers import Edge, Layers, assign_layers, order_layers
from repo_mcp.picture.model import Arrow, Box, Picture

LABEL_SIZE: Final = 12.0
NOTE_SIZE: Final = 10.0
_WIDEST: Final = 260.0
_PADDING: Final = 10.0
_HEIGHT: Final = 26.0
_HEIGHT_WITH_NOTE: Final = 38.0
_GAP: Final = 18.0  # between boxes of a layer
_BEND: Final = 6.0  # the room of a bend
_BETWEEN: Final = 52.0  # between layers
_MARGIN: Final = 20.0
# wider layers are put from left to right, where a screen has more room for rows
_WIDE: Final = 1400.0
_SWEEPS: Final = 8
# bends of all arrows; arrows that would need more are drawn straight
_MOST_BENDS: Final = 6_000

# advance widths of printable ASCII in thousandths of the size, as sans-serif faces have them
_ASCII: Final = (
    *(278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278),
    *(556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556),
    *(1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778),
    *(667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556),
    *(333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556),
    *(556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584),
)
_FIRST: Final = 0x20
_OTHER: Final = 660
_WIDE_CHARACTER: Final = 1000
# faces differ: the widest common ones take so much more
_SLACK: Final = 1.1

Point = tuple[float, float]


class PlacedBox(NamedTuple):
    """A box and its rectangle, with text that fits into it."""

    box: Box
    label: str
    note: str
    x: float
    y: float
    width: float
    height: float


class PlacedArrow(NamedTuple):
    """An arrow and the points that it passes, from its source to its target."""

    arrow: Arrow
    points: Sequence[Point]
    is_back: bool  # it closes a cycle, and leads to an earlier layer or to its own box


class Layout(NamedTuple):
    """The positions of a picture's parts; `rightwards` if layers go from left to right."""

    boxes: Sequence[PlacedBox]
    arrows: Sequence[PlacedArrow]
    width: float
    height: float
    rightwards: bool


class _Rectangle(NamedTuple):
    """The text of a box and its size."""

    label: str
    note: str
    width: float
    height: float


def lay_out(picture: Picture) -> Layout:
    """The positions of a picture's boxes and arrows; equal pictures have equal layouts."""
    picture = picture.bounded()
    number = {box.key: at for at, box in enumerate(picture.boxes)}
    edges = [(number[arrow.source], number[arrow.target]) for arrow in picture.arrows]
    layers = assign_layers(len(picture.boxes), edges)
    return _Layout(picture, edges, layers).result()


def _rectangle(box: Box) -> _Rectangle:
    label = shorten_to(box.label, LABEL_SIZE, _WIDEST)
    note = shorten_to(box.note, NOTE_SIZE, _WIDEST)
    width = max(text_width(label, LABEL_SIZE), text_width(note, NOTE_SIZE)) + 2 * _PADDING
    return _Rectangle(label, note, round(width, 1), _HEIGHT_WITH_NOTE if note else _HEIGHT)


class _Layout:
    """One layout; nodes above the boxes' numbers are bends."""

    def __init__(self, picture: Picture, edges: Sequence[Edge], layers: Layers) -> None:
        self._picture = picture
        self._edges = edges
        self._back = layers.back
        self._rectangles = [_rectangle(box) for box in picture.boxes]
        rows: list[list[int]] = [[] for _ in range(layers.total)]
        for node, layer in enumerate(layers.layer_of):
            rows[layer].append(node)
        self._bends: dict[Edge, list[int]] = {}
        steps = self._add_bends(layers, rows)
        self._rows = order_layers(rows, steps)
        breadth = max(map(self._breadth, self._rows), default=0.0)
        self._rightwards = picture.rightwards or breadth > _WIDE
        self._main: dict[int, float] = {}  # middles along the main axis
        self._cross: dict[int, float] = {}  # middles across it
        self._thickness: dict[int, float] = {}  # of a node's layer
        self._place_layers()
        self._place_nodes(steps)

    def _add_bends(self, layers: Layers, rows: list[list[int]]) -> list[Edge]:
        """Edges between neighbouring layers: those of the graph, cut into steps."""
        layer_of = layers.layer_of
        steps: list[Edge] = []
        node = len(layer_of)
        spans = sorted(layers.down, key=lambda edge: layer_of[edge[1]] - layer_of[edge[0]])
        left = _MOST_BENDS
        for source, target in spans:
            between = range(layer_of[source] + 1, layer_of[target])
            left -= len(between)
            if left < 0:
                break
            bends = list(range(node, node + len(between)))
            node += len(between)
            for bend, layer in zip(bends, between, strict=True):
                rows[layer].append(bend)
            self._bends[source, target] = bends
            steps += pairwise([source, *bends, target])
        return steps

    def _size(self, node: int, *, along: bool = False) -> float:
        """The size of a node across the main axis, or along it."""
        if node >= len(self._rectangles):
            return 0.0 if along else _BEND
        item = self._rectangles[node]
        return item.width if along == self._rightwards else item.height

    def _breadth(self, row: Sequence[int]) -> float:
        """The extent of a layer from top to bottom."""
        widths = (self._rectangles[node].width for node in row if node < len(self._rectangles))
        return sum(width + _GAP for width in widths)

    def _place_layers(self) -> None:
        at = _MARGIN
        for row in self._rows:
            thickest = max((self._size(node, along=True) for node in row), default=0.0)
            self._main.update(dict.fromkeys(row, at + thickest / 2))
            self._thickness.update(dict.fromkeys(row, thickest))
            at += thickest + _BETWEEN
        self._length = at - _BETWEEN + _MARGIN if self._rows else 2 * _MARGIN

    def _place_nodes(self, steps: Sequence[Edge]) -> None:
        neighbours: dict[int, list[int]] = {}
        for source, target in steps:
            neighbours.setdefault(source, []).append(target)
            neighbours.setdefault(target, []).append(source)
        for row in self._rows:
            self._spread(row, [0.0] * len(row))
        for sweep in range(_SWEEPS):
            for row in self._rows if sweep % 2 else reversed(self._rows):
                self._spread(row, [self._mean(node, neighbours) for node in row])
        lowest = min((self._cross[n] - self._size(n) / 2 for n in self._cross), default=0.0)
        for node in self._cross:
            self._cross[node] += _MARGIN - lowest
        ends = (self._cross[node] + self._size(node) / 2 for node in self._cross)
        self._breadth_of_all = max(ends, default=_MARGIN) + _MARGIN

    def _mean(self, node: int, neighbours: dict[int, list[int]]) -> float:
        others = neighbours.get(node)
        if not others:
            return self._cross[node]
        return sum(self._cross[other] for other in others) / len(others)

    def _spread(self, row: Sequence[int], wanted: Sequence[float]) -> None:
        """Put a layer's nodes as near to wanted places as their sizes and their order allow.

        The least sum of squares: neighbours that would overlap form a block about its mean.
        """
        offsets: list[float] = []
        at = 0.0
        for number, node in enumerate(row):
            if number:
                at += (self._size(row[number - 1]) + self._size(node)) / 2 + _GAP
            offsets.append(at)
        blocks: list[tuple[float, int]] = []  # mean and count
        for place, offset in zip(wanted, offsets, strict=True):
            mean, count = place - offset, 1
            while blocks and blocks[-1][0] >= mean:
                before, members = blocks.pop()
                mean = (mean * count + before * members) / (count + members)
                count += members
            blocks.append((mean, count))
        starts = [mean for mean, count in blocks for _ in range(count)]
        for node, start, offset in zip(row, starts, offsets, strict=True):
            self._cross[node] = start + offset

    def result(self) -> Layout:
        """The layout in coordinates of the picture."""
        boxes = [self._placed_box(number, box) for number, box in enumerate(self._picture.boxes)]
        arrows = [
            self._placed_arrow(arrow, edge)
            for arrow, edge in zip(self._picture.arrows, self._edges, strict=True)
        ]
        width, height = self._point(self._length, self._breadth_of_all)
        return Layout(boxes, arrows, round(width, 1), round(height, 1), self._rightwards)

    def _placed_box(self, number: int, box: Box) -> PlacedBox:
        item = self._rectangles[number]
        x, y = self._point(self._main[number], self._cross[number])
        left, top = round(x - item.width / 2, 1), round(y - item.height / 2, 1)
        return PlacedBox(box, item.label, item.note, left, top, item.width, item.height)

    def _placed_arrow(self, arrow: Arrow, edge: Edge) -> PlacedArrow:
        source, target = edge
        if source == target:
            return PlacedArrow(arrow, self._loop(source), is_back=True)
        is_back = edge in self._back
        upper, lower = (target, source) if is_back else (source, target)
        points = [self._end(upper, 1), *self._bend_points(upper, lower), self._end(lower, -1)]
        return PlacedArrow(arrow, points[::-1] if is_back else points, is_back)

    def _bend_points(self, upper: int, lower: int) -> list[Point]:
        """Straight through each layer: between its boxes is no room for a curve."""
        return [
            self._rounded(self._main[node] + side * self._thickness[node] / 2, self._cross[node])
            for node in self._bends.get((upper, lower), [])
            for side in (-1, 1)
        ]

    def _end(self, node: int, side: int) -> Point:
        """The point where an arrow touches a box: behind it (1) or before it (-1)."""
        half = self._size(node, along=True) / 2
        return self._rounded(self._main[node] + side * half, self._cross[node])

    def _loop(self, node: int) -> list[Point]:
        """Out of a box and back into it, around its corner."""
        main, cross = self._main[node], self._cross[node]
        half, side = self._size(node, along=True) / 2, self._size(node) / 2
        out = min(_GAP, _BETWEEN) / 2
        return [
            self._rounded(main + half, cross + side - _PADDING),
            self._rounded(main + half + out, cross + side + out / 2),
            self._rounded(main, cross + side),
        ]

    def _point(self, main: float, cross: float) -> Point:
        return (main, cross) if self._rightwards else (cross, main)

    def _rounded(self, main: float, cross: float) -> Point:
        x, y = self._point(main, cross)
        return round(x, 1), round(y, 1)


def text_width(text: str, size: float) -> float:
    """The width of one line, in the unit of `size`."""
    return sum(map(_advance, text)) * size * _SLACK / 1000


@lru_cache(1 << 12)
def _advance(character: str) -> int:
    at = ord(character) - _FIRST
    if 0 <= at < len(_ASCII):
        return _ASCII[at]
    return _WIDE_CHARACTER if east_asian_width(character) in {"W", "F"} else _OTHER


def shorten_to(text: str, size: float, widest: float) -> str:
    """The text, cut in its middle if it is wider: both ends of a name tell it from others."""
    if text_width(text, size) <= widest:
        return text
    low, high = 0, len(text)
    while low < high:  # the longest that fits
        middle = (low + high + 1) // 2
        if text_width(_cut(text, middle), size) <= widest:
            low = middle
        else:
            high = middle - 1
    return _cut(text, low)


def _cut(text: str, kept: int) -> str:
    """So many characters of the text, from both ends."""
    tail = kept * 2 // 3
    return f"{text[: kept - tail]}…{text[len(text) - tail :]}"
