"""Writes a picture in the DOT language, for Graphviz and what reads its files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from repo_mcp.console import visible
from repo_mcp.picture.model import Arrow, Box, Picture

_REPLACED: Final = str.maketrans({"\\": "\\\\", '"': '\\"'})


def to_dot(picture: Picture) -> str:
    """The picture as one directed graph; equal pictures give equal text."""
    return "".join(f"{line}\n" for line in _lines(picture.bounded()))


def _lines(picture: Picture) -> Iterator[str]:
    yield f"digraph {_quoted(picture.title)} {{"
    yield '  node [shape=box, style=rounded, fontname="Helvetica", fontsize=11];'
    yield "  edge [arrowsize=0.7];"
    for box in picture.boxes:
        yield f"  {_quoted(box.key)} [{_box_attributes(box)}];"
    for arrow in picture.arrows:
        ends = f"{_quoted(arrow.source)} -> {_quoted(arrow.target)}"
        yield f"  {ends} [{_arrow_attributes(arrow)}];"
    yield "}"


def _box_attributes(box: Box) -> str:
    label = _escaped(box.label) + (f"\\n{_escaped(box.note)}" if box.note else "")
    found = [f'label="{label}"', f"tooltip={_quoted(box.title or box.label)}"]
    if box.is_center:
        found.append("penwidth=2")
    if box.kind == "external":
        found.append('style="rounded,dashed"')
    return ", ".join(found)


def _arrow_attributes(arrow: Arrow) -> str:
    found = [f"tooltip={_quoted(arrow.title)}"]
    if arrow.label:
        found.append(f"label={_quoted(arrow.label)}")
    if not arrow.sure:
        found.append("style=dashed")
    return ", ".join(found)


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    """A text inside of quotes: one line, with what ends it or is special in it escaped."""
    shown = visible(text).encode("utf-8", "backslashreplace").decode()
    return shown.translate(_REPLACED)
