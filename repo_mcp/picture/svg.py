"""Writes a picture as SVG: no script, no font, nothing from elsewhere; light or dark by its reader.

Everything that comes from a repository is escaped, and what XML can't hold is shown as an escape.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape

from repo_mcp.console import visible
from repo_mcp.picture.layout import (
    LABEL_SIZE,
    NOTE_SIZE,
    PlacedArrow,
    PlacedBox,
    Point,
    lay_out,
)
from repo_mcp.picture.model import Picture

_NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_STYLE: Final = f"""
:root {{ --ground: #ffffff; --box: #f6f8fa; --line: #8c959f; --text: #1f2328; --note: #59636e;
  --center: #ddf4ff; --center-line: #0969da; --back: #bc4c00; }}
@media (prefers-color-scheme: dark) {{
  :root {{ --ground: #0d1117; --box: #161b22; --line: #6e7681; --text: #e6edf3; --note: #9198a1;
    --center: #0c2d6b; --center-line: #58a6ff; --back: #db6d28; }}
}}
.ground {{ fill: var(--ground); }}
.box rect {{ fill: var(--box); stroke: var(--line); }}
.center rect {{ fill: var(--center); stroke: var(--center-line); stroke-width: 1.5; }}
.outside rect {{ stroke-dasharray: 3 3; }}
text {{ font-family: Helvetica, Arial, "Liberation Sans", sans-serif; text-anchor: middle; }}
.label {{ font-size: {LABEL_SIZE:g}px; fill: var(--text); }}
.note {{ font-size: {NOTE_SIZE:g}px; fill: var(--note); }}
.arrow path {{ fill: none; stroke: var(--line); stroke-width: 1.2; }}
.back path {{ stroke: var(--back); }}
.unsure path {{ stroke-dasharray: 5 4; }}
.arrow path:hover {{ stroke-width: 3; }}
.head {{ fill: var(--line); }}
.head-back {{ fill: var(--back); }}
"""
_MARKERS: Final = "".join(
    f'<marker id="{name}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8"'
    f' markerUnits="userSpaceOnUse" orient="auto"><path class="{name}" d="M0 0 L8 4 L0 8 Z"/>'
    "</marker>"
    for name in ("head", "head-back")
)


def to_svg(picture: Picture) -> str:
    """The picture as one SVG document; equal pictures give equal text."""
    return "".join(f"{line}\n" for line in _lines(picture))


def _lines(picture: Picture) -> Iterator[str]:
    found = lay_out(picture)
    size = f'width="{found.width:g}" height="{found.height:g}"'
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}'
        f' viewBox="0 0 {found.width:g} {found.height:g}" role="img">'
    )
    yield f"<title>{_text(picture.title)}</title>"
    yield f"<style>{_STYLE}</style>"
    yield f"<defs>{_MARKERS}</defs>"
    yield '<rect class="ground" width="100%" height="100%"/>'
    for arrow in found.arrows:
        yield _arrow(arrow, rightwards=found.rightwards)
    for box in found.boxes:
        yield from _box(box)
    yield "</svg>"


def _box(item: PlacedBox) -> Iterator[str]:
    box = item.box
    classes = ["box", *(["center"] if box.is_center else [])]
    classes += ["outside"] if box.kind == "external" else []
    yield f'<g class="{" ".join(classes)}">'
    yield f"<title>{_text(box.title or box.label)}</title>"
    yield (
        f'<rect x="{item.x:g}" y="{item.y:g}" width="{item.width:g}" height="{item.height:g}"'
        ' rx="5"/>'
    )
    x, y = item.x + item.width / 2, item.y
    baseline = y + (16.5 if item.note else item.height / 2 + 4.2)
    yield f'<text class="label" x="{x:.5g}" y="{baseline:.5g}">{_text(item.label)}</text>'
    if item.note:
        yield f'<text class="note" x="{x:.5g}" y="{y + 30:.5g}">{_text(item.note)}</text>'
    yield "</g>"


def _arrow(item: PlacedArrow, *, rightwards: bool) -> str:
    classes = ["arrow", *(["back"] if item.is_back else [])]
    classes += [] if item.arrow.sure else ["unsure"]
    head = "head-back" if item.is_back else "head"
    return (
        f'<g class="{" ".join(classes)}">'
        f"<title>{_text(item.arrow.title)}</title>"
        f'<path d="{curve(item.points, rightwards=rightwards)}" marker-end="url(#{head})"/></g>'
    )


def curve(points: Sequence[Point], *, rightwards: bool) -> str:
    """Curves through the points that leave and enter them along the main axis."""
    (x, y), *rest = points
    parts = [f"M{x:g} {y:g}"]
    for to_x, to_y in rest:
        if rightwards:
            middle = round((x + to_x) / 2, 1)
            parts.append(f"C{middle:g} {y:g} {middle:g} {to_y:g} {to_x:g} {to_y:g}")
        else:
            middle = round((y + to_y) / 2, 1)
            parts.append(f"C{x:g} {middle:g} {to_x:g} {middle:g} {to_x:g} {to_y:g}")
        x, y = to_x, to_y
    return " ".join(parts)


def _text(text: str) -> str:
    """Text in ASCII, so that it is the same picture wherever it is written to."""
    shown = escape(_NOT_XML.sub(_escaped, visible(text)))
    return shown.encode("ascii", "xmlcharrefreplace").decode()


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
