"""Plots: where bars, segments and points are; templates draw them as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from index_format.tuples import NamedTuple

# colours that differ; what has a higher rank has the last one
COLOURS: Final = 8
# units of a whole bar
WHOLE: Final = 100.0


class Bar(NamedTuple):
    """A part of a bar: where it begins and how long it is, of `WHOLE`."""

    start: float
    length: float
    colour: int = 0


class Series(NamedTuple):
    """A line through points; the area under it ends at the bottom."""

    points: Sequence[tuple[float, float]]

    @property
    def path(self) -> str:
        """The line as the commands of an SVG path."""
        return _path(self.points)

    @property
    def area(self) -> str:
        """The area under the line."""
        if not self.points:
            return ""
        first, last = self.points[0], self.points[-1]
        return f"{_path(self.points)}L{last[0]:.2f} {WHOLE:g}L{first[0]:.2f} {WHOLE:g}Z"


def share_bar(part: float, whole: float) -> Bar:
    """A bar as long as a part of a whole; what is there is seen, however little it is."""
    if part <= 0 or whole <= 0:
        return Bar(0.0, 0.0)
    return Bar(0.0, max(min(part / whole, 1.0) * WHOLE, 1.0))


def stack(parts: Sequence[float]) -> list[Bar]:
    """The parts one after the other, in colours by their order; together they are the whole."""
    total = sum(parts)
    if total <= 0:
        return []
    ends = [WHOLE * end / total for end in accumulate(parts)]
    starts = [0.0, *ends[:-1]]
    return [
        Bar(start, end - start, min(rank, COLOURS))
        for rank, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]


def place_on(values: Sequence[float]) -> list[float]:
    """The positions of values between the least and the greatest, from 0 to `WHOLE`."""
    if not values:
        return []
    least, most = min(values), max(values)
    span = most - least
    return [WHOLE * ((value - least) / span) if span else WHOLE / 2 for value in values]


def series(across: Sequence[float], heights: Sequence[float]) -> Series:
    """A line from values; the greatest height is at the top, zero at the bottom."""
    most = max(heights, default=0.0) or 1.0
    ups = (WHOLE * (1 - height / most) for height in heights)
    return Series(list(zip(place_on(across), ups, strict=True)))


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which a share of ordered values is."""
    if not ordered:
        return 0.0
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "".join(_commands(points))


def _commands(points: Sequence[tuple[float, float]]) -> Iterator[str]:
    for number, (x, y) in enumerate(points):
        yield f"{'L' if number else 'M'}{x:.2f} {y:.2f}"
