"""Draws bar charts as SVG, on a scale of powers of ten if values are far apart."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

_WIDTH: Final = 720
_LABELS: Final = 170
_VALUES: Final = 90
_ROW: Final = 24
_BAR: Final = 15
_HEAD: Final = 44
# values farther apart than this are drawn by their logarithms
_FAR: Final = 30.0
_OURS, _THEIRS, _TEXT = "#2f6f9f", "#b9c3cc", "#24292f"


class Bar(NamedTuple):
    """A row of a chart."""

    label: str
    value: float
    is_ours: bool = False


def bar_chart(title: str, unit: str, bars: Sequence[Bar]) -> str:
    """The chart; it is readable on light and on dark pages."""
    values = [bar.value for bar in bars if bar.value > 0]
    is_log = max(values) / min(values) > _FAR
    height = _HEAD + _ROW * len(bars) + 8
    scale = f"{unit}, powers of ten" if is_log else unit
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}"'
            f' width="{_WIDTH}" height="{height}" role="img" font-family="sans-serif"'
            ' font-size="13">'
        ),
        f"<title>{escape(title)}</title>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="8" y="18" font-weight="bold" fill="{_TEXT}">{escape(title)}</text>',
        f'<text x="8" y="36" font-size="11" fill="{_TEXT}">{escape(scale)}</text>',
    ]
    for number, bar in enumerate(bars):
        y = _HEAD + _ROW * number
        length = _length(bar.value, values, is_log=is_log)
        fill = _OURS if bar.is_ours else _THEIRS
        weight = ' font-weight="bold"' if bar.is_ours else ""
        parts += [
            (
                f'<text x="{_LABELS - 8}" y="{y + 13}" text-anchor="end"{weight} fill="{_TEXT}">'
                f"{escape(bar.label)}</text>"
            ),
            f'<rect x="{_LABELS}" y="{y + 1}" width="{length:.1f}" height="{_BAR}" fill="{fill}"/>',
            (
                f'<text x="{_LABELS + length + 6:.1f}" y="{y + 13}" fill="{_TEXT}">'
                f"{_shown(bar.value)}</text>"
            ),
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _length(value: float, values: Sequence[float], *, is_log: bool) -> float:
    room = _WIDTH - _LABELS - _VALUES
    if value <= 0:
        return 1.0
    if not is_log:
        return max(1.0, room * value / max(values))
    least = floor(log10(min(values)))
    return max(1.0, room * (log10(value) - least) / (log10(max(values)) - least))


def _shown(value: float) -> str:
    """Three digits that count."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
