"""Pictures of boxes and arrows as templates draw them, with the pages that boxes lead to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from index_format.tuples import NamedTuple
from repo_mcp.picture.layout import PlacedBox, lay_out
from repo_mcp.picture.model import Box, Picture
from repo_mcp.picture.svg import curve


class DrawnBox(NamedTuple):
    """A box, and the page that it leads to."""

    box: PlacedBox
    address: str


class DrawnArrow(NamedTuple):
    """An arrow as an SVG path."""

    path: str
    title: str
    sure: bool


class DrawnPicture(NamedTuple):
    """A picture with its boxes and arrows."""

    title: str
    width: float
    height: float
    boxes: Sequence[DrawnBox]
    arrows: Sequence[DrawnArrow]


def draw(picture: Picture, address_of: Callable[[Box], str]) -> DrawnPicture:
    """The picture, from left to right if it says so."""
    found = lay_out(picture)
    return DrawnPicture(
        picture.title,
        found.width,
        found.height,
        [DrawnBox(item, address_of(item.box)) for item in found.boxes],
        [
            DrawnArrow(
                curve(item.points, rightwards=found.rightwards), item.arrow.title, item.arrow.sure
            )
            for item in found.arrows
        ],
    )
