"""Boxes and arrows of a picture, and the bounds of what is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index_format.tuples import NamedTuple

MOST_BOXES: Final = 400
MOST_ARROWS: Final = 2_000


class Box(NamedTuple):
    """A node; `key` is unique in its picture."""

    key: str
    label: str
    note: str = ""  # a second line, smaller
    title: str = ""  # what is shown when it is pointed at
    kind: str = ""  # a word that styles may tell apart
    is_center: bool = False  # what the picture is about


class Arrow(NamedTuple):
    """An edge between two boxes; one that is not `sure` is drawn with dashes."""

    source: str
    target: str
    label: str = ""
    title: str = ""
    sure: bool = True


class Picture(NamedTuple):
    """A graph to be drawn; boxes that stand first are drawn first where nothing else decides."""

    title: str
    boxes: Sequence[Box]
    arrows: Sequence[Arrow]
    # layers go from left to right, even where they would fit the other way
    rightwards: bool = False

    def bounded(self) -> Picture:
        """The picture with at most so many boxes and arrows, each pair of boxes joined once."""
        boxes = self.boxes[:MOST_BOXES]
        keys = {box.key for box in boxes}
        joined: dict[tuple[str, str], Arrow] = {}
        for arrow in self.arrows:
            if arrow.source in keys and arrow.target in keys and len(joined) < MOST_ARROWS:
                joined.setdefault((arrow.source, arrow.target), arrow)
        return Picture(self.title, boxes, [*joined.values()], self.rightwards)
